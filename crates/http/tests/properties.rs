//! What holds for every input: round trips, no dependence on how bytes arrive, no panic.

use loadstone_http::{
    Body, BodyFraming, ChunkError, ChunkedDecoder, Headers, Limits, Method, Multipart, MultipartError,
    MultipartWriter, ParseStatus, RequestFraming, RequestHead, Response, ResponseContext, ResponseHead,
    Version, format_date, write_response_head,
};
use proptest::collection::vec;
use proptest::prelude::*;

fn field() -> impl Strategy<Value = (String, String)> {
    ("X-[a-zA-Z0-9-]{1,12}", "[!-~]([ -~]{0,20}[!-~])?")
}

/// Decodes pieces one after another; the body, the bytes used, and whether it ended.
fn decode(pieces: &[&[u8]]) -> Result<(Vec<u8>, usize, bool), ChunkError> {
    let (mut decoder, mut body, mut used) = (ChunkedDecoder::new(), Vec::new(), 0);
    for piece in pieces {
        let taken = decoder.decode(piece, |data| body.extend_from_slice(data))?;
        used += taken;
        assert!(taken == piece.len() || decoder.is_done());
    }
    Ok((body, used, decoder.is_done()))
}

proptest! {
    #[test]
    fn what_a_client_writes_the_server_reads(
        path in "/[a-z0-9/]{0,30}(\\?[a-z0-9=&%]{0,30})?",
        fields in vec(field(), 0..20),
        cookies in vec(("[a-z]{1,8}", "[a-zA-Z0-9]{0,12}"), 0..4),
        body: Vec<u8>,
    ) {
        let lines: String = fields.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let pairs: Vec<_> = cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: site.example:80\r\n{lines}Cookie: {}\r\nContent-Type: text/plain\r\n\
             Content-Length: {}\r\n\r\n",
            pairs.join("; "),
            body.len()
        );
        let out = [head.as_bytes(), &body].concat();

        let ParseStatus::Complete(head, length) = RequestHead::parse(&out, &Limits::default()) else {
            panic!("{:?}", String::from_utf8_lossy(&out))
        };
        prop_assert_eq!(head.framing, RequestFraming::Length(body.len() as u64));
        let request = head.request(&out[..length], &out[length..]);
        prop_assert_eq!((request.method, request.target, request.body), (Method::Post, path.as_str(), &body[..]));
        prop_assert_eq!(request.content_type(), Some("text/plain"));
        let read: Vec<_> = request.headers.iter().skip(1).take(fields.len()).collect();
        let sent: Vec<_> = fields.iter().map(|(name, value)| (name.as_bytes(), value.as_bytes())).collect();
        prop_assert_eq!(read, sent);
        let read: Vec<_> = request.cookies().map(|(n, v)| (n.to_owned(), v.to_owned())).collect();
        prop_assert_eq!(read, cookies);
        // Every shorter piece is the beginning of a request, not a bad or another one.
        for end in 0..length {
            prop_assert_eq!(RequestHead::parse(&out[..end], &Limits::default()), ParseStatus::Incomplete);
        }
    }

    #[test]
    fn what_the_server_writes_the_client_reads(
        status in prop_oneof![Just(200_u16), Just(204), Just(304), Just(404), Just(599)],
        fields in vec(field(), 0..20),
        body: Vec<u8>,
        keep_alive: bool,
        head_only: bool,
        old: bool,
    ) {
        let mut response = Response::new();
        response.status(status).body = Body::Bytes(body.clone());
        for (name, value) in &fields {
            response.header(name, value);
        }
        let version = if old { Version::Http10 } else { Version::Http11 };
        let mut out = Vec::new();
        let date = format_date(1_222_992_000);
        let context = ResponseContext { date: &date, version, keep_alive, head_only };
        let follows = write_response_head(&mut out, &response, &context);

        let (head, length) = ResponseHead::parse(&out).unwrap().unwrap();
        prop_assert_eq!((head.status, length, head.keep_alive), (status, out.len(), keep_alive));
        let method = if head_only { Method::Head } else { Method::Get };
        let framing = head.framing(method);
        let expected = if follows { BodyFraming::Length(body.len() as u64) } else { BodyFraming::None };
        prop_assert_eq!(framing, expected);
        prop_assert_eq!(head.content_length.is_some(), !matches!(status, 204 | 304));
        for (name, value) in &fields {
            prop_assert!(head.headers.all(name).any(|found| found == value.as_bytes()));
        }
        for end in 0..length {
            prop_assert!(ResponseHead::parse(&out[..end]).unwrap().is_none());
        }
    }

    #[test]
    fn chunks_do_not_depend_on_how_they_arrive(
        chunks in vec(vec(any::<u8>(), 1..40), 0..6),
        rest: Vec<u8>,
        cuts in vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let mut coded = Vec::new();
        for chunk in &chunks {
            coded.extend_from_slice(format!("{:X};n=\"v\"\r\n", chunk.len()).as_bytes());
            coded.extend_from_slice(chunk);
            coded.extend_from_slice(b"\r\n");
        }
        coded.extend_from_slice(b"0\r\nTrailer: t\r\n\r\n");
        let length = coded.len();
        coded.extend_from_slice(&rest);
        let whole = decode(&[&coded]).unwrap();
        prop_assert_eq!(&whole, &(chunks.concat(), length, true));
        let mut at: Vec<_> = cuts.iter().map(|cut| cut.index(length)).collect();
        at.sort_unstable();
        at.push(coded.len());
        let mut start = 0;
        let pieces: Vec<_> = at.iter().map(|&end| { let piece = &coded[start..end]; start = end; piece }).collect();
        prop_assert_eq!(decode(&pieces).unwrap(), whole);
    }

    #[test]
    fn broken_chunks_do_not_depend_on_how_they_arrive(
        coded in vec(prop_oneof![Just(b'\r'), Just(b'\n'), Just(b'0'), Just(b'3'), Just(b'a'), Just(b';'), any::<u8>()], 0..40),
    ) {
        let single: Vec<_> = coded.chunks(1).collect();
        prop_assert_eq!(decode(&[&coded]), decode(&single));
    }

    #[test]
    fn forms_with_files_round_trip(
        fields in vec(("[^\"\\r\\n\\\\]{1,12}", ".{0,30}"), 0..4),
        files in vec(("[a-z]{1,8}", "[^\"\\r\\n\\\\]{0,12}", vec(any::<u8>(), 0..200)), 0..4),
    ) {
        let mut body = Vec::new();
        let mut writer = MultipartWriter::new("Q7vV0j2Kc9Lw", &mut body);
        fields.iter().for_each(|(name, value)| writer.field(name, value));
        files.iter().for_each(|(name, filename, data)| writer.file(name, filename, "image/png", data));
        writer.finish();
        let parts = Multipart::new("multipart/form-data; boundary=\"Q7vV0j2Kc9Lw\"", &body).unwrap();
        let parts: Vec<_> = parts.map(Result::unwrap).collect();
        prop_assert_eq!(parts.len(), fields.len() + files.len());
        for (part, (name, value)) in parts.iter().zip(&fields) {
            prop_assert_eq!((&*part.name, part.data), (name.as_str(), value.as_bytes()));
            prop_assert_eq!((&part.filename, part.content_type), (&None, None));
        }
        for (part, (name, filename, data)) in parts[fields.len()..].iter().zip(&files) {
            prop_assert_eq!((part.name.as_ref(), part.filename.as_deref()), (name.as_str(), Some(filename.as_str())));
            prop_assert_eq!((part.content_type, part.data), (Some("image/png"), &data[..]));
        }
    }

    #[test]
    fn a_form_cut_short_is_an_error(end in 0_usize..100) {
        let mut body = Vec::new();
        let mut writer = MultipartWriter::new("b", &mut body);
        writer.field("first", "one");
        writer.field("second", "two");
        writer.finish();
        prop_assume!(end < body.len() - 4);
        let parts: Vec<_> = Multipart::new("multipart/form-data; boundary=b", &body[..end]).unwrap().collect();
        prop_assert!(parts.last().unwrap().is_err(), "{:?}", parts);
        prop_assert!(parts.iter().rev().skip(1).all(Result::is_ok));
    }

    #[test]
    fn any_bytes_are_survived(bytes in vec(prop_oneof![Just(b'\r'), Just(b'\n'), Just(b':'), Just(b' '), any::<u8>()], 0..300)) {
        if let ParseStatus::Complete(head, length) = RequestHead::parse(&bytes, &Limits::default()) {
            let _ = head.request(&bytes[..length], b"").accepts_gzip();
        }
        if let Ok(Some((head, length))) = ResponseHead::parse(&bytes) {
            prop_assert!(length <= bytes.len());
            let _ = head.framing(Method::Get);
        }
        let _ = Headers::new(&bytes).iter().count();
        let _ = Multipart::new("multipart/form-data; boundary=x", &bytes).unwrap().count();
    }
}

#[test]
fn multipart_refuses_what_it_cannot_read() {
    let error = |content_type, body: &'static [u8]| match Multipart::new(content_type, body) {
        Ok(parts) => parts.filter_map(Result::err).next(),
        Err(error) => Some(error),
    };
    let form = "multipart/form-data; boundary=b";
    assert_eq!(error("text/plain; boundary=b", b""), Some(MultipartError::NotMultipart));
    assert_eq!(error("multipart/form-data", b""), Some(MultipartError::NotMultipart));
    assert_eq!(error("multipart/form-data; boundary=", b""), Some(MultipartError::NotMultipart));
    assert_eq!(error(form, b""), Some(MultipartError::Boundary));
    assert_eq!(error(form, b"--bx"), Some(MultipartError::Boundary));
    assert_eq!(error(form, b"--b\r\n\r\n\r\nx\r\n--b--"), Some(MultipartError::PartHead));
    assert_eq!(
        error(form, b"--b\r\nContent-Disposition: attachment; name=a\r\n\r\nx\r\n--b--"),
        Some(MultipartError::PartHead)
    );
    assert_eq!(error(form, b"--b--"), None);
    assert_eq!(error("multipart/form-data; charset=\"a;b\"; boundary=\"b\"", b"pre\r\n--b  \r\nContent-Disposition: form-data; name=a; filename=\"c\\\"d\"\r\n\r\n\r\n--b--\r\npost"), None);
    let many = b"--b\r\nContent-Disposition: form-data; name=a\r\n\r\nx\r\n".repeat(257);
    let many = Multipart::new(form, &many).unwrap().last().unwrap();
    assert_eq!(many, Err(MultipartError::TooManyParts));
}

#[test]
fn responses_of_other_servers_are_read() {
    let read = |text: &'static str| ResponseHead::parse(text.as_bytes());
    let (head, _) = read("HTTP/1.0 200\r\nServer: x\r\n\r\n").unwrap().unwrap();
    assert_eq!((head.keep_alive, head.framing(Method::Get)), (false, BodyFraming::Close));
    let (head, _) = read("HTTP/1.1 200 OK\nContent-Length: 3\n\nabc").unwrap().unwrap();
    assert_eq!(head.framing(Method::Get), BodyFraming::Length(3));
    assert_eq!(head.headers.get("content-length"), Some("3"));
    let (head, _) =
        read("HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\nContent-Length: 3\r\n\r\n").unwrap().unwrap();
    assert_eq!(head.framing(Method::Get), BodyFraming::Chunked);
    let (head, length) = read("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n").unwrap().unwrap();
    assert_eq!((head.framing(Method::Post), length), (BodyFraming::None, 25));
    for bad in [
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 3x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
        "HTTP/1.1 2x0 OK\r\n\r\n",
        "SSH-2.0-x\r\n\r\n",
    ] {
        assert!(read(bad).is_err(), "{bad:?}");
    }
}
