//! HTTP/1.1 as a client sees it.

use loadstone_http::{Method, MultipartWriter};

use crate::client::Client;
use crate::{each, each_that_may_block, eventually, start};

const HEAD: &str = "HTTP/1.1\r\nHost: test\r\n";

#[test]
fn a_connection_serves_many_requests() {
    each(|config| {
        let (server, _) = start(config);
        let mut client = Client::connect(server.address());
        for _ in 0..20 {
            let reply = client.get("/hello");
            assert_eq!((reply.status, reply.text(), reply.keep_alive), (200, "hello", true));
        }
        let counters = server.counters();
        assert_eq!((counters.accepted, counters.requests, counters.responses[1]), (1, 20, 20));
        assert!(counters.bytes_in > 20 * 30 && counters.bytes_out > 20 * 100, "{counters:?}");
    });
}

#[test]
fn old_and_closing_clients_are_closed() {
    each(|config| {
        let (server, _) = start(config);
        for request in [
            "GET /hello HTTP/1.0\r\n\r\n",
            "GET /hello HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n",
            "GET /close HTTP/1.1\r\nHost: test\r\n\r\n",
        ] {
            let mut client = Client::connect(server.address());
            client.send(request);
            let reply = client.reply();
            assert_eq!((reply.status, reply.keep_alive), (200, false), "{request}");
            client.assert_closed();
        }
        let mut client = Client::connect(server.address());
        for _ in 0..2 {
            client.send("GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
            assert!(client.reply().fields.contains("Connection: keep-alive"));
        }
    });
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    each(|config| {
        let (server, _) = start(config);
        let mut client = Client::connect(server.address());
        let requests: String = (0..100).map(|i| format!("GET /query?{i} {HEAD}\r\n")).collect();
        let (first, second) = requests.split_at(requests.len() * 2 / 3);
        client.send(first);
        client.send(second);
        for i in 0..100 {
            assert_eq!(client.reply().text(), i.to_string());
        }
    });
}

#[test]
fn any_split_of_the_input_gives_the_same_answers() {
    each(|config| {
        let (server, _) = start(config);
        let mut client = Client::connect(server.address());
        let requests = format!(
            "POST /echo {HEAD}Content-Length: 4\r\n\r\nabcd\
             POST /echo {HEAD}Transfer-Encoding: chunked\r\n\r\n2;x\r\nef\r\n1\r\ng\r\n0\r\n\r\n\
             GET /query?z {HEAD}\r\n"
        );
        for split in 1..requests.len() {
            client.send(&requests[..split]);
            client.send(&requests[split..]);
            let answers = [(); 3].map(|()| client.reply().text().to_owned());
            assert_eq!(answers, ["abcd", "efg", "z"], "split at {split}");
        }
    });
}

#[test]
fn bodies_arrive_whole() {
    each(|config| {
        let (server, _) = start(config);
        let mut client = Client::connect(server.address());
        let body: Vec<u8> = (0..3_000_000_u32).map(|i| (i % 251) as u8).collect();
        client.send(format!("POST /echo {HEAD}Content-Length: {}\r\n\r\n", body.len()));
        client.send(&body);
        assert!(client.reply().body == body);
        client.send(format!("POST /echo {HEAD}Transfer-Encoding: chunked\r\n\r\n"));
        for piece in body.chunks(70_001) {
            client.send(format!("{:x}\r\n", piece.len()));
            client.send(piece);
            client.send("\r\n");
        }
        client.send("0\r\nTrailer: x\r\n\r\n");
        assert!(client.reply().body == body);
        assert_eq!(client.get("/hello").text(), "hello");
    });
}

#[test]
fn a_form_with_files_is_read() {
    each(|config| {
        let (server, _) = start(config);
        let mut body = Vec::new();
        let mut form = MultipartWriter::new("b0undary", &mut body);
        form.field("title", "Jazz");
        form.file("image", "a \"b\".png", "image/png", &[0x89; 100_000]);
        form.finish();
        let mut client = Client::connect(server.address());
        client.send(format!(
            "POST /parts {HEAD}Content-Type: multipart/form-data; boundary=b0undary\r\nContent-Length: {}\r\n\r\n",
            body.len()
        ));
        client.send(&body);
        assert_eq!(client.reply().text(), "title None 4\nimage Some(\"a %22b%22.png\") 100000\n");
    });
}

#[test]
fn head_is_get_without_the_body() {
    each(|config| {
        let (server, _) = start(config);
        let mut client = Client::connect(server.address());
        let get = client.get("/hello");
        client.send(format!("HEAD /hello {HEAD}\r\n"));
        let head = client.reply_to(Method::Head);
        let undated = |fields: &str| fields.lines().filter(|l| !l.starts_with("Date")).collect::<String>();
        assert_eq!(undated(&head.fields), undated(&get.fields));
        assert!(head.body.is_empty());
        let none = client.get("/none");
        assert_eq!((none.status, none.fields.contains("Content-Length")), (204, false));
    });
}

#[test]
fn a_waiting_client_is_told_to_continue() {
    each(|config| {
        let (server, _) = start(config);
        let mut client = Client::connect(server.address());
        let head = format!("POST /echo {HEAD}Expect: 100-continue\r\nContent-Length: 3\r\n\r\n");
        for _ in 0..2 {
            client.send(&head);
            assert_eq!(client.reply().status, 100);
            client.send("ab");
            client.send("c");
            assert_eq!(client.reply().text(), "abc");
        }
        // A body that is there already needs no permission.
        client.send(format!("{head}xyz"));
        assert_eq!(client.reply().text(), "xyz");
        // The wait may begin behind a request that a worker answers.
        client.send(format!("GET /hello {HEAD}\r\n{head}"));
        assert_eq!([client.reply().status, client.reply().status], [200, 100]);
        client.send("abc");
        assert_eq!(client.reply().text(), "abc");
        assert_eq!(server.counters().responses[0], 3);
        client.send(format!("POST /echo {HEAD}Expect: 100-continue\r\nContent-Length: 99999999\r\n\r\n"));
        assert_eq!(client.reply().status, 413);
    });
}

#[test]
fn what_is_too_long_is_refused() {
    each(|config| {
        let (server, _) = start(config);
        let long = "x".repeat(20_000);
        let fields = "A: b\r\n".repeat(100);
        for (request, status) in [
            (format!("GET /{long} {HEAD}\r\n"), 414),
            (format!("GET / {HEAD}A: {long}\r\n\r\n"), 431),
            (format!("GET / {HEAD}{fields}\r\n"), 431),
            (format!("POST / {HEAD}Content-Length: 8388609\r\n\r\n"), 413),
            (format!("POST / {HEAD}Transfer-Encoding: chunked\r\n\r\n800001\r\nx"), 413),
        ] {
            let mut client = Client::connect(server.address());
            client.try_send(&request);
            let reply = client.reply();
            assert_eq!((reply.status, reply.keep_alive), (status, false));
            client.assert_closed();
        }
        assert_eq!(server.counters().bad_requests, 5);
        let mut client = Client::connect(server.address());
        let fields = "A: b\r\n".repeat(99);
        client.send(format!("GET /hello {HEAD}{fields}\r\n"));
        assert_eq!(client.reply().status, 200);
    });
}

#[test]
fn a_refused_upload_hears_why() {
    each(|config| {
        let (server, _) = start(config);
        let mut client = Client::connect(server.address());
        client.send(format!("POST /echo {HEAD}Content-Length: 99999999\r\n\r\n"));
        // Nothing of it is read by the application; the client sends all of it before it listens.
        let piece = vec![b'x'; 1 << 20];
        for _ in 0..40 {
            client.send(&piece);
        }
        assert_eq!(client.reply().status, 413);
    });
}

#[test]
fn what_follows_a_last_request_does_not_destroy_its_answer() {
    each(|config| {
        let (server, _) = start(config);
        for round in 0..20 {
            let mut client = Client::connect(server.address());
            client.send(format!(
                "GET /query?{round} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n\r\nmore"
            ));
            client.try_send(vec![b'x'; 100_000]);
            assert_eq!(client.reply().text(), round.to_string());
            client.assert_closed();
        }
    });
}

#[test]
fn bad_requests_are_refused_and_closed() {
    each(|config| {
        let (server, _) = start(config);
        for (request, status) in [
            ("GET / HTTP/1.1\r\n\r\n".to_owned(), 400),
            (format!("GET / {HEAD}Host: other\r\n\r\n"), 400),
            (format!("POST / {HEAD}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"), 400),
            (format!("POST / {HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n"), 400),
            (format!("POST / {HEAD}Transfer-Encoding: gzip\r\n\r\n"), 501),
            (format!("BREW / {HEAD}\r\n"), 501),
            ("GET / HTTP/3.0\r\nHost: test\r\n\r\n".to_owned(), 505),
            ("\x16\x03\x01\x02".to_owned(), 400),
        ] {
            let mut client = Client::connect(server.address());
            client.send(&request);
            // What follows must not be taken for another request, nor destroy the answer.
            client.try_send(format!("GET /hello {HEAD}\r\n"));
            let reply = client.reply();
            assert_eq!((reply.status, reply.keep_alive), (status, false), "{request:?}");
            client.assert_closed();
        }
        assert_eq!(server.counters().requests, 0);
    });
}

#[test]
fn good_requests_before_a_bad_one_are_answered() {
    each(|config| {
        let (server, _) = start(config);
        let mut client = Client::connect(server.address());
        client.send(format!("GET /query?1 {HEAD}\r\nGET /query?2 {HEAD}\r\nnonsense\r\n\r\n"));
        assert_eq!([client.reply().status, client.reply().status, client.reply().status], [200, 200, 400]);
        client.assert_closed();
    });
}

#[test]
fn a_half_closed_client_gets_its_answers() {
    each(|config| {
        let (server, _) = start(config);
        let mut client = Client::connect(server.address());
        client.send(format!("GET /query?1 {HEAD}\r\nPOST /echo {HEAD}Content-Length: 2\r\n\r\nab"));
        client.finish();
        assert_eq!([client.reply().text().to_owned(), client.reply().text().to_owned()], ["1", "ab"]);
        client.assert_closed();
        let mut client = Client::connect(server.address());
        client.send("GET /half HT");
        client.finish();
        client.assert_closed();
        eventually("both are closed", || server.counters().open_connections == 0);
    });
}

#[test]
fn clients_that_leave_are_forgotten() {
    each_that_may_block(|config| {
        let (server, app) = start(config);
        Client::connect(server.address()).get("/hello");
        let mut waiting = Client::connect(server.address());
        waiting.send(format!("GET /wait {HEAD}\r\n"));
        let mut reading = Client::connect(server.address());
        reading.send(format!("GET /big {HEAD}\r\n"));
        Client::connect(server.address()).send(format!("POST /echo {HEAD}Content-Length: 5\r\n\r\nab"));
        eventually("one is at the gate", || app.gate.waiting() == 1);
        eventually("one is read", || server.counters().responses[1] == 2);
        drop((waiting, reading));
        app.gate.open();
        eventually("all are gone", || server.counters().open_connections == 0);
        assert_eq!(server.counters().closed_by_timeout, 0);
    });
}
