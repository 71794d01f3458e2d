//! Arbitrary text as a model in the PRISM language: it is read or refused, and what is read can be solved.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loadstone_ctmc::{Reading, read_prism, stationary};

fuzz_target!(|text: &str| {
    let reading = Reading { most_states: 200, threads: 1, ..Reading::default() };
    if let Ok(model) = read_prism(text, &reading) {
        assert!(model.chain.states() <= 200);
        let found = stationary(&model.chain).unwrap();
        assert!(found.probabilities.iter().all(|share| *share >= 0.0));
    }
});
