//! What is told of requests: the access log and the metrics.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use loadstone_container::{AccessLog, Config, Connector, LogFormat, Watch};

use crate::client::{Client, Reply};
use crate::{each, eventually, start};

fn fresh(name: &str, config: &Config) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let path = folder.join(format!("{name}-{}-{}.log", config.connector.name(), std::process::id()));
    let _ = fs::remove_file(&path);
    path
}

fn lines(path: &PathBuf) -> Vec<String> {
    fs::read_to_string(path).unwrap_or_default().lines().map(str::to_owned).collect()
}

#[test]
fn every_answer_is_a_line() {
    each(|config| {
        let path = fresh("lines", &config);
        let log = AccessLog::open(Some(path.clone()), LogFormat::Common).unwrap();
        let (server, _) = start(Config { watch: Some(Arc::new(Watch::new(Some(log), None))), ..config });
        let mut client = Client::connect(server.address());
        client.send(
            "GET /hello HTTP/1.1\r\nHost: test\r\nUser-Agent: a\"b\x1b[2J\r\nReferer: http://x/\r\n\r\n",
        );
        // A control character is refused, and the line shows it harmless.
        assert_eq!(client.reply().status, 400);
        let mut client = Client::connect(server.address());
        client.send("GET /hello HTTP/1.1\r\nHost: test\r\nUser-Agent: a\"b\r\nReferer: http://x/\r\n\r\n");
        client.reply();
        client.send("HEAD /query?abc HTTP/1.0\r\n\r\n");
        client.reply_to(loadstone_http::Method::Head);
        let mut client = Client::connect(server.address());
        client.send("GET /big HTTP/1.1\r\nHost: test\r\n\r\n");
        let big = client.reply().body.len();
        let mut client = Client::connect(server.address());
        client.send("\x16\x03\"nonsense\n");
        client.reply();
        drop(client);
        eventually("all are written", || lines(&path).len() == 5);
        let parts = |line: &String| {
            let (date, rest) = (line.find('[').unwrap(), line.find(']').unwrap());
            assert_eq!(line[date..rest].len(), "[22/Nov/2026:00:27:09 +0000".len(), "{line}");
            let took = line.rfind(' ').unwrap();
            assert!(line[took + 1..].parse::<u64>().is_ok(), "{line}");
            format!("{}{}", &line[..date], &line[rest + 2..took])
        };
        let mut told: Vec<_> = lines(&path).iter().map(parts).collect();
        // An answer reaches its client before its line the log.
        told.sort();
        let client = "127.0.0.1 - - ";
        assert_eq!(
            told,
            [
                format!(r#"{client}"GET /big HTTP/1.1" 200 {big} "-" "-""#),
                format!(r#"{client}"GET /hello HTTP/1.1" 200 5 "http://x/" "a\"b""#),
                format!(r#"{client}"GET /hello HTTP/1.1" 400 11 "-" "-""#),
                format!(r#"{client}"HEAD /query?abc HTTP/1.0" 200 0 "-" "-""#),
                format!(r#"{client}"\x16\x03\"nonsense" 400 11 "-" "-""#),
            ]
        );
    });
}

#[test]
fn an_answer_that_nobody_took_is_a_line_with_what_was_sent() {
    each(|config| {
        let path = fresh("cut", &config);
        let log = AccessLog::open(Some(path.clone()), LogFormat::Json).unwrap();
        let (server, _) = start(Config { watch: Some(Arc::new(Watch::new(Some(log), None))), ..config });
        let mut client = Client::connect(server.address());
        client.send("GET /big HTTP/1.1\r\nHost: test\r\n\r\n");
        eventually("it is answered", || server.counters().responses[1] == 1);
        drop(client);
        eventually("it is written", || lines(&path).len() == 1);
        let line = &lines(&path)[0];
        let bytes = line.split("\"body_bytes\":").nth(1).and_then(|rest| rest.split(',').next()).unwrap();
        assert!(bytes.parse::<usize>().unwrap() < crate::app::BIG, "{line}");
        assert!(line.contains("\"method\":\"GET\",\"target\":\"/big\""), "{line}");
    });
}

#[test]
fn a_log_moves_to_a_new_file_and_loses_no_line() {
    each(|config| {
        let (path, old) = (fresh("rotated", &config), fresh("rotated-old", &config));
        let log = AccessLog::open(Some(path.clone()), LogFormat::Common).unwrap();
        let (server, _) = start(Config { watch: Some(Arc::new(Watch::new(Some(log), None))), ..config });
        let mut client = Client::connect(server.address());
        for round in 0..100 {
            client.get(&format!("/query?{round}"));
            if round == 50 {
                fs::rename(&path, &old).unwrap();
                server.reload().unwrap();
            }
        }
        drop((client, server));
        let (before, after) = (lines(&old), lines(&path));
        assert!(!before.is_empty() && !after.is_empty());
        let told: Vec<_> = before.iter().chain(&after).collect();
        assert_eq!(told.len(), 100);
        for (round, line) in told.iter().enumerate() {
            assert!(line.contains(&format!("/query?{round} ")), "{line}");
        }
    });
}

#[test]
fn a_log_that_cannot_be_opened_is_named() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let refused = AccessLog::open(Some(folder.join("none/a.log")), LogFormat::Json).unwrap_err().to_string();
    assert!(refused.contains("none/a.log: "), "{refused}");
}

#[test]
fn metrics_tell_what_the_counters_count() {
    each(|config| {
        let watch = Watch::new(None, Some("127.0.0.1:0".parse().unwrap()));
        let (server, _) = start(Config { watch: Some(Arc::new(watch)), ..config });
        let mut client = Client::connect(server.address());
        client.get("/hello");
        client.get("/missing");
        let read = |path: &str| -> Reply { Client::connect(server.metrics_address().unwrap()).get(path) };
        // An answer reaches its client before it is counted.
        let all = "loadstone_response_seconds_count{class=\"4xx\"} 1";
        eventually("both are counted", || read("/metrics").text().contains(all));
        let page = read("/metrics");
        assert!(page.fields.contains("Content-Type: text/plain; version=0.0.4"), "{}", page.fields);
        for line in [
            "# TYPE loadstone_requests_total counter",
            "loadstone_requests_total 2",
            "loadstone_responses_total{class=\"2xx\"} 1",
            "loadstone_responses_total{class=\"4xx\"} 1",
            "# TYPE loadstone_open_connections gauge",
            "loadstone_response_seconds_bucket{class=\"2xx\",le=\"+Inf\"} 1",
        ] {
            assert!(page.text().lines().any(|found| found == line), "{line}\n{}", page.text());
        }
        // Every counter has words of its own.
        assert!(!page.text().contains("See the reference"), "{}", page.text());
        assert_eq!(read("/").status, 404);
        let mut poster = Client::connect(server.metrics_address().unwrap());
        poster.send("POST /metrics HTTP/1.1\r\nHost: test\r\n\r\n");
        assert_eq!(poster.reply().status, 405);
    });
}

/// Silent ones, and such as have been answered and stay.
#[test]
fn idle_connections_to_the_metrics_hold_up_no_scrape() {
    each(|config| {
        // What serves them is the same behind every connector.
        if config.connector != Connector::Event {
            return;
        }
        let watch = Watch::new(None, Some("127.0.0.1:0".parse().unwrap()));
        let (server, _) = start(Config { watch: Some(Arc::new(watch)), ..config });
        let connect = || Client::connect(server.metrics_address().unwrap());
        let mut silent: Vec<_> = (0..20).map(|_| connect()).collect();
        for client in &mut silent[10..] {
            assert_eq!(client.get("/metrics").status, 200);
        }
        assert_eq!(connect().get("/metrics").status, 200, "a few of them");
        let more: Vec<_> = (0..400).map(|_| connect()).collect();
        assert_eq!(connect().get("/metrics").status, 200, "more than there are places");
        drop(more);
    });
}
