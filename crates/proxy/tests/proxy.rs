//! The proxy behind every connector, in front of servers that answer in every way HTTP has.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use loadstone_container::{Config, Connector, Server};
use loadstone_http::{Body, Method, Produce, Request, Response, Service};
use loadstone_proxy::Proxy;

/// A server that gives each connection the answers in `script`, one for each request, and closes behind the
/// last.
fn scripted(connections: Vec<Vec<&'static [u8]>>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for script in connections {
            let (mut stream, _) = listener.accept().unwrap();
            for answer in script {
                let mut head = Vec::new();
                let mut byte = [0];
                while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap() == 1 {
                    head.push(byte[0]);
                }
                assert!(head.starts_with(b"GET /a/b?c=d HTTP/1.1\r\nHost: 127.0.0.1:"), "{head:?}");
                // In two pieces: the proxy must put them together.
                let (first, second) = answer.split_at(answer.len() / 2);
                stream.write_all(first).unwrap();
                thread::sleep(Duration::from_millis(2));
                stream.write_all(second).unwrap();
            }
        }
    });
    address
}

fn asked(handler: &mut Box<dyn loadstone_http::Handler>) -> (u16, Option<String>, Vec<u8>) {
    let mut response = Response::new();
    handler.handle(&Request::new(Method::Get, "/a/b?c=d"), &mut response);
    let media_type = response.get("content-type").map(String::from);
    let mut body = response.body.as_slice().to_vec();
    if let Body::Stream(stream) = &mut response.body {
        while stream.produce(&mut body).unwrap() {}
    }
    (response.status, media_type, body)
}

#[test]
fn every_framing_and_a_connection_that_was_closed_meanwhile() {
    let length: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/x\r\nContent-Length: 5\r\n\r\nhello";
    let chunked: &[u8] =
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404 No\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n";
    let close: &[u8] = b"HTTP/1.1 200 OK\r\n\r\nhello";
    let empty: &[u8] = b"HTTP/1.1 204 No\r\n\r\n";
    // The first connection takes three requests, and is gone when the fourth is sent.
    let address = scripted(vec![vec![length, chunked, empty], vec![close], vec![length]]);
    let mut handler = Proxy::new(&format!("http://{address}")).unwrap().handler().unwrap();
    assert_eq!(asked(&mut handler), (200, Some("text/x".into()), b"hello".to_vec()));
    assert_eq!(asked(&mut handler), (404, None, b"hello".to_vec()));
    assert_eq!(asked(&mut handler), (204, None, Vec::new()));
    assert_eq!(asked(&mut handler), (200, None, b"hello".to_vec()));
    assert_eq!(asked(&mut handler).2, b"hello");
}

#[test]
fn what_goes_wrong_behind_it_is_502() {
    let answers: [&[u8]; 3] =
        [b"SMTP ready\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", b"HTTP/1.1 200"];
    for answer in answers {
        let address = scripted(vec![vec![answer]]);
        let mut handler = Proxy::new(&format!("http://{address}/")).unwrap().handler().unwrap();
        assert_eq!(asked(&mut handler).0, 502, "{}", String::from_utf8_lossy(answer));
    }
    let unused = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut handler = Proxy::new(&format!("http://{unused}")).unwrap().handler().unwrap();
    assert_eq!(asked(&mut handler).0, 502);
}

#[test]
fn an_answer_of_unknown_length_is_passed_on_as_it_comes() {
    let answer: &[u8] = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
    let cut: &[u8] = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n";
    for connector in Connector::ALL {
        for (answer, whole) in [(answer, true), (cut, false)] {
            let proxy = Proxy::new(&format!("http://{}", scripted(vec![vec![answer]]))).unwrap();
            let config = Config {
                address: "127.0.0.1:0".parse().unwrap(),
                connector,
                workers: 1,
                ..Config::default()
            };
            let server = Server::start(config, Arc::new(proxy)).unwrap();
            let mut stream = TcpStream::connect(server.address()).unwrap();
            write!(stream, "GET /a/b?c=d HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
            let mut said = Vec::new();
            let in_order = stream.read_to_end(&mut said).is_ok();
            let ends = said.ends_with(b"5\r\nhello\r\n0\r\n\r\n");
            assert_eq!((in_order, ends), (whole, whole), "{}", connector.name());
        }
    }
}

#[test]
fn only_reading_is_passed_on() {
    let mut handler = Proxy::new("http://127.0.0.1:1").unwrap().handler().unwrap();
    let mut response = Response::new();
    handler.handle(&Request::new(Method::Post, "/"), &mut response);
    assert_eq!((response.status, response.get("allow")), (405, Some("GET, HEAD")));
}

#[test]
fn a_url_of_something_else_is_refused() {
    for url in ["127.0.0.1:9000", "https://a.example", "http://", "http://a b", "http://u@h:1", "http://h/p"]
    {
        assert!(Proxy::new(url).unwrap_err().contains("not the URL of a server"), "{url}");
    }
    assert!(Proxy::new("http://[::1]").is_ok());
}

#[test]
fn no_connector_changes_what_is_passed_back() {
    for connector in Connector::ALL {
        let answer: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/x\r\nContent-Length: 5\r\n\r\nhello";
        // One worker has one connection: it is kept from request to request.
        let behind = scripted(vec![vec![answer, answer]]);
        let config =
            Config { address: "127.0.0.1:0".parse().unwrap(), connector, workers: 1, ..Config::default() };
        let proxy = Proxy::new(&format!("http://{behind}")).unwrap();
        let server = Server::start(config, Arc::new(proxy)).unwrap();
        let mut stream = TcpStream::connect(server.address()).unwrap();
        for end in ["", "Connection: close\r\n"] {
            write!(stream, "GET /a/b?c=d HTTP/1.1\r\nHost: x\r\n{end}\r\n").unwrap();
        }
        let mut said = String::new();
        stream.read_to_string(&mut said).unwrap();
        assert_eq!(said.matches("HTTP/1.1 200 OK\r\n").count(), 2, "{} {said}", connector.name());
        assert_eq!(said.matches("Content-Type: text/x\r\n").count(), 2, "{} {said}", connector.name());
        assert!(said.ends_with("\r\n\r\nhello"), "{} {said}", connector.name());
    }
}
