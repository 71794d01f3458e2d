//! What a run says besides its operations: the machine's own noise, and what it left out.

mod support;

use serde_json::json;
use support::{Server, answer, get, operation, page, plan, run};

#[test]
fn the_control_is_measured_in_every_second_of_the_run() {
    let server = Server::start(|_| page(""));
    let outcome = run(plan(server.port, 2.5, json!([operation("op", json!([get("/", json!({}))]))])));
    assert_eq!(outcome.windows.len(), 3);
    // One every 10 ms. Those that are held up come later, but a busy machine may miss some at the end, and may
    // notice the end late.
    let exchanges: u64 = outcome.windows.iter().flat_map(|w| &w.control.count).sum();
    assert!((150..=350).contains(&exchanges), "{exchanges}");
    let cpu_s: f64 = outcome.windows.iter().map(|w| w.control_cpu_s).sum();
    assert!(0.0 < cpu_s && cpu_s < 0.5, "{cpu_s} s");
}

#[test]
fn references_to_other_hosts_are_counted_with_the_first_of_each_operation() {
    let server = Server::start(|r| {
        if r.path != "/page" {
            return answer(200, "", "");
        }
        page(
            "<link rel=stylesheet href=http://localhost:1/a.css><script src=//cdn/b.js></script>\
             <img src=//cdn/b.js><img src=/ours.png><img src=data:image/png;base64,AAAA>",
        )
    });
    let step = get("/page", json!({"page": true}));
    let operations = json!([operation("a", json!([step])), operation("b", json!([get("/x", json!({}))]))]);
    let outcome = run(plan(server.port, 1.0, operations));
    assert!(outcome.ok(0) > 0 && outcome.failures().is_empty());
    assert_eq!(outcome.counter(0, "references_other_host"), 2 * outcome.ok(0), "each once a page");
    assert_eq!(outcome.counter(1, "references_other_host"), 0);
    let [example] = &outcome.summary.examples[..] else { panic!("one of each kind") };
    assert_eq!((example.operation.as_str(), example.of.as_str()), ("a", "references_other_host"));
    assert_eq!(example.said, "http://localhost:1/a.css");
}
