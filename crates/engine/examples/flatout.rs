//! Requests one page as fast as it comes, or at a rate, on a number of connections: what the engine costs.
//!
//! `cargo run --release -p loadstone-engine --example flatout -- URL CONNECTIONS SECONDS THREADS [RATE]`
//! prints one JSON object: requests, requests/s, and the engine's CPU time a request in microseconds. A scheme
//! `h2` or `h2c` asks for HTTP/2, with TLS or without.

use std::process::ExitCode;
use std::time::Duration;

use loadstone_engine::Run;
use loadstone_workload::Plan;
use serde_json::json;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [url, connections, seconds, threads, rate @ ..] if rate.len() < 2 => {
            match measure(url, connections, seconds, threads, rate.first()) {
                Ok(report) => {
                    println!("{report}");
                    ExitCode::SUCCESS
                }
                Err(why) => {
                    eprintln!("flatout: {why}");
                    ExitCode::from(2)
                }
            }
        }
        _ => {
            eprintln!("usage: flatout http[s]|h2[c]://HOST:PORT/PATH CONNECTIONS SECONDS THREADS [RATE]");
            ExitCode::from(2)
        }
    }
}

fn measure(
    url: &str,
    connections: &str,
    seconds: &str,
    threads: &str,
    rate: Option<&String>,
) -> Result<String, String> {
    let run = Run::start(plan(url, connections, seconds, threads, rate)?)?;
    let (mut requests, mut failed, mut user_s, mut sys_s) = (0, 0, 0.0, 0.0);
    let mut first_second = None;
    let mut last_second = 0;
    while run.summary().is_none() {
        let Some(window) = run.next(Duration::from_millis(200)) else { continue };
        // Connecting and warming up belong to the first second.
        if window.second == 0 {
            continue;
        }
        first_second.get_or_insert(window.second);
        last_second = window.second;
        requests += window.requests;
        failed += window.operations.iter().flat_map(|o| o.failed).sum::<u64>();
        user_s += window.cpu_user_s;
        sys_s += window.cpu_sys_s;
    }
    let seconds = first_second.map_or(0, |first| last_second - first + 1);
    let each = |cpu_s: f64| if requests == 0 { 0.0 } else { cpu_s * 1e6 / requests as f64 };
    let report = json!({
        "requests": requests,
        "failed": failed,
        "seconds": seconds,
        "requests_per_s": requests as f64 / f64::from(seconds.max(1)),
        "cpu_user_us_per_request": each(user_s),
        "cpu_sys_us_per_request": each(sys_s),
        "outcome": run.summary().map(|summary| summary.outcome),
    });
    Ok(report.to_string())
}

fn plan(
    url: &str,
    connections: &str,
    seconds: &str,
    threads: &str,
    rate: Option<&String>,
) -> Result<Plan, String> {
    let (secure, http, rest) = match url.split_once("://") {
        Some(("http", rest)) => (false, "1.1", rest),
        Some(("https", rest)) => (true, "1.1", rest),
        Some(("h2c", rest)) => (false, "2", rest),
        Some(("h2", rest)) => (true, "2", rest),
        _ => return Err("the URL must begin with http://, https://, h2:// or h2c://".into()),
    };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let (host, port) = authority.rsplit_once(':').unwrap_or((authority, if secure { "443" } else { "80" }));
    let number = |text: &str| text.parse::<u32>().map_err(|_| format!("`{text}` is no number"));
    let mut plan = json!({
        "name": "flatout", "seed": 1,
        "target": {"host": host, "port": number(port)?, "authority": authority, "base_path": "", "http": http,
            // Whose certificate it is makes no difference to what a request costs.
            "tls": secure.then(|| json!({"insecure": true}))},
        "load": {
            "users": number(connections)?, "ramp_up_s": 1, "steady_s": number(seconds)?, "ramp_down_s": 0,
            "timeout_s": 10, "threads": number(threads)?
        },
        "slice": {"index": 0, "of": 1},
        "pacing": {"kind": "think", "law": {"kind": "fixed", "value_s": 0}},
        "session": {"first": "page"},
        "browser": {"warm_share": 0, "revalidate": false, "cached": [], "user_agent": ""},
        "operations": [{
            "name": "page", "limit_s": 1,
            "steps": [{"method": "GET", "path": if path.is_empty() { "/" } else { path }}]
        }],
        "mix": {"page": {"page": 1}}
    });
    if let Some(rate) = rate {
        plan["load"]["users"] = json!(0);
        plan["load"]["connections"] = json!(number(connections)?);
        plan["load"]["requests_per_s"] = json!(number(rate)?);
    }
    Ok(Plan::from_json(&plan.to_string())?)
}
