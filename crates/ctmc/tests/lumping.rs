//! Lumping: as few states as there are to tell apart, and the answers of the whole chain.

use loadstone_ctmc::Request;
use proptest::prelude::*;
use serde_json::{Value, json};

const QUESTIONS: [&str; 5] = ["at", "until", "long-run", "first-mean", "first-by"];

/// The figures of a chain or text, lumped or not.
fn asked(model: &Value, of: &str, lump: Option<bool>) -> Vec<Value> {
    let question = |ask: &&str| match *ask {
        "at" | "until" | "first-by" => json!({"ask": ask, "of": of, "time": 7.5}),
        _ => json!({"ask": ask, "of": of}),
    };
    let questions: Vec<Value> = QUESTIONS.iter().map(question).collect();
    let request = json!({"model": model, "questions": questions, "lump": lump});
    let reply = Request::from_json(&request.to_string()).unwrap().answer().unwrap();
    serde_json::to_value(reply).unwrap()["answers"].as_array().unwrap().clone()
}

fn overlap(one: &Value, two: &Value) -> bool {
    let low = |each: &Value| each["low"].as_f64().unwrap();
    let high = |each: &Value| each["high"].as_f64().unwrap_or(f64::INFINITY);
    low(one) <= high(two) && low(two) <= high(one)
}

/// Machines (0 up, 1 waiting, 2 being mended) with a crew of two, each a module of its own.
fn machines(count: usize) -> Value {
    let mut text =
        "ctmc\nmodule machine0\n  state0 : [0..2] init 0;\n  [] state0 = 0 -> 0.1 : (state0' = 1);\n  \
         [take0] state0 = 1 -> 3 : (state0' = 2);\n  [give0] state0 = 2 -> 0.7 : (state0' = 0);\nendmodule\n"
            .to_owned();
    for at in 1..count {
        text += &format!(
            "module machine{at} = machine0 [state0 = state{at}, take0 = take{at}, give0 = give{at}] endmodule\n"
        );
    }
    text += "module crew\n  busy : [0..2] init 0;\n";
    for at in 0..count {
        text += &format!(
            "  [take{at}] busy < 2 -> 1 : (busy' = busy + 1);\n  [give{at}] busy > 0 -> 1 : (busy' = busy - 1);\n"
        );
    }
    let down: Vec<String> = (0..count).map(|at| format!("(state{at} > 0 ? 1 : 0)")).collect();
    text += &format!("endmodule\nlabel \"half\" = 2 * ({}) >= {count};\n", down.join(" + "));
    json!({"prism": {"text": text}})
}

#[test]
fn machines_written_one_by_one_are_counted() {
    for count in [4, 6] {
        let model = machines(count);
        let (whole, lumped) = (asked(&model, "half", Some(false)), asked(&model, "half", Some(true)));
        for (one, two) in whole.iter().zip(&lumped) {
            assert!(overlap(one, two), "{one} {two}");
            // Who waits and who is mended, two at most, are only counted.
            assert_eq!(two["lumped_to"], 3 * count, "{two}");
            assert_eq!(one.get("lumped_to"), None);
        }
    }
}

#[test]
fn renamed_modules_of_a_large_text_are_lumped_unasked() {
    // 7,424 states.
    let lumped = asked(&machines(9), "half", None);
    let long_run = lumped.iter().find(|each| each["ask"] == "long-run").unwrap();
    assert_eq!(long_run["lumped_to"], 27);
    assert!(long_run["relative_width"].as_f64().unwrap() <= 1e-8);
}

#[test]
fn rates_too_far_apart_to_be_added_exactly_are_left_alone() {
    let model = json!({"chain": {
        "states": 3, "transitions": [[0, 1, 1e-40], [0, 2, 1e-40], [1, 0, 1.0], [2, 0, 1e10]], "labels": {"on": [1, 2]}
    }});
    for figure in asked(&model, "on", Some(true)) {
        assert_eq!(figure.get("lumped_to"), None);
    }
}

/// A chain of which each state is `copies` alike: what leads to it is dealt to them by `deal`.
fn copied(rates: &[(usize, usize, u32)], states: usize, copies: usize, deal: &[u32]) -> Value {
    let mut transitions = Vec::new();
    let mut turn = deal.iter().cycle();
    for &(from, to, rate) in rates.iter().filter(|each| each.0 != each.1) {
        for copy in 0..copies {
            let mut left = rate;
            for target in 0..copies {
                let part =
                    if target + 1 == copies { left } else { (turn.next().unwrap() % (left + 1)).min(left) };
                left -= part;
                transitions.push((from * copies + copy, to * copies + target, f64::from(part) * 0.1));
            }
        }
    }
    let mut ring = Vec::new();
    for state in 0..states {
        for copy in 0..copies {
            ring.push((state * copies + copy, (state + 1) % states * copies + copy, 0.3));
        }
    }
    transitions.extend(ring);
    let marked: Vec<usize> = (0..copies).map(|copy| (states - 1) * copies + copy).collect();
    json!({"chain": {"states": states * copies, "transitions": transitions, "labels": {"on": marked}}})
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn copies_become_one_and_answers_stay(
        states in 2..7_usize,
        copies in 2..5_usize,
        picks in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 1..40_u32), 0..12),
        deal in prop::collection::vec(0..40_u32, 5..20),
    ) {
        let rates: Vec<_> = picks.iter().map(|(a, b, rate)| (a.index(states), b.index(states), *rate)).collect();
        let model = copied(&rates, states, copies, &deal);
        let (whole, lumped) = (asked(&model, "on", Some(false)), asked(&model, "on", Some(true)));
        for (one, two) in whole.iter().zip(&lumped) {
            prop_assert!(overlap(one, two), "{one} {two}");
        }
    }
}
