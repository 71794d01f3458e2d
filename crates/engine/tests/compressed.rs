//! Compressed answers: asked for as browsers do, looked at decompressed, counted as they came.

mod support;

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value as Json, json};
use support::{Outcome, Reply, Seen, Server, answer, get, operation, plan, run};

const PAGE: &str =
    "<html><a href=/offers/7></a><img src=/i.png><input type=hidden name=token value=abc>Welcome";

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(6));
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// An answer with a content coding, in about this many pieces.
fn coded(status: u16, coding: &str, body: &[u8], pieces: usize) -> Reply {
    let head = format!(
        "HTTP/1.1 {status} X\r\nContent-Encoding: {coding}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let whole = [head.as_bytes(), body].concat();
    Reply::Send(whole.chunks(whole.len().div_ceil(pieces)).map(<[u8]>::to_vec).collect())
}

/// Operations of these steps, five in all.
fn five(server: &Server, steps: Json, compressed: bool) -> Outcome {
    let mut plan = plan(server.port, 600.0, json!([operation("op", steps)]));
    plan["load"]["operations"] = json!(5);
    plan["load"]["timeout_s"] = json!(300);
    plan["browser"]["compressed"] = json!(compressed);
    run(plan)
}

/// Requests as a server sees them that compresses its page for those who ask for it, and what came of them.
fn visit(compressed: bool, pieces: usize, steps: Json) -> (Vec<Seen>, Outcome) {
    let server = Server::start(move |request: &Seen| {
        let takes = request.field("accept-encoding").is_some_and(|value| value.contains("gzip"));
        let text = PAGE.repeat(50);
        if takes { coded(200, "gzip", &gzip(text.as_bytes()), pieces) } else { answer(200, "", &text) }
    });
    let outcome = five(&server, steps, compressed);
    assert_eq!((outcome.ok(0), outcome.failures()), (5, Vec::new()));
    (server.requests(), outcome)
}

#[test]
fn what_is_found_in_an_answer_does_not_depend_on_its_coding() {
    let steps = || {
        json!([
            get(
                "/",
                json!({"page": true, "expect": {"status": [200], "contains": ["Welcome"], "min_bytes": 4000},
                "extract": [
                    {"name": "token", "from": {"kind": "hidden", "field": "token"}},
                    {"name": "offers", "from": {"kind": "links", "pattern": "/offers/{int}"}}]})
            ),
            get("/next/{token}", json!({})),
        ])
    };
    let walked = |compressed, pieces| {
        let (seen, outcome) = visit(compressed, pieces, steps());
        let paths: Vec<String> = seen.into_iter().map(|request| request.path).collect();
        (paths, outcome.counter(0, "image_refs"))
    };
    let plain = walked(false, 1);
    assert!(plain.0.contains(&"/i.png".into()) && plain.0.contains(&"/next/abc".into()), "{plain:?}");
    assert_eq!(walked(true, 1), plain);
    assert_eq!(walked(true, 7), plain);
}

#[test]
fn bytes_of_the_wire_and_of_the_content_are_counted_apart() {
    let looks = || json!([get("/", json!({"expect": {"status": [200], "contains": ["Welcome"]}}))]);
    let (seen, outcome) = visit(true, 1, looks());
    assert_eq!(seen[0].field("accept-encoding"), Some("gzip, deflate, br, zstd"));
    let (plain, packed) = (PAGE.len() as u64 * 50, gzip(PAGE.repeat(50).as_bytes()).len() as u64);
    assert!(packed * 10 < plain);
    let counted = |outcome: &Outcome| {
        ["compressed", "body_bytes", "content_bytes"].map(|name| outcome.counter(0, name))
    };
    assert_eq!(counted(&outcome), [5, 5 * packed, 5 * plain]);
    assert!(outcome.counter(0, "bytes_in") < 5 * (packed + 200), "bytes_in is what the wire carried");
    // Nobody looks: nothing is decompressed, and the length is that of the wire.
    let (_, unseen) = visit(true, 1, json!([get("/", json!({}))]));
    assert_eq!(counted(&unseen), [5, 5 * packed, 5 * packed]);
    let (seen, off) = visit(false, 1, looks());
    assert_eq!((seen[0].field("accept-encoding"), counted(&off)), (None, [0, 5 * plain, 5 * plain]));
}

#[test]
fn a_step_may_name_its_own_codings() {
    let (seen, _) = visit(true, 1, json!([get("/", json!({"headers": [["accept-encoding", "zstd"]]}))]));
    let all: Vec<&str> =
        seen[0].fields.iter().filter(|(n, _)| n == "accept-encoding").map(|(_, v)| v.as_str()).collect();
    assert_eq!(all, ["zstd"]);
}

#[test]
fn the_least_length_of_a_body_is_that_of_its_content() {
    visit(true, 5, json!([get("/", json!({"expect": {"status": [200], "min_bytes": PAGE.len() * 50}}))]));
}

/// The first failure of a step that looks at its answer.
fn failure(reply: impl Fn() -> Reply + Send + Sync + 'static) -> (&'static str, String) {
    let server = Server::start(move |_| reply());
    let step = get("/", json!({"expect": {"status": [200], "contains": ["Welcome"]}}));
    let outcome = five(&server, json!([step]), true);
    assert_eq!(outcome.ok(0), 0);
    (outcome.failures()[0].0, outcome.summary.examples[0].said.clone())
}

#[test]
fn hostile_bodies_are_failures_with_their_cause() {
    let bomb = gzip(&vec![b'x'; (64 << 20) + 1]);
    let cut = gzip(PAGE.as_bytes());
    let cut = cut[..cut.len() - 9].to_vec();
    for (coding, status, body, cause, said) in [
        ("gzip", 200, bomb, "marker", "the body, decompressed, is larger than 64 MiB"),
        ("gzip", 200, cut.clone(), "marker", "the body is not whole, valid gzip"),
        ("compress", 200, cut.clone(), "marker", "a content coding other than"),
        // The status tells more than a body that cannot be read.
        ("gzip", 500, cut, "status", "status 500, expected 200"),
    ] {
        let (found, example) = failure(move || coded(status, coding, &body, 1));
        assert!(found == cause && example.contains(said), "{coding} {status}: {found}: {example}");
    }
}
