//! Percent-encoding (RFC 3986 §2.1).

use alloc::vec::Vec;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// All but the characters that RFC 3986 §2.3 does not reserve.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Appends `text` with everything but letters, digits and `-._~` as `%XX`: safe in a path segment,
/// a query and a form.
///
/// ```
/// let mut address = b"/tags/".to_vec();
/// loadstone_http::percent_encode("Jazz & Rock~", &mut address);
/// assert_eq!(address, b"/tags/Jazz%20%26%20Rock~");
/// ```
pub fn percent_encode(text: &str, out: &mut Vec<u8>) {
    for piece in utf8_percent_encode(text, RESERVED) {
        out.extend_from_slice(piece.as_bytes());
    }
}
