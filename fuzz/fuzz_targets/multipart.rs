//! Parts lie inside the body, in order, and what is written is read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loadstone_http::{Multipart, MultipartWriter};

const BOUNDARY: &str = "b";
const TYPE: &str = "multipart/form-data; boundary=b";

fuzz_target!(|bytes: &[u8]| {
    let mut end = bytes.as_ptr() as usize;
    for part in Multipart::new(TYPE, bytes).expect("the content type is right") {
        let Ok(part) = part else { break };
        assert!(part.data.is_empty() || part.data.as_ptr() as usize >= end);
        assert!(part.data.is_empty() || bytes.as_ptr_range().contains(&part.data.as_ptr()));
        end = end.max(part.data.as_ptr() as usize + part.data.len());
    }
    // The contract of the writer: the boundary does not occur in the content.
    if bytes.windows(3).any(|window| window == b"--b") {
        return;
    }
    let mut body = Vec::new();
    let mut writer = MultipartWriter::new(BOUNDARY, &mut body);
    writer.file("file", "name", "text/plain", bytes);
    writer.finish();
    let parts: Vec<_> = Multipart::new(TYPE, &body).expect("the content type is right").collect();
    assert_eq!(parts.len(), 1);
    assert_eq!(parts[0].as_ref().expect("the part was written whole").data, bytes);
});
