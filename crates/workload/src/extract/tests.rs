//! What is taken from answers.

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::*;
use crate::tests::{plan_extracting, program};

#[derive(Default)]
struct Page<'a>(&'a [u8], Tree);

impl Answer for Page<'_> {
    fn body(&self) -> &[u8] {
        self.0
    }

    fn tree(&self) -> &Tree {
        &self.1
    }

    fn header(&self, name: &str) -> Option<&[u8]> {
        name.eq_ignore_ascii_case("location").then_some(b"/there")
    }

    fn cookie(&self, name: &str) -> Option<&[u8]> {
        (name == "sid").then_some(b"c1")
    }
}

/// The state of a user after one extraction named `x` from each page.
fn extracted(from: Json, pages: &[&[u8]]) -> State {
    let program = program(plan_extracting("x", from));
    let mut state = State::new(&program, 0);
    for page in pages {
        let step = &program.operations[0].steps[0];
        program.extract(step, 0, &Page(page, Tree::default()), &mut state, &mut Vec::new());
    }
    state
}

fn links_of(pattern: &str, pages: &[&[u8]]) -> Vec<String> {
    let state = extracted(json!({"kind": "links", "pattern": pattern}), pages);
    let list = state.list(0);
    (0..list.len()).map(|i| String::from_utf8(list.get(i).to_vec()).unwrap()).collect()
}

fn value_of(from: Json, page: &str) -> String {
    String::from_utf8(extracted(from, &[page.as_bytes()]).value(0).to_vec()).unwrap()
}

#[test]
fn distinct_links_in_order() {
    let page = b"<a href=\"/events/7\"><a class=x href='/events/3?page=1#top'><a href=/events/7><a href=\"/events/7/edit\">\
        <a href=\"http://site:80/app/events/12\"><a href=\"http://other/events/9\"><a data-href=\"/events/8\"><a href=\"/app/events/x1\">";
    assert_eq!(links_of("/events/{int}", &[page]), ["7", "3", "12"]);
    assert_eq!(links_of("/events/{segment}", &[page]), ["7", "3", "12", "x1"]);
    assert_eq!(links_of("/events/{int}", &[page, b"none"]), ["7", "3", "12"], "the old list stays");
    assert_eq!(links_of("/events/{int}", &[page, b"<a href='/events/1'>"]), ["1"]);
}

#[test]
fn links_with_queries_and_escapes() {
    let page = b"<a href=\"/view?id=5&amp;tab=1\"> <a href=\"/view?id=6\"> <a href=\"/tag/a%20b\">";
    assert_eq!(links_of("/view?id={int}&tab=1", &[page]), ["5"]);
    assert_eq!(links_of("/tag/{segment}", &[page]), ["a b"]);
}

#[test]
fn links_within_an_element() {
    let page =
        b"<a href='/events/1'><maine></maine><main class=x><a href='/events/2'></main><a href='/events/3'>";
    let within = |name: &str, page: &[u8]| {
        let from = json!({"kind": "links", "pattern": "/events/{int}", "within": name});
        let state = extracted(from, &[page]);
        let list = state.list(0);
        (0..list.len()).map(|i| String::from_utf8(list.get(i).to_vec()).unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(within("main", page), ["2"]);
    assert_eq!(within("main", &page[..70]), ["2"], "an element that is not closed goes to the end");
    assert!(within("nav", page).is_empty());
}

#[test]
fn a_list_holds_what_a_person_looks_over() {
    let page: String = (0..200).map(|i| format!("<a href=/e/{i}>")).collect();
    assert_eq!(links_of("/e/{int}", &[page.as_bytes()]).len(), 64);
}

#[test]
fn links_that_run_into_each_other_are_looked_at_once() {
    // A search to the end of the page for each of them would take an hour.
    let page = "href=".repeat(4 << 20);
    assert!(links_of("/e/{int}", &[page.as_bytes()]).is_empty());
}

#[test]
fn values_of_every_source() {
    let page =
        "<meta name=csrf content=m1><form><input value=\"a&amp;b\" type=hidden name=token><i>no: 42;</i>";
    assert_eq!(value_of(json!({"kind": "hidden", "field": "token"}), page), "a&b");
    assert_eq!(value_of(json!({"kind": "hidden", "field": "csrf"}), page), "m1");
    assert_eq!(value_of(json!({"kind": "between", "left": "no: ", "right": ";"}), page), "42");
    assert_eq!(value_of(json!({"kind": "regex", "pattern": "no: (\\d)"}), page), "4");
    assert_eq!(value_of(json!({"kind": "header", "header": "Location"}), page), "/there");
    assert_eq!(value_of(json!({"kind": "cookie", "cookie": "sid"}), page), "c1");
    assert_eq!(value_of(json!({"kind": "cookie", "cookie": "other"}), page), "");
    assert_eq!(value_of(json!({"kind": "hidden", "field": "none"}), page), "");
}

#[test]
fn values_and_lists_of_json() {
    let body = r#"{"data": {"id": 42, "none": null, "tags": ["a", "b\u00e9", "a", 7]}}"#;
    let json = |path: &str| json!({"kind": "json", "path": path});
    assert_eq!(value_of(json("$.data.id"), body), "42");
    assert_eq!(value_of(json("$.data.tags[-3]"), body), "b\u{e9}");
    assert_eq!(value_of(json("$.data.none"), body), "", "null is nothing");
    assert_eq!(value_of(json("$.data.id"), "<html>"), "");
    let list = |from: Json, page: &str| {
        let state = extracted(from, &[page.as_bytes()]);
        (0..state.list(0).len())
            .map(|i| String::from_utf8(state.list(0).get(i).to_vec()).unwrap())
            .collect::<Vec<_>>()
    };
    let all = json!({"kind": "json", "path": "$.data.tags[*]", "all": true});
    assert_eq!(list(all.clone(), body), ["a", "b\u{e9}", "7"]);
    let many: Vec<u32> = (0..200).collect();
    assert_eq!(list(all, &json!({"data": {"tags": many}}).to_string()).len(), 64);
    let all = json!({"kind": "regex", "pattern": "id=(\\d+)", "all": true});
    assert_eq!(list(all, "id=1 id=2 id=1"), ["1", "2"]);
}

#[test]
fn what_is_not_found_keeps_the_old_takes_the_default_or_is_missed() {
    let body = br#"{"id": 1}"#;
    let taken = |extract: Json, pages: &[&[u8]]| {
        let mut plan =
            serde_json::to_value(plan_extracting("x", json!({"kind": "json", "path": "$.id"}))).unwrap();
        plan["operations"][0]["steps"][0]["extract"][0]
            .as_object_mut()
            .unwrap()
            .extend(extract.as_object().unwrap().clone());
        let program = program(serde_json::from_value(plan).unwrap());
        let mut state = State::new(&program, 5);
        let step = &program.operations[0].steps[0];
        let runs = pages
            .iter()
            .map(|page| program.extract(step, 0, &Page(page, Tree::default()), &mut state, &mut Vec::new()));
        let last = runs.last().unwrap();
        (last.found, last.missing.map(str::to_owned), String::from_utf8(state.value(0).to_vec()).unwrap())
    };
    assert_eq!(taken(json!({}), &[body, b"{}"]), (0, None, "1".into()));
    assert_eq!(taken(json!({"default": "n{user}"}), &[body, b"{}"]), (0, None, "n5".into()));
    assert_eq!(taken(json!({"required": true}), &[body, b"{}"]), (0, Some("x".into()), "1".into()));
    assert_eq!(taken(json!({"required": true}), &[body]), (1, None, "1".into()));
}

#[test]
fn flags_follow_the_last_page() {
    let from = json!({"kind": "contains", "text": "Logout"});
    assert_eq!(extracted(from.clone(), &[b"a Logout b"]).flags, 1);
    assert_eq!(extracted(from, &[b"a Logout b", b"Login"]).flags, 0);
}

proptest! {
    #[test]
    fn any_bytes_are_searched(page in proptest::collection::vec(any::<u8>(), 0..120), tail in "[ \"'<>=/0-9a-z%&]{0,40}") {
        let mut bytes = page;
        bytes.extend_from_slice(b" href=");
        bytes.extend_from_slice(tail.as_bytes());
        for pattern in ["/{int}", "/e?x={segment}"] {
            links_of_bytes(pattern, &bytes);
        }
        extracted(json!({"kind": "hidden", "field": "a"}), &[&bytes]);
    }

    #[test]
    fn links_are_found_among_noise(noise in "[a-z<> =\"']{0,30}", ids in proptest::collection::btree_set(0u32..9_999, 0..20)) {
        let page: String = ids.iter().map(|id| format!("<a href=\"/e/{id}\">{noise}</a>")).collect();
        let expected: Vec<String> = ids.iter().map(u32::to_string).collect();
        prop_assert_eq!(links_of("/e/{int}", &[page.as_bytes()]), expected);
    }
}

fn links_of_bytes(pattern: &str, page: &[u8]) {
    extracted(json!({"kind": "links", "pattern": pattern}), &[page]);
}

#[test]
fn elements_by_css() {
    let page = b"<main><a class=next href='/p?a=1&amp;b=2'> Next\n page</a><a class=next>Last</a></main>\
        <ul><li data-id=7>x<li data-id=9>y<li data-id=7>z<li>w</ul>";
    let value = |from: Json| {
        let from = json!({"kind": "css", "selector": from[0], "attribute": from[1], "all": from[2]});
        let state = extracted(from.clone(), &[page]);
        match from["all"] == true {
            true => (0..state.list(0).len()).map(|at| state.list(0).get(at).to_vec()).collect::<Vec<_>>(),
            false => vec![state.value(0).to_vec()],
        }
    };
    assert_eq!(value(json!(["main .next", null, false])), [b"Next page"]);
    assert_eq!(value(json!([".next", "HREF", false])), [b"/p?a=1&b=2"]);
    assert_eq!(value(json!(["li", "data-id", true])), [b"7", b"9"]);
    assert_eq!(value(json!([".next", "href", true])), [b"/p?a=1&b=2"]);
    assert_eq!(value(json!(["li:nth-child(2)", null, true])), [b"y"]);
    assert_eq!(value(json!(["h1", null, false])), [b""]);
}
