//! The site behind every connector: the same bytes, of the right length.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use loadstone_container::{Config, Connector, Server};
use loadstone_surge::{FileSet, Profile, Surge};

const FILES: u32 = 300;

fn start(connector: Connector) -> Server {
    let config = Config { address: "127.0.0.1:0".parse().unwrap(), connector, ..Config::default() };
    Server::start(config, Arc::new(Surge::new(&Profile::MEASURED, FILES, 3).unwrap())).unwrap()
}

/// Status line, head and body of the answer.
fn ask(address: SocketAddr, request: &str) -> (String, String, Vec<u8>) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream.write_all(format!("{request}Host: x\r\nConnection: close\r\n\r\n").as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    let head = String::from_utf8(answer[..end].to_vec()).unwrap();
    let (status, fields) = head.split_once("\r\n").unwrap();
    (status.into(), fields.into(), answer[end + 4..].to_vec())
}

fn get(address: SocketAddr, path: &str) -> (String, String, Vec<u8>) {
    ask(address, &format!("GET {path} HTTP/1.1\r\n"))
}

#[test]
fn every_file_has_its_size_and_pages_name_their_objects() {
    let set = FileSet::generate(&Profile::MEASURED, FILES, 3).unwrap();
    for connector in Connector::ALL {
        let server = start(connector);
        for rank in 1..=set.documents() {
            let (size, references) = set.document(rank).unwrap();
            let (status, _, body) = get(server.address(), &format!("/d/{rank}"));
            assert_eq!((status.as_str(), body.len()), ("HTTP/1.1 200 OK", size as usize), "{rank}");
            let text = String::from_utf8(body).unwrap();
            let named: Vec<String> =
                references.iter().map(|number| format!("<img src=/o/{number}>")).collect();
            assert!(named.iter().all(|one| text.contains(one)));
            assert_eq!(text.matches("<img").count(), references.len());
        }
        for number in 1..=set.objects() {
            let (status, _, body) = get(server.address(), &format!("/o/{number}"));
            assert_eq!(
                (status.as_str(), body.len()),
                ("HTTP/1.1 200 OK", set.object(number).unwrap() as usize)
            );
            assert!(body.starts_with(b"GIF89a"));
        }
    }
}

#[test]
fn connectors_answer_alike() {
    let requests = [
        "GET / HTTP/1.1\r\n",
        "GET /d/1 HTTP/1.1\r\n",
        "GET /d/1?x=y HTTP/1.1\r\n",
        "HEAD /d/1 HTTP/1.1\r\n",
        "GET /o/1 HTTP/1.1\r\n",
        "GET /d/0 HTTP/1.1\r\n",
        "GET /d/100000 HTTP/1.1\r\n",
        "GET /o/100000 HTTP/1.1\r\n",
        "GET /d/%31 HTTP/1.1\r\n",
        "DELETE /d/1 HTTP/1.1\r\n",
        "GET /d/1 HTTP/1.1\r\nIf-Modified-Since: Thu, 01 Jan 1998 00:00:00 GMT\r\n",
    ];
    let servers = Connector::ALL.map(start);
    for request in requests {
        let without_date = |(status, fields, body): (String, String, Vec<u8>)| {
            let fields: Vec<String> =
                fields.lines().filter(|f| !f.starts_with("Date")).map(Into::into).collect();
            (status, fields, body)
        };
        let answers = servers.each_ref().map(|server| without_date(ask(server.address(), request)));
        assert!(answers.iter().all(|answer| *answer == answers[0]), "{request}: {answers:?}");
    }
}

#[test]
fn what_the_client_has_is_not_sent_again() {
    let server = start(Connector::Hybrid);
    let ask_with =
        |path: &str, field: &str| ask(server.address(), &format!("GET {path} HTTP/1.1\r\n{field}\r\n"));
    let (_, fields, _) = get(server.address(), "/d/2");
    let field = |name: &str| fields.lines().find_map(|line| line.strip_prefix(name)).unwrap().to_owned();
    let tag = field("ETag: ");
    for validator in [
        format!("If-None-Match: {tag}"),
        format!("If-None-Match: \"other\", W/{tag}"),
        "If-None-Match: *".into(),
        format!("If-Modified-Since: {}", field("Last-Modified: ")),
        "If-Modified-Since: Fri, 02 Jan 1998 00:00:00 GMT".into(),
    ] {
        let (status, _, body) = ask_with("/d/2", &validator);
        assert_eq!((status.as_str(), body.len()), ("HTTP/1.1 304 Not Modified", 0), "{validator}");
    }
    for validator in [
        "If-None-Match: \"other\"".to_owned(),
        // An entity tag that does not match outweighs a date that does (RFC 9110 §13.1.3).
        format!("If-None-Match: \"other\"\r\nIf-Modified-Since: {}", field("Last-Modified: ")),
        "If-Modified-Since: Wed, 31 Dec 1997 23:59:59 GMT".into(),
        "If-Modified-Since: lately".into(),
    ] {
        assert_eq!(ask_with("/d/2", &validator).0, "HTTP/1.1 200 OK", "{validator}");
    }
    assert_eq!(ask_with("/o/2", &format!("If-None-Match: {tag}")).0, "HTTP/1.1 200 OK", "another file's");
    assert_eq!(ask_with("/d/100000", "If-None-Match: *").0, "HTTP/1.1 404 Not Found");
}
