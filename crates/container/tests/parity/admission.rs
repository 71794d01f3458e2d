//! Who begins when there is more to do than can be done.

use std::time::{Duration, Instant};

use loadstone_container::{Admission, Config, Connector, Server, StartError};

use crate::app::App;
use crate::client::Client;
use crate::{each, each_that_may_block, eventually, start};

const WAIT: &str = "GET /wait HTTP/1.1\r\nHost: test\r\n\r\n";
/// Its connection closes behind the answer, which frees a thread.
const OLD_WAIT: &str = "GET /wait HTTP/1.0\r\n\r\n";
const HELLO: &str = "GET /hello HTTP/1.1\r\nHost: test\r\n\r\n";

/// A hybrid server with one worker, which is at the gate with the request of a connection that has begun; as
/// many others wait in the queue as it has in reserve.
fn pressed(config: Config) -> (Server, std::sync::Arc<App>, Vec<Client>) {
    let (server, app) = start(Config { workers: 1, ..config });
    let mut begun: Vec<_> = (0..2).map(|_| Client::connect(server.address())).collect();
    for client in &mut begun {
        client.get("/hello");
    }
    begun[0].send(WAIT);
    eventually("one is at the gate", || app.gate.waiting() == 1);
    begun[1].send(WAIT);
    eventually("one waits", || server.counters().queue_depth == 1);
    (server, app, begun)
}

fn hybrid(config: Config, test: impl Fn(Config)) {
    if config.connector == Connector::Hybrid {
        test(config);
    }
}

#[test]
fn newcomers_wait_inside_until_there_is_room_and_those_who_leave_cost_nothing() {
    each(|config| {
        hybrid(config, |config| {
            let (server, app, mut begun) = pressed(config);
            let (served, read) = (server.counters().requests, server.counters().bytes_in);
            let mut newcomers: Vec<_> = (0..5).map(|_| Client::connect(server.address())).collect();
            for client in &mut newcomers {
                client.send(HELLO);
            }
            let all = read + 5 * HELLO.len() as u64;
            eventually("all are inside, their requests read", || server.counters().bytes_in == all);
            newcomers.truncate(2);
            eventually("three gave up", || server.counters().abandoned == 3);
            assert_eq!(server.counters().requests, served, "none of theirs was given to a worker");
            app.gate.open();
            for client in &mut begun {
                assert_eq!(client.reply().text(), "waited");
            }
            for client in &mut newcomers {
                assert_eq!(client.reply().text(), "hello");
            }
            let counters = server.counters();
            assert_eq!((counters.requests, counters.refused), (served + 3, 0), "{counters:?}");
        });
    });
}

#[test]
fn who_may_not_begin_soon_is_told_so_if_asked_for() {
    each(|config| {
        hybrid(config, |config| {
            let (server, app, mut begun) = pressed(Config { refuse: true, ..config });
            let mut newcomer = Client::connect(server.address());
            let sent = Instant::now();
            newcomer.send(HELLO);
            let reply = newcomer.reply();
            assert!(sent.elapsed() >= Duration::from_millis(200), "there might have been room");
            assert_eq!((reply.status, reply.keep_alive), (503, false));
            assert!(reply.fields.contains("Retry-After: 1"), "{}", reply.fields);
            newcomer.assert_closed();
            assert_eq!(server.counters().refused, 1);
            // A session that has begun is never refused.
            app.gate.open();
            begun.iter_mut().for_each(|client| assert_eq!(client.reply().text(), "waited"));
        });
    });
}

#[test]
fn nobody_is_accepted_while_all_are_busy() {
    each_that_may_block(|config| {
        let (server, app) = start(Config { workers: 2, admission: Some(Admission::Busy), ..config });
        let mut clients = Vec::new();
        for number in 1..=2 {
            clients.push(Client::connect(server.address()));
            clients[number - 1].send(OLD_WAIT);
            eventually("it is at the gate", || app.gate.waiting() == number);
        }
        eventually("accepting stops", || server.counters().pauses > 0);
        for number in 2..6 {
            clients.push(Client::connect(server.address()));
            clients[number].send(OLD_WAIT);
        }
        assert_eq!(server.counters().accepted, 2);
        app.gate.open();
        clients.iter_mut().for_each(|client| assert_eq!(client.reply().text(), "waited"));
    });
}

#[test]
fn without_control_everybody_is_accepted() {
    each_that_may_block(|config| {
        let (server, app) = start(Config { workers: 1, admission: Some(Admission::None), ..config });
        let mut clients: Vec<_> = (0..40).map(|_| Client::connect(server.address())).collect();
        clients.iter_mut().for_each(|client| client.send(OLD_WAIT));
        eventually("39 wait", || server.counters().queue_depth == 39);
        app.gate.open();
        clients.iter_mut().for_each(|client| assert_eq!(client.reply().text(), "waited"));
        assert_eq!(server.counters().pauses, 0);
    });
}

#[test]
fn what_a_connector_cannot_do_is_refused() {
    each(|config| {
        for admission in Admission::ALL {
            let asked = Config { admission: Some(admission), ..config.clone() };
            match Server::start(asked, std::sync::Arc::new(App::default())) {
                Ok(_) => assert!(admission.suits(config.connector)),
                Err(StartError::Configuration(sentence)) => {
                    assert!(!admission.suits(config.connector));
                    assert!(sentence.contains(admission.name()), "{sentence}");
                }
                Err(other) => panic!("{other}"),
            }
        }
    });
}
