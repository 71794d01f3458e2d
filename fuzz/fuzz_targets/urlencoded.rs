//! Decoding any form and encoding it again loses nothing, and a date that is read is the one that is written.
#![no_main]

use form_urlencoded::{Serializer, parse};
use libfuzzer_sys::fuzz_target;
use loadstone_http::{format_date, parse_date, percent_encode};

fuzz_target!(|bytes: &[u8]| {
    let form = Serializer::new(String::new()).extend_pairs(parse(bytes)).finish();
    assert!(parse(form.as_bytes()).eq(parse(bytes)));
    let text = String::from_utf8_lossy(bytes);
    let mut encoded = b"=".to_vec();
    percent_encode(&text, &mut encoded);
    assert!(parse(&encoded).eq([("".into(), text.clone())]));
    if let Some(unix_s) = parse_date(&text) {
        let date = String::from_utf8_lossy(&format_date(unix_s)).into_owned();
        assert_eq!(parse_date(&date), Some(unix_s));
    }
});
