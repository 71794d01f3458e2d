//! Paths into JSON texts. Any text is a path or is refused, and any bytes are walked. Where the bytes are JSON,
//! what a path of the subset leads to is what a walk over the tree of the text finds.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loadstone_workload::JsonPath;
use serde_json::Value;

fuzz_target!(|input: (&str, Vec<(u8, i8, i8)>, &[u8])| {
    let (text, parts, body) = input;
    if let Ok(path) = JsonPath::parse(text) {
        let _ = path.first(body);
        path.visit(body, |node| {
            let _ = (node.length(), node.says(b"1", &mut Vec::new()));
            true
        });
    }
    let Ok(value) = serde_json::from_slice::<Value>(body) else { return };
    // As the tree has it: no name twice.
    let body = value.to_string();
    let (mut written, mut nodes) = ("$".to_owned(), vec![&value]);
    for (kind, a, b) in parts.into_iter().take(8) {
        let (segment, selected) = step(kind, a, b, &nodes);
        written.push_str(&segment);
        nodes = selected;
    }
    let path = JsonPath::parse(&written).unwrap();
    let mut found = Vec::new();
    assert!(path.visit(body.as_bytes(), |node| {
        found.push(node.to_string());
        true
    }));
    assert_eq!(found, nodes.iter().map(|node| node.to_string()).collect::<Vec<_>>(), "{written} in {body}");
});

/// A part of a path, and what it leads to from these nodes.
fn step<'v>(kind: u8, a: i8, b: i8, nodes: &[&'v Value]) -> (String, Vec<&'v Value>) {
    let at = |length: usize, at: i8| if at < 0 { length as i64 + i64::from(at) } else { i64::from(at) };
    match kind % 4 {
        0 => {
            // A name that is there, if there is any.
            let name = nodes.iter().find_map(|node| node.as_object()?.keys().nth(a.unsigned_abs() as usize));
            let name = name.map_or("x", String::as_str);
            let escaped = name.replace('\\', "\\\\").replace('\'', "\\'");
            (format!("['{escaped}']"), nodes.iter().filter_map(|node| node.as_object()?.get(name)).collect())
        }
        1 => {
            let one = |values: &'v Vec<Value>| values.get(usize::try_from(at(values.len(), a)).ok()?);
            (format!("[{a}]"), nodes.iter().filter_map(|node| one(node.as_array()?)).collect())
        }
        2 => {
            let many = |values: &'v Vec<Value>| {
                let (low, high) = (at(values.len(), a), at(values.len(), b));
                let inside = move |(place, _): &(usize, &Value)| (low..high).contains(&(*place as i64));
                values.iter().enumerate().filter(inside).map(|(_, value)| value).collect::<Vec<_>>()
            };
            (format!("[{a}:{b}]"), nodes.iter().filter_map(|node| node.as_array()).flat_map(many).collect())
        }
        _ => {
            let all = |node: &'v Value| match node {
                Value::Array(values) => values.iter().collect(),
                Value::Object(members) => members.values().collect(),
                _ => Vec::new(),
            };
            ("[*]".into(), nodes.iter().flat_map(|node| all(node)).collect())
        }
    }
}
