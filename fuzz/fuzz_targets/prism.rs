//! Arbitrary text as a model in the PRISM language: it is read or refused, what is read can be solved, and a
//! question that needs few of its states finds an answer or a reason why not.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loadstone_ctmc::{Reading, Request, read_prism, stationary};

fuzz_target!(|text: &str| {
    let reading = Reading { most_states: 200, threads: 1, ..Reading::default() };
    if let Ok(model) = read_prism(text, &reading) {
        assert!(model.chain.states() <= 200);
        let found = stationary(&model.chain).unwrap();
        assert!(found.probabilities.iter().all(|share| *share >= 0.0));
    } else {
        let request = format!(
            r#"{{"model": {{"prism": {{"text": {}, "most_states": 8}}}}, "threads": 1,
                "questions": [{{"ask": "at", "of": "true", "time": 1e-9}}]}}"#,
            serde_json::to_string(text).unwrap()
        );
        if let Ok(reply) = Request::from_json(&request).unwrap().answer() {
            assert!(
                reply.answers[0].low <= 1.0 && reply.answers[0].high.is_some_and(|high| high >= 1.0 - 1e-9)
            );
        }
    }
});
