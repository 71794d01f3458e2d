//! What becomes of an application's answer before it is sent; the application cannot tell.

use flate2::{Compress, Compression, Crc, FlushCompress, Status};
use loadstone_http::{Body, Request, Response, Stream};

use crate::packing::{GZIP_HEAD, Packed};

/// A smaller answer fits into one packet as it is.
const WORTH_COMPRESSING: usize = 1024;

/// Finishes the answers of one thread.
#[derive(Default)]
pub(crate) struct Finisher {
    gzip: Option<Gzip>,
}

impl Finisher {
    /// With a level from 1 to 9, content that shrinks is compressed for those who take it so.
    pub fn new(level: Option<u32>) -> Self {
        Self { gzip: level.map(|level| Gzip { level, deflate: None, packed: Vec::new() }) }
    }

    /// Finishes `response` to `request`.
    pub fn finish(&mut self, request: &Request<'_>, response: &mut Response) {
        if let Some(gzip) = &mut self.gzip {
            gzip.apply(request, response);
        }
    }
}

/// The gzip coding (RFC 1952). Its state is a third of a megabyte and used again for every answer.
struct Gzip {
    level: u32,
    deflate: Option<Box<Compress>>,
    /// Becomes a body; the one before comes back here.
    packed: Vec<u8>,
}

impl Gzip {
    /// Compresses the content if that is worth it and the client takes it. The strong tag of the plain
    /// content becomes a weak one: the bytes differ, but not what they say.
    fn apply(&mut self, request: &Request<'_>, response: &mut Response) {
        if matches!(response.status, 206 | 304) && response.get("content-type").is_none_or(shrinks) {
            // A 206 and a 304 carry the fields of the whole (RFC 9110 §15.3.7, §15.4.5).
            response.header("Vary", "Accept-Encoding");
            return;
        }
        if !is_compressible(response) {
            return;
        }
        response.header("Vary", "Accept-Encoding");
        if !request.accepts_gzip() {
            return;
        }
        if let Body::Stream(_) = response.body {
            if let Body::Stream(plain) = std::mem::take(&mut response.body) {
                response.body = Body::Stream(Stream::new(Packed::new(plain, self.level)));
            }
            return tell(response);
        }
        if !self.pack(response.body.as_slice()) {
            return;
        }
        let plain = std::mem::replace(&mut response.body, Body::Bytes(std::mem::take(&mut self.packed)));
        if let Body::Bytes(buffer) = plain {
            self.packed = buffer;
        }
        tell(response);
    }

    /// Fills `packed`; false when that would be no smaller than `content`.
    fn pack(&mut self, content: &[u8]) -> bool {
        let deflate =
            self.deflate.get_or_insert_with(|| Box::new(Compress::new(Compression::new(self.level), false)));
        deflate.reset();
        self.packed.clear();
        self.packed.reserve(content.len());
        self.packed.extend_from_slice(&GZIP_HEAD);
        let done = deflate.compress_vec(content, &mut self.packed, FlushCompress::Finish);
        if !matches!(done, Ok(Status::StreamEnd)) || self.packed.len() + 8 >= content.len() {
            return false;
        }
        let mut sum = Crc::new();
        sum.update(content);
        self.packed.extend_from_slice(&sum.sum().to_le_bytes());
        self.packed.extend_from_slice(&sum.amount().to_le_bytes());
        true
    }
}

/// Says that the content is compressed. The strong tag of the plain content becomes a weak one.
fn tell(response: &mut Response) {
    response.header("Content-Encoding", "gzip");
    if let Some(tag) = response.get("etag").filter(|tag| !tag.starts_with("W/")) {
        let weak = format!("W/{tag}");
        response.replace_header("ETag", weak);
    }
}

/// Whether the content may be sent in another coding, and would shrink.
fn is_compressible(response: &Response) -> bool {
    let small =
        response.body.as_slice().len() < WORTH_COMPRESSING && !matches!(response.body, Body::Stream(_));
    if matches!(response.status, 204 | 206 | 304) || small {
        return false;
    }
    let fields = response.headers();
    let fixed = fields.get("content-encoding").is_some() || fields.lists("cache-control", "no-transform");
    !fixed && fields.get("content-type").is_some_and(shrinks)
}

/// Whether content of a media type is text, or nearly.
fn shrinks(media_type: &str) -> bool {
    let name = media_type.split(';').next().unwrap_or("").trim_ascii().to_ascii_lowercase();
    let plain =
        ["application/json", "application/javascript", "application/xml", "application/wasm", "image/bmp"];
    name.starts_with("text/")
        || plain.contains(&name.as_str())
        || name.ends_with("+xml")
        || name.ends_with("+json")
}

#[cfg(test)]
mod tests {
    use super::*;
    use loadstone_http::{Headers, Method};
    use std::io::Read;

    fn page() -> Response {
        let mut response = Response::new();
        response.html("<p>to be or not to be</p>".repeat(100)).header("ETag", "\"v1\"");
        response
    }

    fn finish(level: Option<u32>, fields: &str, response: &mut Response) {
        let request = Request { headers: Headers::new(fields.as_bytes()), ..Request::new(Method::Get, "/") };
        Finisher::new(level).finish(&request, response);
    }

    #[test]
    fn content_is_compressed_for_who_takes_it() {
        for level in 1..=9 {
            let mut response = page();
            finish(Some(level), "Accept-Encoding: br, gzip\r\n", &mut response);
            let mut plain = Vec::new();
            flate2::read::GzDecoder::new(response.body.as_slice()).read_to_end(&mut plain).unwrap();
            assert_eq!(plain, page().body.as_slice());
            let field = |name| response.get(name);
            assert_eq!((field("etag"), field("vary")), (Some("W/\"v1\""), Some("Accept-Encoding")));
            assert_eq!(field("content-encoding"), Some("gzip"));
        }
    }

    #[test]
    fn who_does_not_take_it_hears_that_there_is_another() {
        let mut response = page();
        finish(Some(6), "Accept-Encoding: gzip;q=0\r\n", &mut response);
        assert_eq!((response.get("vary"), response.get("etag")), (Some("Accept-Encoding"), Some("\"v1\"")));
        assert_eq!(response.body, page().body);
        let mut response = page();
        finish(None, "Accept-Encoding: gzip\r\n", &mut response);
        assert_eq!((response.get("vary"), &response.body), (None, &page().body));
    }

    #[test]
    fn what_does_not_shrink_is_left_alone() {
        let changes: [fn(&mut Response); 5] = [
            |response| {
                response.replace_header("Content-Type", "image/png");
            },
            |response| {
                response.header("Content-Encoding", "br");
            },
            |response| {
                response.header("Cache-Control", "private, no-transform");
            },
            |response| response.buffer().truncate(1000),
            |response| response.body = Body::Empty,
        ];
        for change in changes {
            let mut response = page();
            change(&mut response);
            let mut before = page();
            change(&mut before);
            finish(Some(6), "Accept-Encoding: gzip\r\n", &mut response);
            assert_eq!(response.body, before.body);
            assert_eq!(response.headers(), before.headers());
        }
        // Noise: there is nothing to gain, and only a try shows it.
        let mut response = page();
        let mut state = 1_u32;
        response.buffer().fill_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        });
        let before = Body::Bytes(response.body.as_slice().to_vec());
        finish(Some(9), "Accept-Encoding: gzip\r\n", &mut response);
        assert_eq!((response.get("content-encoding"), &response.body), (None, &before));
    }

    #[test]
    fn a_part_and_no_news_are_told_with_the_fields_of_the_whole() {
        for status in [206, 304] {
            let mut response = page();
            response.status(status);
            finish(Some(6), "Accept-Encoding: gzip\r\n", &mut response);
            assert_eq!(
                (response.get("vary"), response.get("content-encoding")),
                (Some("Accept-Encoding"), None)
            );
        }
        let mut image = page();
        image.status(206).replace_header("Content-Type", "image/png");
        finish(Some(6), "Accept-Encoding: gzip\r\n", &mut image);
        assert_eq!(image.get("vary"), None);
    }
}
