//! Requests that no browser sends: never a 500, never a panic, always a well-formed page.

use std::cell::RefCell;

use loadstone_http::Method;
use loadstone_olio::CacheLevel;
use proptest::prelude::*;

use crate::browser::{Browser, World, encoded};

const PATHS: [&str; 22] = [
    "/",
    "/users/login",
    "/users",
    "/users/search",
    "/users/check_name",
    "/users/3",
    "/users/3/edit",
    "/users/3/friends",
    "/users/3/friends/4",
    "/users/3/posted_events",
    "/events",
    "/events/new",
    "/events/1",
    "/events/1/tag",
    "/events/1/attend",
    "/events/1/comments",
    "/events/1/comments/1",
    "/events/tagged",
    "/events/update_calendar",
    "/events/rss",
    "/geocoder/geocode",
    "/media/e1t.jpg",
];

const NAMES: [&str; 26] = [
    "page",
    "order",
    "zip",
    "day",
    "tag",
    "query",
    "name",
    "username",
    "password",
    "password_confirmation",
    "title",
    "description",
    "telephone",
    "event_timestamp(1i)",
    "event_timestamp(2i)",
    "event_timestamp(3i)",
    "tag_list",
    "comment",
    "rating",
    "year",
    "month",
    "friend_action",
    "_method",
    "email",
    "city",
    "summary",
];

fn method() -> impl Strategy<Value = Method> {
    prop::sample::select(vec![
        Method::Get,
        Method::Head,
        Method::Post,
        Method::Put,
        Method::Delete,
        Method::Patch,
        Method::Options,
    ])
}

fn fields() -> impl Strategy<Value = Vec<(&'static str, String)>> {
    let value =
        prop_oneof!["\\PC{0,40}", "-?[0-9]{0,20}", Just("put".into()), Just("delete".into()), "(?s).{0,20}"];
    prop::collection::vec((prop::sample::select(NAMES.to_vec()), value), 0..8)
}

#[test]
fn odd_forms_are_answered_with_pages() {
    let world = World::new(CacheLevel::Page);
    let member: RefCell<Browser> = RefCell::new(world.member(3));
    let runs = ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(runs, |(method in method(), path in prop::sample::select(PATHS.to_vec()), fields in fields())| {
        let mut member = member.borrow_mut();
        let body = encoded(&fields, &member.token);
        let target = format!("{path}?{body}");
        let form = [("Content-Type", "application/x-www-form-urlencoded")];
        let page = if method == Method::Get { member.send(method, &target, &[], b"") } else { member.send(method, path, &form, body.as_bytes()) };
        prop_assert!(page.status < 500, "{} {}", page.status, page.text);
    });
}

#[test]
fn bytes_are_answered_with_pages() {
    let world = World::new(CacheLevel::None);
    let visitor: RefCell<Browser> = RefCell::new(world.visitor());
    let runs = ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() };
    let kinds = vec![
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=b",
        "multipart/form-data",
        "text/plain",
        "",
    ];
    proptest!(runs, |(method in method(), target in "/[ -~]{0,40}", kind in prop::sample::select(kinds), body: Vec<u8>)| {
        let page = visitor.borrow_mut().send(method, &target, &[("Content-Type", kind)], &body);
        prop_assert!(page.status < 500, "{} {}", page.status, page.text);
    });
}
