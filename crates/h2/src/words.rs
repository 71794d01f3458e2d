//! What went wrong, in words.

use std::ffi::{CStr, c_char, c_int};

use libnghttp2_sys::{nghttp2_http2_strerror, nghttp2_strerror};

/// Longest text of a server that is repeated.
const MOST_SAID: usize = 120;

/// `ENHANCE_YOUR_CALM` and the like; a code that nobody knows as its number.
pub(crate) fn code(code: u32) -> String {
    // SAFETY: any number may be asked for.
    match constant(unsafe { nghttp2_http2_strerror(code) }) {
        "unknown" => format!("code {code}"),
        name => name.into(),
    }
}

/// nghttp2's sentence on one of its errors.
pub(crate) fn error(error: c_int) -> &'static str {
    // SAFETY: any number may be asked for.
    constant(unsafe { nghttp2_strerror(error) })
}

/// A type of frame by name.
pub(crate) fn frame(kind: u8) -> &'static str {
    const NAMES: [&str; 10] = [
        "DATA",
        "HEADERS",
        "PRIORITY",
        "RST_STREAM",
        "SETTINGS",
        "PUSH_PROMISE",
        "PING",
        "GOAWAY",
        "WINDOW_UPDATE",
        "CONTINUATION",
    ];
    NAMES.get(usize::from(kind)).copied().unwrap_or("unknown")
}

/// What the server, or nghttp2, says, as far as it is worth repeating.
pub(crate) fn said(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(&text[..text.len().min(MOST_SAID)]);
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

fn constant(text: *const c_char) -> &'static str {
    // SAFETY: both functions above return strings that live as long as the program.
    unsafe { CStr::from_ptr(text) }.to_str().unwrap_or("unknown")
}
