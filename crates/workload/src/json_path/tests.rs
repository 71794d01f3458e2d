//! Paths into JSON.

use super::*;

const BODY: &str = r#" {"a": {"b c": [1, 2.50, "x\u00e9\n"], "": null}, "items": [{"id": 7}, {"no": 1},
    {"id": "z"}, {"id": [true]}], "n": 1e400} "#;

fn all(path: &str) -> Vec<String> {
    let mut found = Vec::new();
    let path = JsonPath::parse(path).unwrap();
    path.visit(BODY.as_bytes(), |node| {
        let mut text = Vec::new();
        node.text(&mut text);
        found.push(String::from_utf8(text).unwrap());
        true
    });
    found
}

#[test]
fn names_indices_wildcards_and_slices() {
    assert_eq!(all("$.items[0].id"), ["7"]);
    assert_eq!(all("$.items[*].id"), ["7", "z", "[true]"]);
    assert_eq!(all("$['items'][-1]['id'][0]"), ["true"]);
    assert_eq!(all("$.a['b c'][2]"), ["x\u{e9}\n"]);
    assert_eq!(all("$.a.*[0:2]"), ["1", "2.50"]);
    assert_eq!(all("$.a['b c'][-2:]"), ["2.50", "x\u{e9}\n"]);
    assert_eq!(all("$.a['b c'][:-1]"), ["1", "2.50"]);
    assert_eq!(all("$.a['b c'][::2]"), ["1", "x\u{e9}\n"]);
    assert_eq!(all("$.a['b c'][-9:1]"), ["1"]);
    assert_eq!(all("$.a['']"), ["null"]);
    for nothing in ["$.items[4]", "$.items[-5]", "$.items.id", "$.a[0]", "$.n.x", "$.A", "$.items[3:1]"] {
        assert!(all(nothing).is_empty(), "{nothing}");
    }
}

#[test]
fn what_is_no_path_is_refused_by_reason() {
    let cases = [
        ("items", "begins with `$`"),
        ("$items", "after `$` come parts"),
        ("$..id", "descendants"),
        ("$.items[?@.id]", "filters"),
        ("$.", "a name of letters"),
        ("$.9", "a name of letters"),
        ("$[x]", "a number, a slice"),
        ("$[]", "a number, a slice"),
        ("$[1", "never closed"),
        ("$['a", "is not closed"),
        ("$['a','b']", "one name"),
        ("$[1:2:0]", "from 1"),
        ("$[::-1]", "from 1"),
        ("$[1:2:3:4]", "`[start:end:step]`"),
        ("$[99999999999999999999]", "a number, a slice"),
    ];
    for (text, part) in cases {
        let why = JsonPath::parse(text).unwrap_err().to_string();
        assert!(why.contains(part), "{text}: {why}");
    }
    assert!(JsonPath::parse(&format!("${}", "[0]".repeat(33))).is_err());
}

#[test]
fn values_are_compared_and_counted() {
    let first = |path: &str| JsonPath::parse(path).unwrap().first(BODY.as_bytes()).unwrap();
    let says = |path: &str, text: &str| first(path).says(text.as_bytes(), &mut Vec::new());
    assert!(says("$.a['b c'][1]", "2.5") && says("$.items[0].id", "7") && says("$.items[2].id", "z"));
    assert!(!says("$.items[0].id", "8") && !says("$.items[2].id", "\"z\"") && !says("$.items[0].id", ""));
    let lengths = ["$", "$.items", "$.a['b c'][2]", "$.items[0]"].map(|path| first(path).length());
    assert_eq!(lengths, [Some(3), Some(4), Some(3), Some(1)]);
    assert_eq!(first("$.items[0].id").length(), None);
}

#[test]
fn broken_texts_are_told_and_what_stood_before_is_found() {
    let path = JsonPath::parse("$[*].id").unwrap();
    for broken in [&b"[{\"id\": 1}, {"[..], b"", b"<html>", b"[{\"id\": \xff}]", &[b'['; 1 << 20]] {
        assert!(!path.visit(broken, |_| true), "{broken:.20?}");
    }
    assert_eq!(path.first(b"[{\"id\": 1}, {").unwrap().to_string(), "1");
    let deep = JsonPath::parse(&format!("${}", "[0]".repeat(32))).unwrap();
    assert!(deep.first(&[b'['; 1 << 20]).is_none());
}
