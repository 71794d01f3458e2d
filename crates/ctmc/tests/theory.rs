//! Textbook chains with answers as formulas, a thousand random instances of each: the truth lies in the
//! bounds.

use loadstone_ctmc::{
    Chain, Enclosure, Method, Options, Transition, accumulated, long_run, passage_by, passage_mean,
    reward_at, stationary,
};
use proptest::prelude::*;

/// Formulas below add and multiply positive numbers only: their own error, in f64.
const FORMULA: f64 = 1e-12;

fn cases() -> ProptestConfig {
    ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() }
}

/// From one in some years to one in some milliseconds, in seconds.
fn rate() -> impl Strategy<Value = f64> {
    (-8.0..3.0_f64).prop_map(|exponent| 10.0_f64.powf(exponent))
}

fn holds(found: Enclosure, truth: f64, width: f64) -> Result<(), TestCaseError> {
    prop_assert!(
        found.low <= truth * (1.0 + FORMULA) && truth * (1.0 - FORMULA) <= found.high,
        "{found:?} {truth}"
    );
    // What hardly ever happens is enclosed too, but less closely: see the tails of the short step, and
    // underflow.
    prop_assert!(found.relative_width() <= width || found.high < 1e-27, "{found:?}");
    Ok(())
}

/// Where a chain on a line is in the long run: weights are products of the ratios of up and down rates.
fn line(ups: &[f64], downs: &[f64]) -> (Chain, Vec<f64>) {
    let mut transitions: Vec<Transition> = Vec::new();
    let mut weights = vec![1.0];
    for (at, (up, down)) in ups.iter().zip(downs).enumerate() {
        transitions.extend([(at, at + 1, *up), (at + 1, at, *down)]);
        weights.push(weights[at] * up / down);
    }
    let total: f64 = weights.iter().sum();
    let chain = Chain::new(weights.len(), transitions, vec![(0, 1.0)]).unwrap();
    (chain, weights.iter().map(|weight| weight / total).collect())
}

fn last(states: usize) -> Vec<f64> {
    (0..states).map(|state| f64::from(u8::from(state + 1 == states))).collect()
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn birth_and_death(rates in prop::collection::vec((rate(), rate()), 1..12)) {
        let (ups, downs): (Vec<f64>, Vec<f64>) = rates.into_iter().unzip();
        let (chain, truth) = line(&ups, &downs);
        let found = long_run(&chain, &last(truth.len()), &Options::default()).unwrap();
        prop_assert_eq!(found.method, Method::Closed);
        holds(found.enclosure, truth[truth.len() - 1], 1e-10)?;
        // The formula beside elimination, which knows nothing of it.
        holds(stationary(&chain).unwrap().enclosure(truth.len() - 1), truth[truth.len() - 1], 1e-10)?;
    }

    #[test]
    fn passages_along_a_line(
        rates in prop::collection::vec((rate(), rate()), 2..10),
        start in any::<prop::sample::Index>(), goal in any::<prop::sample::Index>(),
    ) {
        let (ups, downs): (Vec<f64>, Vec<f64>) = rates.into_iter().unzip();
        let (chain, weights) = line(&ups, &downs);
        let states = weights.len();
        let (start, goal) = (start.index(states), goal.index(states));
        let chain = chain.starting(vec![(start, 1.0)]).unwrap();
        let target: Vec<bool> = (0..states).map(|state| state == goal).collect();
        let found = passage_mean(&chain, &target).unwrap();
        // With a state beside the line it is none: then it is eliminated.
        let mut transitions: Vec<Transition> = (0..states)
            .flat_map(|from| chain.row(from).map(move |(to, rate)| (from, to, rate)))
            .collect();
        transitions.extend([(goal, states, 1.0), (goal, states + 1, 1.0)]);
        let other = Chain::new(states + 2, transitions, vec![(start, 1.0)]).unwrap();
        let eliminated = passage_mean(&other, &[&target[..], &[false, false]].concat()).unwrap();
        if start != goal {
            prop_assert_eq!((found.method, eliminated.method), (Method::Closed, Method::Elimination));
        }
        let (one, two) = (found.enclosure, eliminated.enclosure);
        prop_assert!(one.low <= two.high && two.low <= one.high, "{one:?} {two:?}");
        prop_assert!(one.relative_width() <= 1e-13, "{one:?}");
    }

    #[test]
    fn a_queue_with_servers_and_places(arrival in rate(), service in rate(), servers in 1..9_usize, more in 0..20_usize) {
        let downs: Vec<f64> = (1..=servers + more).map(|jobs| service * jobs.min(servers) as f64).collect();
        let (chain, truth) = line(&vec![arrival; downs.len()], &downs);
        let found = long_run(&chain, &last(truth.len()), &Options::default()).unwrap();
        holds(found.enclosure, truth[truth.len() - 1], 1e-10)?;
    }

    #[test]
    fn machines_and_repairers(crash in rate(), repair in rate(), machines in 1..15_usize, crew in 1..5_usize) {
        let ups: Vec<f64> = (0..machines).map(|down| crash * (machines - down) as f64).collect();
        let downs: Vec<f64> = (1..=machines).map(|down| repair * down.min(crew) as f64).collect();
        let (chain, truth) = line(&ups, &downs);
        let found = long_run(&chain, &last(truth.len()), &Options::default()).unwrap();
        holds(found.enclosure, truth[machines], 1e-10)?;
    }

    #[test]
    fn two_states(crash in rate(), repair in rate(), time in rate()) {
        let chain = Chain::new(2, vec![(0, 1, crash), (1, 0, repair)], vec![(0, 1.0)]).unwrap();
        let both = crash + repair;
        let found = reward_at(&chain, &[0.0, 1.0], time, &Options::default()).unwrap();
        holds(found.enclosure, crash / both * -(-both * time).exp_m1(), 1e-8)?;
        prop_assert_eq!(found.method, Method::Closed);
        if both * time < 1e6 {
            // Both kinds of answers, from both states, beside the exponential doubled.
            let doubled = Options { method: Some(Method::Doubling), ..Options::default() };
            for reward in [[0.0, 1.0], [2.0, 0.5]] {
                for ask in [reward_at, accumulated] {
                    let [one, two] = [Options::default(), doubled]
                        .map(|options| ask(&chain, &reward, time, &options).unwrap().enclosure);
                    prop_assert!(one.low <= two.high && two.low <= one.high, "{one:?} {two:?}");
                    prop_assert!(one.relative_width() <= 1e-11, "{one:?}");
                }
            }
        }
        let found = long_run(&chain, &[0.0, 1.0], &Options::default()).unwrap();
        holds(found.enclosure, crash / both, 1e-12)?;
        holds(passage_mean(&chain, &[false, true]).unwrap().enclosure, 1.0 / crash, 1e-12)?;
    }

    #[test]
    fn phases_of_erlang(pace in rate(), jumps in -3.0..2.5_f64, phases in 1..12_usize) {
        let transitions = (0..phases).map(|phase| (phase, phase + 1, pace)).collect();
        let chain = Chain::new(phases + 1, transitions, vec![(0, 1.0)]).unwrap();
        let target: Vec<bool> = (0..=phases).map(|phase| phase == phases).collect();
        let mean = 10.0_f64.powf(jumps);
        let found = passage_by(&chain, &target, mean / pace, &Options::default()).unwrap();
        // All jumps from the last phase on, from the first probability outwards.
        let mut term = (1..=phases).fold((-mean).exp(), |term, jump| term * mean / jump as f64);
        let mut truth = 0.0;
        for jump in phases + 1..phases + 2000 {
            truth += term;
            term *= mean / jump as f64;
        }
        holds(found.enclosure, truth, 1e-8)?;
        holds(passage_mean(&chain, &target).unwrap().enclosure, phases as f64 / pace, 1e-12)?;
    }
}
