//! The field's benchmark families: as many states as published, and answers that do not depend on the method.

use std::collections::BTreeMap;

use loadstone_ctmc::{Reading, Request, read_prism};

fn text(name: &str) -> String {
    let file = format!("{}/../../bench/models/{name}.prism", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(file).unwrap()
}

fn states(name: &str, constant: &str, value: usize) -> usize {
    let constants = BTreeMap::from([(constant.to_owned(), value.to_string())]);
    read_prism(&text(name), &Reading { constants, ..Reading::default() }).unwrap().chain.states()
}

#[test]
fn families_have_as_many_states_as_published() {
    for (name, constant, value, published) in [
        ("cluster", "n", 2, 276),
        ("cluster", "n", 16, 10_132),
        ("embedded", "patience", 2, 3_478),
        ("embedded", "patience", 8, 8_548),
        ("kanban", "n", 1, 160),
        ("kanban", "n", 2, 4_600),
        ("kanban", "n", 3, 58_400),
        ("tandem", "c", 31, 2_016),
        ("tandem", "c", 127, 32_640),
    ] {
        assert_eq!(states(name, constant, value), published, "{name} {value}");
    }
}

/// The bounds of one question about a model of a family.
fn ask(name: &str, constant: &str, value: usize, question: &str, method: &str) -> (f64, f64, String) {
    let request = format!(
        r#"{{"model": {{"prism": {{"text": {}, "constants": {{"{constant}": "{value}"}}}}}},
            "questions": [{question}], "precision": 1e-6, "method": {method}}}"#,
        serde_json::to_string(&text(name)).unwrap()
    );
    let reply = Request::from_json(&request).unwrap().answer().unwrap();
    let answer = &reply.answers[0];
    assert!(answer.relative_width <= 1e-6, "{name}: {answer:?}");
    (answer.low, answer.high.unwrap(), format!("{:?}", answer.method))
}

#[test]
fn methods_agree_on_a_controller_over_a_day() {
    let question = r#"{"ask": "first-by", "of": "down", "time": 86400}"#;
    let (low, high, method) = ask("embedded", "patience", 2, question, r#""implicit""#);
    assert_eq!(method, "Implicit");
    for other in ["null", r#""uniformization""#] {
        let (less, more, method) = ask("embedded", "patience", 2, question, other);
        assert!(method == "Uniformization" && low <= more && less <= high, "{method}");
    }
}

#[test]
fn the_mean_until_late_is_that_of_the_long_run() {
    let (low, high, _) = ask("cluster", "n", 4, r#"{"ask": "long-run", "of": "short"}"#, "null");
    let late = r#"{"ask": "at", "of": "short", "time": 2000}"#;
    let (less, more, _) = ask("cluster", "n", 4, late, "null");
    assert!(low <= more * (1.0 + 1e-5) && less * (1.0 - 1e-5) <= high);
}

#[test]
fn long_runs_settle_where_no_few_states_matter() {
    for (name, constant, value, of) in
        [("cluster", "n", 16, "short"), ("kanban", "n", 2, "throughput"), ("tandem", "c", 127, "customers")]
    {
        let question = format!(r#"{{"ask": "long-run", "of": "{of}"}}"#);
        let (_, _, method) = ask(name, constant, value, &question, "null");
        assert_eq!(method, "Sweeping", "{name}");
    }
}

#[test]
fn a_year_of_a_cluster_settles() {
    let question = r#"{"ask": "until", "of": "short", "time": 8760}"#;
    let (low, high, method) = ask("cluster", "n", 16, question, "null");
    assert_eq!(method, "Settled");
    // It starts whole and settles within a day.
    let (less, more, _) = ask("cluster", "n", 16, r#"{"ask": "long-run", "of": "short"}"#, "null");
    assert!(high < less * 8760.0 && low > more * (8760.0 - 24.0));
}
