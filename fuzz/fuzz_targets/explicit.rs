//! Explicit files, `.tra`, `.lab` and `.srew`, with a line `%%` between them, or a request that writes a
//! chain out as JSON: read or refused within the memory that was granted, and what is read is written, and
//! read again the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loadstone_ctmc::{Error, Reply, Request};
use serde_json::{Value, json};

/// Far from what the chains of these inputs need, and from what a number of states can announce.
const MEMORY: usize = 64 << 20;
const SEPARATOR: &str = "%%\n";

fuzz_target!(|text: &str| {
    let Ok(reply) = answer(model(text)) else { return };
    let mut again = json!({"tra": reply.export["tra"], "lab": reply.export.get("lab"), "rewards": []});
    if let Some(rewards) = reply.export.get("cost.srew") {
        again["rewards"] = json!([["cost", rewards]]);
    }
    let again = answer(json!({"explicit": again})).expect("what was written can be read");
    assert_eq!((again.states, again.transitions), (reply.states, reply.transitions));
    assert_eq!(again.export["tra"], reply.export["tra"]);
});

fn model(text: &str) -> Value {
    if let Ok(chain @ Value::Object(_)) = serde_json::from_str(text) {
        return json!({"chain": chain});
    }
    let mut parts = text.splitn(3, SEPARATOR);
    let (tra, lab, rewards) = (parts.next().unwrap_or_default(), parts.next(), parts.next());
    let rewards: Vec<_> = rewards.into_iter().map(|text| ("cost", text)).collect();
    json!({"explicit": {"tra": tra, "lab": lab, "rewards": rewards}})
}

fn answer(model: Value) -> Result<Reply, Error> {
    let questions = [json!({"ask": "states", "time": 1e-3, "most": 3})];
    let request = json!({
        "model": model, "threads": 1, "memory": MEMORY, "within": 5.0, "export": true, "questions": questions,
    });
    Request::from_json(&request.to_string())?.answer()
}
