//! HTTP/2 against a scripted server: what goes out, what is made of what comes back, and what is refused.

#[path = "../support/mod.rs"]
mod support;

mod failures;
mod first_byte;
mod pages;
mod rates;
mod server;
mod users;

use serde_json::{Value as Json, json};

/// `support::plan` for a target with HTTP/2 and an end after so many operations.
fn plan(port: u16, operations: u32, list: Json) -> Json {
    let mut plan = support::plan(port, 600.0, list);
    plan["target"]["http"] = json!("2");
    plan["load"]["operations"] = json!(operations);
    plan["load"]["timeout_s"] = json!(300);
    plan
}

/// A plan of one operation with one step.
fn one(port: u16, operations: u32, step: Json) -> Json {
    plan(port, operations, json!([support::operation("op", json!([step]))]))
}
