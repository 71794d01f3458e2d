//! A response head is read without panic, and not before it is complete.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loadstone_http::{BodyFraming, Method, ResponseHead, SetCookie};

fuzz_target!(|bytes: &[u8]| {
    let Ok(Some((head, length))) = ResponseHead::parse(bytes) else { return };
    assert!(length <= bytes.len());
    assert!(!matches!(ResponseHead::parse(&bytes[..length - 1]), Ok(Some(_))));
    assert_eq!(head.framing(Method::Head), BodyFraming::None);
    if let BodyFraming::Length(bytes) = head.framing(Method::Get) {
        assert_eq!(head.content_length, Some(bytes));
    }
    for value in head.headers.all("set-cookie").filter_map(|value| core::str::from_utf8(value).ok()) {
        if let Some(cookie) = SetCookie::parse(value) {
            assert!(!cookie.name.is_empty() && !cookie.value.contains(';'));
        }
    }
});
