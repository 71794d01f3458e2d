//! WebSockets in a session: what is sent, heard, passed over, and what a server may not do.

mod support;

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use loadstone_engine::Run;
use serde_json::{Value as Json, json};
use support::{Outcome, get, operation, plan, run};
use tungstenite::handshake::derive_accept_key;
use tungstenite::protocol::frame::coding::{CloseCode, Data, OpCode};
use tungstenite::protocol::frame::{CloseFrame, Frame};
use tungstenite::{Message, WebSocket};

/// A server that does so with each connection, on a port of its own.
fn serve(script: impl Fn(TcpStream) + Send + Sync + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let script = Arc::new(script);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (script, stream) = (script.clone(), stream.unwrap());
            std::thread::spawn(move || script(stream));
        }
    });
    port
}

/// The same after a right handshake.
fn talk(script: impl Fn(&mut WebSocket<TcpStream>) + Send + Sync + 'static) -> u16 {
    serve(move |stream| {
        if let Ok(mut socket) = tungstenite::accept(stream) {
            script(&mut socket);
        }
    })
}

/// The same, and the script writes bytes of its own.
fn raw(script: impl Fn(&mut TcpStream) + Send + Sync + 'static) -> u16 {
    serve(move |mut stream| {
        let key = ask(&mut stream);
        let accept = derive_accept_key(key.as_bytes());
        let head = format!(
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        script(&mut stream);
    })
}

/// The key of a request.
fn ask(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap();
    let key = head.lines().find_map(|line| line.strip_prefix("Sec-WebSocket-Key: ")).unwrap();
    key.to_owned()
}

fn open() -> Json {
    get("/chat", json!({"socket": {"kind": "open"}}))
}

fn send(text: &str, expected: &str) -> Json {
    get(
        "/",
        json!({
            "socket": {"kind": "send", "binary": false},
            "body": {"kind": "raw", "content_type": "text/plain", "text": text},
            "expect": {"status": [200], "contains": if expected.is_empty() { json!([]) } else { json!([expected]) }, "lacks": [], "min_bytes": 0},
        }),
    )
}

fn close() -> Json {
    get("/", json!({"socket": {"kind": "close", "code": 1000}}))
}

fn visits(port: u16, operations: u32, steps: Json) -> Json {
    let mut plan = plan(port, 60.0, json!([operation("Talk", steps)]));
    plan["load"]["operations"] = json!(operations);
    plan["load"]["timeout_s"] = json!(30);
    plan
}

fn said(outcome: &Outcome) -> &str {
    &outcome.summary.examples[0].said
}

#[test]
fn an_echo_is_timed_pings_are_answered_and_the_end_is_in_order() {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let log = heard.clone();
    let port = talk(move |socket| {
        while let Ok(message) = socket.read() {
            log.lock().unwrap().push(message.clone());
            if let Message::Text(text) = message {
                socket.send(Message::Ping("are you there".into())).unwrap();
                // In three frames, with a ping between them.
                let text = format!("you said {text}");
                let (first, rest) = text.split_at(3);
                let frame = |text: &str, kind, last| {
                    Message::Frame(Frame::message(text.as_bytes().to_vec(), OpCode::Data(kind), last))
                };
                socket.write(frame(first, Data::Text, false)).unwrap();
                socket.write(Message::Ping("still".into())).unwrap();
                socket.write(frame(rest, Data::Continue, false)).unwrap();
                socket.send(frame("", Data::Continue, true)).unwrap();
            }
        }
    });
    let steps = json!([open(), send("hello {user}", "you said hello 0"), send("again", "again"), close()]);
    let outcome = run(visits(port, 3, steps));
    assert_eq!((outcome.ok(0), outcome.failures()), (3, vec![]));
    assert_eq!(outcome.counter(0, "requests"), 12);
    let times: Vec<u32> = outcome.of(0).flat_map(|o| &o.steps).map(|step| step.step).collect();
    assert!((0..4).all(|step| times.contains(&step)), "each step has its time: {times:?}");
    // Only the request for the WebSocket has an answer that begins.
    let mut answered = outcome.of(0).flat_map(|o| &o.steps).filter(|step| !step.first_byte.is_empty());
    assert!(answered.all(|step| step.step == 0));
    assert_eq!(outcome.times(0, |o| &o.first_byte).count(), 3);
    let heard = heard.lock().unwrap();
    let count = |wanted: fn(&Message) -> bool| heard.iter().filter(|one| wanted(one)).count();
    assert_eq!(count(|one| matches!(one, Message::Text(_))), 6);
    assert_eq!(count(|one| matches!(one, Message::Pong(_))), 12, "each ping has its pong");
    assert_eq!(count(|one| matches!(one, Message::Close(Some(frame)) if frame.code == CloseCode::Normal)), 3);
    assert!(heard.contains(&Message::Pong("are you there".into())));
}

#[test]
fn other_messages_are_passed_over_and_what_came_before_is_no_answer() {
    let port = talk(|socket| {
        socket.send(Message::text("echo one: from before")).unwrap();
        while let Ok(message) = socket.read() {
            if let Message::Binary(bytes) = message {
                socket.send(Message::text("somebody joined")).unwrap();
                let echo = [b"echo ".to_vec(), bytes.to_vec()].concat();
                socket.send(Message::Binary(echo.into())).unwrap();
            }
        }
    });
    let mut one = send("one", "echo one");
    one["socket"]["binary"] = json!(true);
    one["expect"]["lacks"] = json!(["from before"]);
    one["extract"] = json!([{"name": "word", "from": {"kind": "regex", "pattern": "echo ([a-z]+)"}}]);
    let mut two = send("{word} and two", "echo one and two");
    two["socket"]["binary"] = json!(true);
    let outcome = run(visits(port, 2, json!([open(), one, two])));
    assert_eq!((outcome.ok(0), outcome.failures()), (2, vec![]));
}

#[test]
fn a_message_may_be_awaited_without_one_that_is_sent() {
    let port = talk(|socket| {
        for word in ["welcome", "news"] {
            socket.send(Message::text(word)).unwrap();
        }
        while socket.read().is_ok() {}
    });
    let receive = |text: &str| {
        let mut step = send("", text);
        step["socket"] = json!({"kind": "receive"});
        step
    };
    let outcome = run(visits(port, 2, json!([open(), receive("welcome"), receive("news"), send("bye", "")])));
    assert_eq!((outcome.ok(0), outcome.failures()), (2, vec![]));
}

#[test]
fn a_socket_stays_for_the_session() {
    let port = talk(|socket| {
        while let Ok(message) = socket.read() {
            let _ = socket.send(message);
        }
    });
    let mut plan = plan(
        port,
        60.0,
        json!([operation("Join", json!([open()])), operation("Say", json!([send("x", "x")]))]),
    );
    plan["load"]["operations"] = json!(6);
    plan["load"]["timeout_s"] = json!(30);
    plan["mix"] = json!({"Join": {"Say": 1}, "Say": {"Say": 1}});
    let outcome = run(plan);
    assert_eq!((outcome.ok(0), outcome.ok(1), outcome.failures()), (1, 5, vec![]));
    assert_eq!(outcome.windows.iter().map(|w| w.connects).sum::<u64>(), 1);
}

#[test]
fn what_a_server_may_not_do_is_told() {
    let frame = |bytes: &'static [u8]| {
        raw(move |stream| {
            let _ = stream.write_all(bytes);
            std::thread::sleep(Duration::from_secs(60));
        })
    };
    let closing = |code: u16| {
        talk(move |socket| {
            let _ = socket.read();
            let _ = socket.close(Some(CloseFrame { code: code.into(), reason: "too many".into() }));
            while socket.read().is_ok() {}
        })
    };
    let refusing = |answer: &'static str| {
        serve(move |mut stream| {
            ask(&mut stream);
            let _ = stream.write_all(answer.as_bytes());
            std::thread::sleep(Duration::from_secs(60));
        })
    };
    // It takes what it is sent until then, or its end is a reset.
    let cut = raw(|stream| {
        stream.write_all(b"\x81\x05ab").unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let _ = stream.read_to_end(&mut Vec::new());
    });
    let right = "HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n";
    for (port, cause, wanted) in [
        (refusing("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n"), "status", "status 403, expected 101"),
        (refusing("HTTP/1.1 101 X\r\n\r\n"), "websocket", "the answer does not say `Upgrade: websocket`"),
        (
            refusing(Box::leak(format!("{right}Sec-WebSocket-Accept: x\r\n\r\n").into_boxed_str())),
            "websocket",
            "Sec-WebSocket-Accept does not fit the key",
        ),
        (frame(b"\x81\x81abcdx"), "websocket", "broke the rules of WebSocket"),
        (frame(b"\xf1\x01x"), "websocket", "broke the rules of WebSocket"),
        (frame(b"\x80\x01x"), "websocket", "broke the rules of WebSocket"),
        (frame(b"\x81\x02\xff\xff"), "websocket", "a text message is not UTF-8"),
        (frame(b"\x82\x7f\x00\x00\x00\xff\x00\x00\x00\x00"), "websocket", "a message is longer than 16 MiB"),
        (closing(1013), "websocket", "the server closed the WebSocket with 1013 (too many)"),
        (cut, "closed", "without closing the WebSocket"),
    ] {
        let outcome = run(visits(port, 2, json!([open(), send("x", "never")])));
        assert_eq!(
            (outcome.ok(0), outcome.failures()),
            (0, vec![(cause, 2)]),
            "{wanted}: {}",
            said(&outcome)
        );
        assert!(said(&outcome).contains(wanted), "{}", said(&outcome));
    }
}

#[test]
fn an_end_that_comes_with_the_answer_is_seen() {
    // All of it in one piece, before the client looks at any.
    let port = serve(|mut stream| {
        let accept = derive_accept_key(ask(&mut stream).as_bytes());
        let fields = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept";
        let answer = format!("HTTP/1.1 101 X\r\n{fields}: {accept}\r\n\r\n");
        let _ = stream.write_all(&[answer.as_bytes(), b"\x81\x02hi"].concat());
        stream.shutdown(Shutdown::Write).unwrap();
        let _ = stream.read_to_end(&mut Vec::new());
    });
    let mut again = send("", "hi");
    again["socket"] = json!({"kind": "receive"});
    let outcome = run(visits(port, 40, json!([open(), again.clone(), again])));
    assert_eq!((outcome.ok(0), outcome.failures()), (0, vec![("closed", 40)]));
}

#[test]
fn what_never_ends_takes_too_long() {
    let drip = raw(|stream| {
        let _ = stream.write_all(b"\x82\x7e\xff\xff");
        while stream.write_all(b"x").is_ok() {
            std::thread::sleep(Duration::from_millis(10));
        }
    });
    let chatter = talk(|socket| while socket.send(Message::text("chatter")).is_ok() {});
    for (port, wanted) in [(drip, "no message in time"), (chatter, "no message that is as expected in time")]
    {
        let mut plan = visits(port, 2, json!([open(), send("x", "never")]));
        plan["load"]["timeout_s"] = json!(1);
        let outcome = run(plan);
        assert_eq!((outcome.ok(0), outcome.failures()), (0, vec![("timeout", 2)]));
        assert!(said(&outcome).contains(wanted), "{}", said(&outcome));
    }
}

#[test]
fn there_must_be_one() {
    let port = talk(|_| {});
    let outcome = run(visits(port, 1, json!([send("x", "")])));
    assert_eq!(outcome.failures(), vec![("websocket", 1)]);
    assert!(said(&outcome).ends_with("no WebSocket is open in this session"));
    let mut plan = visits(port, 1, json!([open()]));
    plan["target"]["http"] = json!("2");
    let why = Run::start(serde_json::from_value(plan).unwrap()).err().unwrap();
    assert!(why.contains("not for HTTP/2"), "{why}");
}
