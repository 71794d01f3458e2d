//! Every method ends when its budget does, and says what it was doing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use loadstone_ctmc::{
    Budget, Chain, Error, Method, Options, Request, accumulated, distribution_at, long_run, passage_mean,
    reward_at, stationary,
};

/// States that lead anywhere at rates over six powers of ten.
fn random(states: usize) -> Chain {
    let mut number = 1_u64;
    let mut draw = || {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (number >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut transitions = Vec::new();
    for from in 0..states {
        transitions.push((from, (from + 1) % states, 1.0));
        for _ in 0..3 {
            transitions.push((from, (draw() * states as f64) as usize, 10.0_f64.powf(-6.0 * draw())));
        }
    }
    Chain::new(states, transitions, vec![(0, 1.0)]).unwrap()
}

fn spent<T>(work: impl FnOnce() -> T) -> T {
    let stop = Arc::new(AtomicBool::new(true));
    Budget::new(None, None, stop).spend(work)
}

#[test]
fn no_method_goes_on_when_the_budget_is_spent() {
    let chain = random(900);
    let reward: Vec<f64> = (0..900).map(|state| f64::from(u8::from(state % 7 == 3))).collect();
    let marks: Vec<bool> = reward.iter().map(|value| *value > 0.0).collect();
    for method in [None, Some(Method::Doubling), Some(Method::Implicit), Some(Method::Uniformization)] {
        let options = Options { method, ..Options::default() };
        for time in [3.0, 1e7] {
            let found = spent(|| accumulated(&chain, &reward, time, &options));
            assert!(matches!(found, Err(Error::Stopped(_))), "{method:?} until {time}: {found:?}");
            let found = spent(|| reward_at(&chain, &reward, time, &options));
            assert!(matches!(found, Err(Error::Stopped(_))), "{method:?} at {time}: {found:?}");
        }
    }
    let options = Options::default();
    let stopped = |error: Option<Error>| matches!(error, Some(Error::Stopped(_)));
    assert!(stopped(spent(|| long_run(&chain, &reward, &options)).err()), "long run");
    assert!(stopped(spent(|| distribution_at(&chain, 3.0, &options)).err()), "distribution");
    assert!(stopped(spent(|| passage_mean(&chain, &marks)).err()), "mean first passage");
    assert!(stopped(spent(|| stationary(&random(3000))).err()), "stationary");
}

#[test]
fn what_is_stopped_says_what_was_hard() {
    // Two hundred numbers that each depend on the next: more states than there is time for.
    let lines = (0..200).map(|at| {
        let next = (at + 1) % 200;
        format!("[] x{at}<9 -> 1+x{next} : (x{at}'=x{at}+1);\n[] x{at}>0 -> 1 : (x{at}'=x{at}-1);\n")
    });
    let names: String = (0..200).map(|at| format!("x{at} : [0..9];\n")).collect();
    let text = format!("ctmc\nmodule m\n{names}{}endmodule\n", lines.collect::<String>());
    let request = serde_json::json!({
        "model": {"prism": {"text": text, "most_states": 1_000_000_000}},
        "questions": [{"ask": "first-by", "of": "x0=9", "time": 1e9}], "within": 0.3,
    });
    let request = Request::from_json(&request.to_string()).unwrap();
    let Err(Error::Stopped(message)) = request.answer() else { panic!("answered") };
    assert!(message.starts_with("no answer within 0.3 s: "), "{message}");
}

#[test]
fn a_ring_that_turns_too_often_is_refused_with_its_size_and_jumps() {
    // One way round, all rates equal: no few states matter, no long step is smooth, and it forgets nothing
    // for long.
    let states = 3000;
    let transitions: Vec<_> = (0..states).map(|from| (from, (from + 1) % states, 1.0)).collect();
    let request = serde_json::json!({
        "model": {"chain": {"states": states, "transitions": transitions, "labels": {"it": [3]}}},
        "questions": [{"ask": "until", "of": "it", "time": 1e9}], "within": 0.5, "threads": 1,
    });
    let Err(Error::Stopped(message)) = Request::from_json(&request.to_string()).unwrap().answer() else {
        panic!("answered")
    };
    assert!(message.starts_with("no answer within 0.5 s: "), "{message}");
    let size = "(3000 states, 3000 transitions, 1.0e9 jumps of the fastest state until 1000000000)";
    assert!(message.contains(size), "{message}");
    assert!(message.ends_with("allow more time or a wider precision"), "{message}");
}

#[test]
fn a_flag_ends_a_request() {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    let states = 20_000;
    let transitions: Vec<_> = (0..states)
        .flat_map(|from| {
            (1..5).map(move |step| (from, (from * 7919 + step * step * 31) % states, f64::from(step as u32)))
        })
        .collect();
    let request = serde_json::json!({
        "model": {"chain": {"states": states, "transitions": transitions, "labels": {"it": [3]}}},
        "questions": [{"ask": "states", "most": 1}],
    });
    let request = Request::from_json(&request.to_string()).unwrap();
    let answer = std::thread::spawn(move || request.answer_until(flag));
    stop.store(true, Ordering::Relaxed);
    assert!(matches!(answer.join().unwrap(), Err(Error::Stopped(_))));
}
