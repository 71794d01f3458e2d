//! Requests are written as HTTP/1.1 has them; here they become fields and a body.

use loadstone_h2::{Fields, Upload};
use loadstone_http::Headers;
use memchr::{memchr, memmem};

use crate::request::Outgoing;

/// Fields that speak of a connection of HTTP/1.1 (RFC 9113 §8.2.2), and Host, which becomes `:authority`.
const LEFT_OUT: [&str; 6] =
    ["host", "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"];

/// Reads the head at the beginning of `text` into `fields`; where it ends.
pub(crate) fn fields_of(text: &[u8], scheme: &str, fields: &mut Fields) -> usize {
    fields.clear();
    let line_end = memchr(b'\n', text).map_or(text.len(), |at| at + 1);
    let head_end = memmem::find(text, b"\r\n\r\n").map_or(text.len(), |at| at + 4);
    let mut words = text[..line_end].trim_ascii_end().split(|byte| *byte == b' ');
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let headers = Headers::new(&text[line_end..head_end.max(line_end)]);
    fields.push(b":method", method);
    fields.push(b":scheme", scheme.as_bytes());
    fields.push(b":authority", headers.get_bytes("host").unwrap_or_default());
    fields.push(b":path", path);
    for (name, value) in headers.iter() {
        if LEFT_OUT.iter().any(|left_out| name.eq_ignore_ascii_case(left_out.as_bytes())) {
            continue;
        }
        if name.eq_ignore_ascii_case(b"cookie") {
            // One by one, those that stay are compressed although others change (RFC 9113 §8.2.3).
            let crumbs = value.split(|byte| *byte == b';').map(<[u8]>::trim_ascii);
            crumbs.filter(|crumb| !crumb.is_empty()).for_each(|crumb| fields.push(b"cookie", crumb));
        } else {
            fields.push(name, value);
        }
    }
    head_end
}

/// A request for people, as HTTP/2 has it.
pub(super) fn shown(text: &[u8]) -> Vec<u8> {
    let version = b" HTTP/1.1\r\n";
    match memmem::find(text, version) {
        Some(at) => [&text[..at], b" HTTP/2\r\n", &text[at + version.len()..]].concat(),
        None => text.to_vec(),
    }
}

/// What follows the head of a request.
pub(super) struct Body(Outgoing);

impl Body {
    /// The part of `outgoing` behind its head; none when there is nothing.
    pub(super) fn after(head: usize, outgoing: &mut Outgoing) -> Option<Box<dyn Upload>> {
        outgoing.skip(head);
        outgoing.next_piece().is_some().then(|| Box::new(Self(std::mem::take(outgoing))) as Box<dyn Upload>)
    }
}

impl Upload for Body {
    fn read(&mut self, buffer: &mut [u8]) -> (usize, bool) {
        let mut written = 0;
        while written < buffer.len() {
            let Some((piece, _)) = self.0.next_piece() else { return (written, true) };
            let length = piece.len().min(buffer.len() - written);
            buffer[written..written + length].copy_from_slice(&piece[..length]);
            self.0.skip(length);
            written += length;
        }
        (written, self.0.next_piece().is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_the_same_in_other_words() {
        let text = b"POST /a?b=c HTTP/1.1\r\nHost: shop:81\r\nConnection: close\r\nX: y: z\r\n\
            Cookie: a=1; b=2\r\nContent-Length: 2\r\n\r\nhi";
        let mut fields = Fields::default();
        assert_eq!(fields_of(text, "https", &mut fields), text.len() - 2);
        let pairs: Vec<String> = fields
            .iter()
            .map(|(name, value)| {
                format!("{}={}", String::from_utf8_lossy(name), String::from_utf8_lossy(value))
            })
            .collect();
        assert_eq!(
            pairs,
            [
                ":method=POST",
                ":scheme=https",
                ":authority=shop:81",
                ":path=/a?b=c",
                "X=y: z",
                "cookie=a=1",
                "cookie=b=2",
                "Content-Length=2"
            ]
        );
        assert!(shown(text).starts_with(b"POST /a?b=c HTTP/2\r\nHost: "));
    }
}
