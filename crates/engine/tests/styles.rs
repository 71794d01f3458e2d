//! What style sheets and styles of the page refer to is fetched as a part of it, within bounds.

mod support;

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use loadstone_engine::MOST_REFERENCES;
use serde_json::{Value as Json, json};
use support::{Reply, Server, answer, get, operation, page, plan, run};

fn sheet(text: &str) -> Reply {
    answer(200, "Content-Type: text/css; charset=utf-8\r\n", text)
}

/// One visit of `/site/page` by a browser that looks at style sheets.
fn visit(port: u16, connections: u32) -> Json {
    let mut plan =
        plan(port, 60.0, json!([operation("Page", json!([get("/site/page", json!({"page": true}))]))]));
    plan["browser"]["styles"] = json!(true);
    plan["browser"]["connections"] = json!(connections);
    plan["load"]["operations"] = json!(1);
    plan["load"]["timeout_s"] = json!(30);
    plan
}

fn site() -> Server {
    Server::start(|request| match request.path.as_str() {
        "/site/page" => page("<link rel=stylesheet href=css/a.css><img src=/site/own.png>"),
        "/site/css/a.css" => sheet(
            "@import '/b.css?v=1'; @import url(a.css); p{background:url(../own.png)} \
             q{background:url('img/q.png')} r{background:url(data:image/png;base64,AA)}",
        ),
        "/b.css?v=1" => answer(302, "Location: /c/moved.css\r\n", ""),
        "/c/moved.css" => {
            let mut packed = GzEncoder::new(Vec::new(), Compression::default());
            packed.write_all(b"@font-face{src:url(f.woff2)}").unwrap();
            let body = packed.finish().unwrap();
            let length = body.len();
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: text/css\r\nContent-Encoding: gzip\r\nContent-Length: {length}\r\n\r\n"
            );
            Reply::Send(vec![[head.into_bytes(), body].concat()])
        }
        _ => answer(200, "", "xy"),
    })
}

#[test]
fn imports_images_and_fonts_are_fetched_once_each() {
    for connections in [1, 6] {
        let server = site();
        let outcome = run(visit(server.port, connections));
        assert_eq!((outcome.ok(0), outcome.failures()), (1, vec![]));
        let mut paths = server.paths();
        paths.sort();
        let expected = [
            "/b.css?v=1",
            "/c/f.woff2",
            "/c/moved.css",
            "/site/css/a.css",
            "/site/css/img/q.png",
            "/site/own.png",
            "/site/page",
        ];
        assert_eq!(paths, expected.map(|path| format!("GET {path}")));
        // The files of the sheets are a part of the step's files.
        let parts: u64 = outcome.of(0).flat_map(|o| &o.steps).map(|s| s.files.count.len() as u64).sum();
        assert_eq!(parts, 1);
    }
}

#[test]
fn sheets_are_not_looked_at_unless_asked_for() {
    let server = site();
    let mut plan = visit(server.port, 6);
    plan["browser"]["styles"] = json!(false);
    assert_eq!(run(plan).ok(0), 1);
    assert_eq!(server.requests().len(), 3);
}

/// A page with styles of its own, whose addresses are escaped in each way that there is.
fn styled() -> Server {
    Server::start(|request| match request.path.as_str() {
        "/site/page" => page(
            r#"<style>@import "a\2e css"; p{background:url(p\ q.png)} q{mask:url(#m)}</style>
            <img src=/own.png style="background:url(&quot;r&amp;s.png&quot;)"><b style='background:url(/own.png)'>
            <script>"<style>a{background:url(/no.png)}</style>"</script><style type=text/less>@import '/no';</style>
            <i style="@import '/no'; background:url(\e9.png)"></i><style>@import url(//elsewhere/b.css);</style>"#,
        ),
        "/site/a.css" => sheet("@font-face{src:url('f\\.woff2')}"),
        _ => answer(200, "", "xy"),
    })
}

#[test]
fn the_page_s_own_styles_are_looked_at_after_what_it_refers_to() {
    for connections in [1, 6] {
        let server = styled();
        let outcome = run(visit(server.port, connections));
        assert_eq!((outcome.ok(0), outcome.failures()), (1, vec![]));
        let mut paths = server.paths();
        if connections == 1 {
            assert_eq!(paths[1], "GET /own.png");
        }
        paths.sort();
        let expected = ["/own.png", "/site/%C3%A9.png", "/site/a.css", "/site/f.woff2", "/site/p%20q.png"];
        let expected = expected.into_iter().chain(["/site/page", "/site/r&s.png"]);
        assert_eq!(paths, expected.map(|path| format!("GET {path}")).collect::<Vec<_>>());
        assert_eq!(outcome.counter(0, "references_other_host"), 1);
    }
}

#[test]
fn the_page_s_own_styles_are_not_looked_at_unless_asked_for() {
    let server = styled();
    let mut plan = visit(server.port, 6);
    plan["browser"]["styles"] = json!(false);
    let outcome = run(plan);
    assert_eq!((outcome.ok(0), outcome.counter(0, "references_other_host")), (1, 0));
    assert_eq!(server.paths(), ["GET /site/page", "GET /own.png"]);
}

#[test]
fn styles_with_too_much_are_read_within_the_bounds_of_a_page() {
    let server = Server::start(|request| match request.path.as_str() {
        "/site/page" => {
            let one = |n| format!("<style>@import '/{n}.css';</style><b style='background:url(/{n}.png)'>");
            page(&(0..3_000).map(one).collect::<String>())
        }
        _ => answer(200, "", "xy"),
    });
    let outcome = run(visit(server.port, 6));
    assert_eq!((outcome.ok(0), outcome.failures()), (1, vec![]));
    let (asked, left_out) = (server.requests().len(), outcome.counter(0, "references_left_out"));
    assert_eq!((asked, left_out), (1 + MOST_REFERENCES, 6_000 - MOST_REFERENCES as u64));
}

#[test]
fn what_is_no_style_sheet_is_not_looked_at() {
    let server = Server::start(|request| match request.path.as_str() {
        "/site/page" => page("<link rel=stylesheet href=/a.css>"),
        _ => page("<p>url(/no.png)"),
    });
    assert_eq!(run(visit(server.port, 6)).ok(0), 1);
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn sheets_that_import_one_another_without_an_end_fail_the_page() {
    let server = Server::start(|request| match request.path.as_str() {
        "/site/page" => page("<link rel=stylesheet href=/0.css>"),
        path => {
            let number: u32 = path.trim_start_matches('/').trim_end_matches(".css").parse().unwrap();
            sheet(&format!("@import '/{}.css';", number + 1))
        }
    });
    let outcome = run(visit(server.port, 6));
    assert_eq!((outcome.ok(0), outcome.failures()), (0, vec![("marker", 1)]));
    let said = &outcome.summary.examples[0].said;
    assert_eq!(said, "GET /9.css: style sheets import one another more than 10 deep");
    assert_eq!(server.requests().len(), 11);
}

#[test]
fn sheets_with_too_much_are_read_within_the_bounds_of_a_page() {
    let server = Server::start(|request| match request.path.as_str() {
        "/site/page" => page("<link rel=stylesheet href=/a.css><link rel=stylesheet href=/b.css>"),
        path if path.ends_with(".css") => {
            let images = (0..3_000).map(|n| format!("a{{background:url({path}/{n}.png)}}"));
            sheet(&images.collect::<String>())
        }
        _ => answer(200, "", "xy"),
    });
    let outcome = run(visit(server.port, 6));
    assert_eq!((outcome.ok(0), outcome.failures()), (1, vec![]));
    let (asked, left_out) = (server.requests().len(), outcome.counter(0, "references_left_out"));
    assert_eq!((asked, left_out), (1 + 4_096, 6_002 - 4_096));
}

#[test]
fn a_sheet_whose_coding_is_broken_fails_the_page() {
    let server = Server::start(|request| match request.path.as_str() {
        "/site/page" => page("<link rel=stylesheet href=/a.css>"),
        _ => answer(200, "Content-Type: text/css\r\nContent-Encoding: gzip\r\n", "not gzip"),
    });
    let outcome = run(visit(server.port, 6));
    assert_eq!(outcome.failures(), vec![("marker", 1)]);
    assert_eq!(outcome.summary.examples[0].said, "GET /a.css: the body is not whole, valid gzip");
}

#[test]
fn a_page_of_a_thousand_images_is_fetched_whole() {
    let server = Server::start(|request| match request.path.as_str() {
        "/site/page" => page(
            &(0..1_000).map(|n| format!("<img src=/{n}.png srcset='/big{n}.png 2x'>")).collect::<String>(),
        ),
        _ => answer(200, "", "xy"),
    });
    let mut plan = visit(server.port, 6);
    plan["browser"]["density"] = json!(2.0);
    let outcome = run(plan);
    assert_eq!((outcome.ok(0), outcome.counter(0, "images")), (1, 1_000));
    assert!(server.paths().iter().all(|path| path == "GET /site/page" || path.starts_with("GET /big")));
}
