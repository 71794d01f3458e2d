//! Which bytes may stand where, in one table: a look for each byte.

/// In a token: a method, a field's name, a chunk extension (RFC 9110 §5.6.2).
pub(crate) const TOKEN: u8 = 1;
/// In the name of a host as it is, without percent-encoding (RFC 3986 §3.2.2).
pub(crate) const NAME: u8 = 2;
/// In a quoted string as it is, without a backslash (RFC 9110 §5.6.4).
pub(crate) const QUOTED: u8 = 4;
/// In a field's value (RFC 9110 §5.5), and behind the backslash of a quoted string.
pub(crate) const VALUE: u8 = 8;

static CLASSES: [u8; 256] = classes();

/// Whether a byte is of a class.
#[inline]
pub(crate) fn is(byte: u8, class: u8) -> bool {
    CLASSES[byte as usize] & class != 0
}

const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let this = byte as u8;
        if this.is_ascii_alphanumeric() {
            table[byte] |= TOKEN | NAME;
        }
        // All but control characters; bytes beyond ASCII have no meaning of their own.
        if this >= b' ' && this != 0x7f || this == b'\t' {
            table[byte] |= VALUE;
            if this != b'"' && this != b'\\' {
                table[byte] |= QUOTED;
            }
        }
        byte += 1;
    }
    mark(mark(table, b"!#$%&'*+-.^_`|~", TOKEN), b"-._~!$&'()*+,;=", NAME)
}

const fn mark(mut table: [u8; 256], bytes: &[u8], class: u8) -> [u8; 256] {
    let mut at = 0;
    while at < bytes.len() {
        table[bytes[at] as usize] |= class;
        at += 1;
    }
    table
}
