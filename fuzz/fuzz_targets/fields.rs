//! Fields that choose what of a resource is sent, and how: `Range`, `If-…`, `Accept-Encoding`. Whatever they
//! hold, parts lie inside the resource and apart from each other, and rules that the standard sets hold
//! between the verdicts.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loadstone_http::{Headers, Method, Request, Validators, Verdict, Wanted};

const TAGS: [&str; 3] = ["\"a\"", "W/\"a\"", "\"a,b\""];

fuzz_target!(|input: (u64, u64, &[u8])| {
    let (length, modified_s, lines) = input;
    // Fields as the codec lets them through.
    if lines.contains(&0) || lines.windows(2).any(|pair| (pair[0] == b'\r') != (pair[1] == b'\n')) {
        return;
    }
    let headers = Headers::new(lines);
    if let Some(value) = headers.get_bytes("range") {
        let parts = match Wanted::read(value, length) {
            Wanted::Whole | Wanted::Unsatisfiable => vec![],
            Wanted::Part(part) => vec![part],
            Wanted::Parts(parts) => parts,
        };
        assert!(parts.len() <= 16 && parts.iter().all(|part| part.start < part.end && part.end <= length));
        assert!(parts.iter().map(|part| part.end - part.start).sum::<u64>() <= length);
    }
    let _ = Request { headers, ..Request::new(Method::Get, "/") }.accepts_gzip();
    for tag in TAGS {
        let page = Validators { etag: Some(tag), modified_s: Some(modified_s) };
        let verdict = |method| page.judge(&Request { headers, ..Request::new(method, "/") });
        let (get, put) = (verdict(Method::Get), verdict(Method::Put));
        assert_eq!(get, verdict(Method::Head));
        // Who may not read what was asked for may not write it either, and only a read is ever `NotModified`.
        assert_ne!(put, Verdict::NotModified);
        assert!(get != Verdict::Failed || put == Verdict::Failed);
        let request = Request { headers, ..Request::new(Method::Get, "/") };
        assert!(page.allow_range(&request) || headers.get_bytes("if-range").is_some());
        assert!(
            !(tag.starts_with("W/") && headers.get_bytes("if-range").is_some() && page.allow_range(&request))
        );
    }
});
