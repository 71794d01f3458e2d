//! A head that is accepted has exactly one reading, and is not accepted any earlier.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loadstone_http::{Limits, ParseStatus, RequestFraming, RequestHead, Version};

fuzz_target!(|bytes: &[u8]| {
    let limits = Limits::default();
    let ParseStatus::Complete(head, length) = RequestHead::parse(bytes, &limits) else { return };
    assert!(length <= bytes.len() && length <= limits.head_bytes);
    assert_eq!(RequestHead::parse(&bytes[..length - 1], &limits), ParseStatus::Incomplete);
    let message = &bytes[..length];
    assert!(message.ends_with(b"\r\n\r\n") && !message.contains(&0));
    let line_ends = message.windows(2).filter(|pair| pair == b"\r\n").count();
    assert_eq!(message.iter().filter(|&&byte| byte == b'\n').count(), line_ends);
    assert_eq!(message.iter().filter(|&&byte| byte == b'\r').count(), line_ends);

    let request = head.request(message, b"");
    let count = |name| request.headers.all(name).count();
    assert!(count("host") <= 1 && (head.version == Version::Http10 || count("host") == 1));
    assert!(count("content-length") + count("transfer-encoding") <= 1);
    match head.framing {
        RequestFraming::Chunked => assert_eq!(count("transfer-encoding"), 1),
        RequestFraming::Length(bytes) => {
            assert!(bytes <= limits.body_bytes && count("transfer-encoding") == 0)
        }
    }
    let _ = (request.cookies().count(), request.query_pairs().count(), request.accepts_gzip());
});
