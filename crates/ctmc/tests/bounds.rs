//! The stated bounds against exact arithmetic, on random chains from mild to stiff.

mod truth;

use loadstone_ctmc::{
    Chain, Method, Options, Transition, accumulated, distribution_at, passage_by, passage_mean, reward_at,
    stationary,
};
use num_rational::BigRational;
use proptest::prelude::*;
use truth::{inside, rational, rationals, solved};

/// Rates from one in some years to one in some microseconds.
fn rate() -> impl Strategy<Value = f64> {
    (1.0..10.0_f64, -8..6_i32).prop_map(|(digits, exponent)| digits * 10.0_f64.powi(exponent))
}

fn transitions(states: usize) -> impl Strategy<Value = Vec<Transition>> {
    prop::collection::vec((0..states, 0..states, rate()), 1..3 * states)
}

/// A chain in which every state leads to the next, so that all are seen for ever.
fn irreducible() -> impl Strategy<Value = (usize, Vec<Transition>)> {
    (2..7_usize).prop_flat_map(|states| {
        let ring = prop::collection::vec(rate(), states);
        (Just(states), ring, transitions(states)).prop_map(|(states, ring, mut more)| {
            more.extend(ring.into_iter().enumerate().map(|(from, rate)| (from, (from + 1) % states, rate)));
            (states, more)
        })
    })
}

fn any_chain() -> impl Strategy<Value = (usize, Vec<Transition>)> {
    (2..6_usize).prop_flat_map(|states| (Just(states), transitions(states)))
}

fn generator(states: usize, rates: &[Transition]) -> Vec<Vec<BigRational>> {
    let mut matrix = vec![vec![rational(0.0); states]; states];
    for &(from, to, rate) in rates.iter().filter(|each| each.0 != each.1) {
        matrix[from][to] += rational(rate);
        matrix[from][from] -= rational(rate);
    }
    matrix
}

fn with(method: Method) -> Options {
    Options { method: Some(method), ..Options::default() }
}

fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// Parallel rates are added to within a rounding; the truth must start from the same sums.
fn merged(rates: Vec<Transition>) -> Vec<Transition> {
    let mut once: Vec<Transition> = Vec::new();
    for each in rates {
        if !once.iter().any(|other| (other.0, other.1) == (each.0, each.1)) {
            once.push(each);
        }
    }
    once
}

proptest! {
    #![proptest_config(cases(1000))]

    #[test]
    fn stationary_probabilities_are_enclosed((states, rates) in irreducible()) {
        let rates = merged(rates);
        let chain = Chain::new(states, rates.clone(), vec![(0, 1.0)]).unwrap();
        let found = stationary(&chain).unwrap();
        // π·Q = 0 with one equation replaced by the sum.
        let generator = generator(states, &rates);
        let mut matrix: Vec<Vec<BigRational>> =
            (0..states).map(|to| (0..states).map(|from| generator[from][to].clone()).collect()).collect();
        matrix[states - 1] = vec![rational(1.0); states];
        let mut right = vec![rational(0.0); states];
        right[states - 1] = rational(1.0);
        for (state, truth) in solved(matrix, right).iter().enumerate() {
            let bounds = found.enclosure(state);
            prop_assert!(inside(truth, bounds.low, bounds.high), "{bounds:?} {truth}");
            prop_assert!(bounds.relative_width() < 1e-12);
        }
    }

    #[test]
    fn mean_passages_are_enclosed((states, rates) in irreducible()) {
        let rates = merged(rates);
        let chain = Chain::new(states, rates.clone(), vec![(0, 1.0)]).unwrap();
        let mut target = vec![false; states];
        target[states - 1] = true;
        let found = passage_mean(&chain, &target).unwrap().enclosure;
        let matrix = generator(states, &rates);
        let matrix = matrix[..states - 1].iter().map(|row| row[..states - 1].to_vec()).collect();
        let truth = &solved(matrix, vec![rational(-1.0); states - 1])[0];
        prop_assert!(inside(truth, found.low, found.high));
        prop_assert!(found.relative_width() < 1e-12);
    }
}

proptest! {
    #![proptest_config(cases(350))]

    #[test]
    fn doubling_encloses_the_transient_truth(
        (states, rates) in any_chain(), time in rate(), earning in prop::collection::vec(0..4_u8, 5),
    ) {
        check(states, merged(rates), time, &earning, Method::Doubling)?;
    }

    #[test]
    fn uniformization_encloses_the_transient_truth(
        (states, rates) in any_chain(), jumps in 0.001..3000.0_f64, earning in prop::collection::vec(0..4_u8, 5),
    ) {
        let fastest = rates.iter().map(|each| each.2).fold(0.0, f64::max);
        check(states, merged(rates), jumps / fastest, &earning, Method::Uniformization)?;
    }

    #[test]
    fn the_time_to_first_outage_is_enclosed((states, rates) in any_chain(), time in rate()) {
        let rates = merged(rates);
        let chain = Chain::new(states, rates.clone(), vec![(0, 1.0)]).unwrap();
        let mut target = vec![false; states];
        target[states - 1] = true;
        let found = passage_by(&chain, &target, time, &Options::default()).unwrap().enclosure;
        let stopped: Vec<Transition> = rates.into_iter().filter(|each| each.0 != states - 1).collect();
        let truth = &rationals(states, &stopped, time).0[states - 1];
        prop_assert!(inside(truth, found.low, found.high), "{found:?} {truth}");
    }
}

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn implicit_steps_enclose_the_transient_truth(
        (states, rates) in any_chain(), jumps in -3..9_i32, earning in prop::collection::vec(0..4_u8, 5),
    ) {
        let fastest = rates.iter().map(|each| each.2).fold(0.0, f64::max);
        check(states, merged(rates), 10.0_f64.powi(jumps) / fastest, &earning, Method::Implicit)?;
    }
}

/// A grid of 11 × 11 states with a drift home: beyond the 48 likeliest states little happens.
fn grid() -> impl Strategy<Value = Vec<Transition>> {
    prop::collection::vec((1e-4..1.0_f64, 1.0..10.0_f64), 2 * 121).prop_map(|rates| {
        let mut transitions = Vec::new();
        for (at, &(away, home)) in rates.iter().enumerate() {
            let (state, step) = (at / 2, if at % 2 == 0 { 1 } else { 11 });
            let place = if step == 1 { state % 11 } else { state / 11 };
            if place < 10 {
                transitions.extend([(state, state + step, away * 0.01), (state + step, state, home)]);
            }
        }
        transitions
    })
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn what_projection_leaves_out_is_in_the_bounds(rates in grid(), time in 1.0..200.0_f64, corner in 1..60_usize) {
        let chain = Chain::new(121, rates, vec![(0, 1.0)]).unwrap();
        let reward: Vec<f64> = (0..121).map(|state| if state >= corner { 1.0 } else { 0.0 }).collect();
        let solve = |method| {
            let options = Options { precision: 1e-6, ..with(method) };
            [reward_at(&chain, &reward, time, &options).unwrap(), accumulated(&chain, &reward, time, &options).unwrap()]
        };
        for (few, all) in solve(Method::Doubling).into_iter().zip(solve(Method::Uniformization)) {
            prop_assert!(few.enclosure.low <= all.enclosure.high && all.enclosure.low <= few.enclosure.high);
            prop_assert!(few.enclosure.relative_width() <= 1e-6, "{:?}", few);
        }
    }
}

fn check(
    states: usize,
    rates: Vec<Transition>,
    time: f64,
    earning: &[u8],
    method: Method,
) -> Result<(), TestCaseError> {
    let chain = Chain::new(states, rates.clone(), vec![(0, 1.0)]).unwrap();
    let reward: Vec<f64> = earning.iter().take(states).map(|&each| f64::from(each) / 3.0).collect();
    let (power, integral) = rationals(states, &rates, time);
    let mean =
        |row: &[BigRational]| row.iter().zip(&reward).map(|(p, r)| p * rational(*r)).sum::<BigRational>();
    let at = reward_at(&chain, &reward, time, &with(method)).unwrap();
    // Implicit steps give way to doubling where an answer is too small for their tolerance.
    prop_assert!(at.method == method || (method == Method::Implicit && at.method == Method::Doubling));
    let truth = mean(&power[..states]);
    prop_assert!(inside(&truth, at.enclosure.low, at.enclosure.high), "at: {:?} {}", at, truth);
    let until = accumulated(&chain, &reward, time, &with(method)).unwrap().enclosure;
    let truth = mean(&integral[..states]);
    prop_assert!(inside(&truth, until.low, until.high), "until: {:?} {}", until, truth);
    let tiny = if method == Method::Implicit { 1e-9 } else { 1e-18 };
    prop_assert!(until.relative_width() < 2e-8 || until.high < tiny * time, "{:?}", until);
    let found = distribution_at(&chain, time, &with(method)).unwrap();
    for (state, truth) in power[..states].iter().enumerate() {
        let bounds = found.enclosure(state);
        prop_assert!(inside(truth, bounds.low, bounds.high), "{state}: {bounds:?} {truth}");
    }
    Ok(())
}
