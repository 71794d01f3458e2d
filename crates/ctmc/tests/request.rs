//! Requests as other languages make them.

use loadstone_ctmc::{Error, Request};

fn ask(request: &str) -> Result<serde_json::Value, Error> {
    Request::from_json(request)?.answer().map(|reply| serde_json::to_value(reply).unwrap())
}

const NODE: &str = r#""model": {"chain": {"states": 2, "transitions": [[0, 1, 0.5], [1, 0, 2]],
    "labels": {"down": [1]}, "rewards": {"lost": [0, 10]}}}"#;

#[test]
fn every_question_is_answered() {
    let reply = ask(&format!(
        r#"{{{NODE}, "questions": [{{"ask": "at", "time": 1}}, {{"ask": "until", "of": "down", "time": 3}},
        {{"ask": "long-run"}}, {{"ask": "first-mean"}}, {{"ask": "first-by", "of": "down", "time": 2}},
        {{"ask": "cycle"}}, {{"ask": "states", "most": 1}}]}}"#
    ))
    .unwrap();
    let truths = [
        ("at", 2.0 * -(-2.5_f64).exp_m1()),
        ("until", 0.2 * (3.0 + (-7.5_f64).exp_m1() / 2.5)),
        ("long-run", 2.0),
        ("first-mean", 2.0),
        ("first-by", -(-1.0_f64).exp_m1()),
        ("cycle-share", 0.2),
        ("cycle-frequency", 0.4),
        ("cycle-mean", 0.5),
        ("cycle-mean-between", 2.0),
        ("state", 0.8),
    ];
    let answers = reply["answers"].as_array().unwrap();
    assert_eq!(answers.len(), truths.len());
    for ((name, truth), answer) in truths.iter().zip(answers) {
        assert_eq!(answer["ask"], *name);
        let (low, high) = (answer["low"].as_f64().unwrap(), answer["high"].as_f64().unwrap());
        assert!(low <= truth * (1.0 + 1e-14) && truth * (1.0 - 1e-14) <= high, "{name}: {answer} {truth}");
        assert!(high - low < 1e-7 * high, "{name}: {answer}");
    }
}

#[test]
fn what_never_happens_takes_for_ever() {
    let reply = ask(r#"{"model": {"chain": {"states": 2, "transitions": [], "labels": {"down": [1]}}},
        "questions": [{"ask": "first-mean", "of": "down"}]}"#);
    let answer = reply.unwrap()["answers"][0].clone();
    assert!(answer["high"].is_null() && answer["low"].as_f64() == Some(f64::MAX));
}

#[test]
fn exported_texts_are_models_again() {
    let reply = ask(&format!(r#"{{{NODE}, "export": true}}"#)).unwrap();
    let [tra, lab, srew] = ["tra", "lab", "lost.srew"].map(|part| reply["export"][part].clone());
    let again = serde_json::json!({
        "model": {"explicit": {"tra": tra, "lab": lab, "rewards": [["lost", srew]]}},
        "questions": [{"ask": "long-run", "of": "lost"}], "export": true,
    });
    let again = ask(&again.to_string()).unwrap();
    assert_eq!(again["export"], reply["export"]);
    let text = serde_json::json!({"model": {"prism": {"text": reply["export"]["prism"]}}});
    assert_eq!(ask(&text.to_string()).unwrap()["transitions"], 2);
}

#[test]
fn requests_that_make_no_sense_are_refused() {
    for (tail, part) in [
        (r#", "questions": [{"ask": "until", "of": "up", "time": 1}]"#, "no label or reward `up`"),
        (r#", "questions": [{"ask": "first-mean", "of": "lost"}]"#, "is a reward"),
        (r#", "questions": [{"ask": "until", "of": "down", "time": -1}]"#, "not a time"),
        (r#", "questions": [{"ask": "why"}]"#, "unknown variant"),
        (r#", "precision": 0"#, "precision"),
        (r#", "method": "closed""#, "by doubling, by implicit steps"),
    ] {
        let error = ask(&format!("{{{NODE}{tail}}}")).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
    }
}
