//! Decoding any form and encoding it again loses nothing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loadstone_http::{FormPairs, parse_date, percent_decode, percent_encode, write_form_pair};

fuzz_target!(|bytes: &[u8]| {
    let pairs: Vec<_> = FormPairs::new(bytes).collect();
    let mut form = Vec::new();
    for (name, value) in &pairs {
        write_form_pair(name, value, 0, &mut form);
    }
    assert!(FormPairs::new(&form).eq(pairs));
    let text = percent_decode(bytes);
    let mut encoded = Vec::new();
    percent_encode(&text, &mut encoded);
    assert_eq!(percent_decode(&encoded), text);
    let _ = parse_date(&text);
});
