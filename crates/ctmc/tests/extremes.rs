//! Where numbers of extreme size lose their digits, and bounds must not.

use loadstone_ctmc::{
    Chain, Method, Options, Request, Transition, accumulated, long_run, passage_mean, reward_at,
};

fn with(method: Method) -> Options {
    Options { method: Some(method), precision: 1e-8, threads: 1 }
}

#[test]
fn a_start_that_is_never_left_earns_the_whole_time_however_short() {
    for (time, rate) in [(1.65e-30, 1e28), (6e-30, 3e22), (1e-24, 1e21), (1e-300, 1e290), (1e300, 1e-300)] {
        let chain = Chain::new(3, vec![(1, 0, rate), (2, 1, rate)], vec![(0, 1.0)]).unwrap();
        for method in [Method::Doubling, Method::Uniformization, Method::Implicit] {
            let found = accumulated(&chain, &[0.5, 1.0, 0.0], time, &with(method)).unwrap().enclosure;
            assert!(found.contains(0.5 * time) && found.relative_width() < 1e-8, "{method:?} {found:?}");
        }
    }
}

#[test]
fn next_to_no_jumps_lose_no_digits_of_what_is_earned() {
    let chain = Chain::new(2, vec![(0, 1, 3e-200), (1, 0, 7e-200)], vec![(0, 1.0)]).unwrap();
    for method in [None, Some(Method::Doubling), Some(Method::Uniformization)] {
        let options = Options { method, precision: 1e-8, threads: 1 };
        let found = accumulated(&chain, &[1.0, 0.0], 1e-120, &options).unwrap().enclosure;
        assert!(found.contains(1e-120) && found.relative_width() < 1e-12, "{method:?} {found:?}");
    }
}

#[test]
fn what_underflow_takes_is_beside_the_largest_reward() {
    // Two steps of 1e-165 each: half of 1e-330, of which 1e300 is earned.
    let chain = Chain::new(3, vec![(0, 1, 1e-165), (1, 2, 1e-165)], vec![(0, 1.0)]).unwrap();
    for method in [Method::Doubling, Method::Uniformization] {
        let found = reward_at(&chain, &[0.0, 0.0, 1e300], 1.0, &with(method)).unwrap().enclosure;
        assert!(found.contains(5e-31), "{method:?} {found:?}");
    }
}

#[test]
fn a_birth_death_chain_keeps_its_digits_across_a_deep_valley() {
    let rates = vec![(0, 1, 1e-160), (1, 0, 1.0), (1, 2, 1e-160), (2, 1, 1.0), (2, 3, 1e200), (3, 2, 1.0)];
    let chain = Chain::new(4, rates, vec![(0, 1.0)]).unwrap();
    let found = long_run(&chain, &[0.0, 0.0, 0.0, 1.0], &Options::default()).unwrap().enclosure;
    assert!(found.contains(1e-120), "{found:?}");
}

#[test]
fn a_passage_counts_ways_back_that_are_hardly_ever_taken() {
    // Back once in 1e350 times, for 1e200 times as long.
    let chain = Chain::new(3, vec![(0, 1, 1e-200), (1, 0, 1e-200), (1, 2, 1e150)], vec![(1, 1.0)]).unwrap();
    let found = passage_mean(&chain, &[false, false, true]).unwrap().enclosure;
    assert!(found.low <= 2e-150 && 2e-150 <= found.high, "{found:?}");
}

#[test]
fn a_slow_chain_keeps_the_chance_that_it_has_not_moved() {
    // exp(−600) of a rate of 1e-126 is less than any number.
    let chain = Chain::new(2, vec![(0, 1, 1e-126)], vec![(0, 1.0)]).unwrap();
    let found = reward_at(&chain, &[1.0, 0.0], 6e128, &Options::default()).unwrap().enclosure;
    assert!(found.contains((-600.0_f64).exp()) && found.relative_width() < 1e-10, "{found:?}");
}

#[test]
fn what_is_more_than_a_number_can_hold_is_not_said_to_be_nothing() {
    let chain = Chain::new(2, Vec::new(), vec![(0, 1.0)]).unwrap();
    for method in [Method::Doubling, Method::Uniformization, Method::Implicit] {
        let found = accumulated(&chain, &[1e12, 1e11], 1.1e308, &with(method)).unwrap().enclosure;
        assert!(found.high == f64::INFINITY, "{method:?} {found:?}");
    }
}

#[test]
fn a_rate_that_no_method_can_follow_is_refused() {
    let told = Chain::new(2, vec![(0, 1, 1e305)], vec![(0, 1.0)]).unwrap_err().to_string();
    assert!(told.contains("1e305") && told.contains("unit of time"), "{told}");
    let chain = Chain::new(2, vec![(0, 1, 1.0), (1, 0, 1.0)], vec![(0, 1.0)]).unwrap();
    for method in [Method::Doubling, Method::Uniformization] {
        let told = reward_at(&chain, &[0.0, 1.0], 1e30, &with(method)).unwrap_err().to_string();
        assert!(told.contains("jumps are expected until 1"), "{told}");
    }
}

#[test]
fn rates_come_out_of_a_text_as_they_went_in() {
    let mut number = 1_u64;
    let mut draw = || {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let exponent = (number >> 33) % 560;
        f64::from_bits((number >> 12) | (1023 - 280 + exponent) << 52)
    };
    let rates: Vec<Transition> = (1..500).map(|to| (0, to, draw())).collect();
    let request = serde_json::json!({
        "model": {"chain": {"states": 500, "transitions": rates}}, "export": true,
    });
    let reply = Request::from_json(&request.to_string()).unwrap().answer().unwrap();
    let lines = reply.export["tra"].lines().skip(1);
    let back: Vec<f64> = lines.map(|line| line.split(' ').nth(2).unwrap().parse().unwrap()).collect();
    assert_eq!(back, rates.iter().map(|each| each.2).collect::<Vec<_>>());
}
