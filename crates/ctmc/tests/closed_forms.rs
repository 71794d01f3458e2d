//! Known formulas, and the published figures of replicated services, inside the enclosures.

use loadstone_ctmc::{
    Chain, Method, Options, Transition, accumulated, cycle, long_run, passage_mean, reward_at, stationary,
};

const YEAR: f64 = 365.0 * 86_400.0;
const HALF_YEARLY: f64 = 1.0 / (183.0 * 86_400.0);

fn birth_death(
    most: usize,
    birth: impl Fn(usize) -> f64,
    death: impl Fn(usize) -> f64,
    start: usize,
) -> Chain {
    let up = (0..most).map(|at| (at, at + 1, birth(at)));
    let transitions = up.chain((1..=most).map(|at| (at, at - 1, death(at)))).collect();
    Chain::new(most + 1, transitions, vec![(start, 1.0)]).unwrap()
}

fn marks(states: usize, mark: impl Fn(usize) -> bool) -> Vec<f64> {
    (0..states).map(|state| f64::from(u8::from(mark(state)))).collect()
}

/// `value` has a few roundings of its own.
fn near(bounds: loadstone_ctmc::Enclosure, value: f64) -> bool {
    bounds.low <= value * (1.0 + 1e-12) && value * (1.0 - 1e-12) <= bounds.high
}

#[test]
fn a_queue_with_room_for_k() {
    let (arrivals, service, room) = (3.0, 4.0, 12);
    let chain = birth_death(room, |_| arrivals, |_| service, 0);
    let found = stationary(&chain).unwrap();
    let load: f64 = arrivals / service;
    for jobs in 0..=room {
        let truth = (1.0 - load) * load.powi(jobs as i32) / (1.0 - load.powi(room as i32 + 1));
        assert!(near(found.enclosure(jobs), truth), "{jobs}");
    }
}

#[test]
fn lost_calls_are_erlangs() {
    let (offered, lines) = (20.0, 30);
    let chain = birth_death(lines, |_| offered, |busy| busy as f64, 0);
    let mut blocked = 1.0;
    for line in 1..=lines {
        blocked = offered * blocked / (line as f64 + offered * blocked);
    }
    let busy = marks(lines + 1, |state| state == lines);
    assert!(near(long_run(&chain, &busy, &Options::default()).unwrap().enclosure, blocked));
}

#[test]
fn independent_nodes_are_binomial_at_any_time() {
    let (nodes, crash, mend) = (6, 1.0 / YEAR, 1.0 / 15.0);
    let chain = birth_death(nodes, |up| (nodes - up) as f64 * mend, |up| up as f64 * crash, nodes);
    for time in [1.0, 20.0, 3600.0, YEAR] {
        let down = crash / (crash + mend) * -(-(crash + mend) * time).exp_m1();
        let truth = down.powi(nodes as i32);
        let all_down = marks(nodes + 1, |up| up == 0);
        let found = reward_at(&chain, &all_down, time, &Options::default()).unwrap().enclosure;
        // (1e-10 of a number of 40 zeros: no digit was lost to the 1 it is far from.)
        assert!((found.low / truth - 1.0).abs() < 1e-7 && found.contains(found.mid()), "{found:?} {truth}");
    }
}

#[test]
fn a_spare_for_a_spare_is_hypoexponential() {
    let rates = [2.0, 5.0, 0.25];
    let transitions: Vec<Transition> =
        rates.iter().enumerate().map(|(at, &rate)| (at, at + 1, rate)).collect();
    let chain = Chain::new(4, transitions, vec![(0, 1.0)]).unwrap();
    let found = passage_mean(&chain, &[false, false, false, true]).unwrap();
    assert!(near(found.enclosure, 0.5 + 0.2 + 4.0));
}

#[test]
fn a_target_that_may_be_missed_takes_for_ever() {
    let chain = Chain::new(3, vec![(0, 1, 1.0), (0, 2, 1.0)], vec![(0, 1.0)]).unwrap();
    assert_eq!(passage_mean(&chain, &[false, true, false]).unwrap().enclosure.low, f64::INFINITY);
}

#[test]
fn shares_of_two_traps_follow_the_rates() {
    let chain = Chain::new(3, vec![(0, 1, 1.0), (0, 2, 3.0)], vec![(0, 1.0)]).unwrap();
    assert!(stationary(&chain).unwrap().enclosure(2).contains(0.75));
}

#[test]
fn a_repairable_node_cycles() {
    let chain = birth_death(1, |_| 0.5, |_| 0.001, 1);
    let found = cycle(&chain, &[true, false], &Options::default()).unwrap();
    assert!(near(found.mean_down, 2.0) && near(found.mean_up, 1000.0) && near(found.frequency, 1.0 / 1002.0));
    assert!(cycle(&chain, &[false, false], &Options::default()).is_err());
}

/// Passive failover: `num` slots, a pool of cold spares, perhaps repair into the pool. State: (up, in the
/// pool).
fn passive(num: usize, pool: usize, crash: f64, failover: f64, mend: f64) -> (Chain, Vec<f64>) {
    let at = |up: usize, spare: usize| up * (pool + 1) + spare;
    let mut transitions = Vec::new();
    for (up, spare) in (0..=num).flat_map(|up| (0..=pool).map(move |spare| (up, spare))) {
        if up > 0 {
            transitions.push((at(up, spare), at(up - 1, spare), up as f64 * crash));
        }
        if up < num && spare > 0 {
            transitions.push((at(up, spare), at(up + 1, spare - 1), (num - up) as f64 * failover));
        }
        let failed = (num + pool).saturating_sub(up + spare);
        if spare < pool && failed > 0 {
            transitions.push((at(up, spare), at(up, spare + 1), failed as f64 * mend));
        }
    }
    let states = (num + 1) * (pool + 1);
    let down = marks(states, |state| state / (pool + 1) < num);
    (Chain::new(states, transitions, vec![(at(num, pool), 1.0)]).unwrap(), down)
}

fn meets(chain: &Chain, down: &[f64], target: f64) -> bool {
    let found =
        accumulated(chain, down, YEAR, &Options { precision: 1e-6, ..Options::default() }).unwrap().enclosure;
    let allowed = (1.0 - target) * YEAR;
    assert!(found.relative_width() <= 1e-6);
    assert!(found.high < allowed || found.low > allowed, "the enclosure does not decide");
    found.high < allowed
}

/// (nodes needed, crash rate, failover, spares with and without repair) for three nines over a year.
const POOLS: [(usize, f64, f64, usize); 5] = [
    (10, 1.0 / YEAR, 15.0, 18),
    (10, 1.0 / YEAR, 1800.0, 19),
    (10, HALF_YEARLY, 15.0, 30),
    (11, 1.0 / YEAR, 1800.0, 20),
    (15, 1.0 / YEAR, 60.0, 24),
];

#[test]
fn cold_pools_are_as_published() {
    for (num, crash, failover, spares) in POOLS {
        let [fewer, enough] = [spares - 1, spares]
            .map(|pool| passive(num, pool, crash, 1.0 / failover, 0.0))
            .map(|(chain, down)| meets(&chain, &down, 0.999));
        assert!(!fewer && enough, "{num} nodes, {failover} s");
        let (chain, down) = passive(num, 1, crash, 1.0 / failover, 1.0 / 3600.0);
        assert!(meets(&chain, &down, 0.999));
    }
}

#[test]
fn over_provisioning_without_repair_is_as_published() {
    for (num, crash, extra) in [
        (10, 1.0 / YEAR, 35),
        (11, 1.0 / YEAR, 37),
        (15, 1.0 / YEAR, 46),
        (10, HALF_YEARLY, 113),
        (11, HALF_YEARLY, 121),
        (15, HALF_YEARLY, 152),
    ] {
        let down = |extra: usize| {
            let chain = birth_death(num + extra, |_| 0.0, |up| up as f64 * crash, num + extra);
            meets(&chain, &marks(num + extra + 1, |up| up < num), 0.999)
        };
        assert!(!down(extra - 1) && down(extra), "{num} nodes");
    }
}

#[test]
fn replacement_in_the_cloud_is_as_published() {
    for (num, crash, wait, extra) in
        [(10, 1.0 / YEAR, 15.0, 0), (15, HALF_YEARLY, 60.0, 0), (10, HALF_YEARLY, 1800.0, 1)]
    {
        let enough = |extra: usize| {
            let nodes = num + extra;
            let chain = birth_death(nodes, |up| (nodes - up) as f64 / wait, |up| up as f64 * crash, nodes);
            meets(&chain, &marks(nodes + 1, |up| up < num), 0.999)
        };
        assert!(enough(extra) && (extra == 0 || !enough(extra - 1)), "{num} nodes");
    }
}

/// Correct, corrupt, crashed, retrying; a retry takes 2.5 µs, the horizon is a month.
#[test]
fn integrity_with_microseconds_is_as_worked_out() {
    let day = 86_400.0;
    for (faults, corrupt, crash, retry, share) in [
        (1.0 / (30.0 * day), 0.2619, 0.1249, 0.0, 0.21596),
        (21.7 / day, 0.2619, 0.1249, 0.0, 58.47801),
        (27.0 / (30.0 * day), 0.008, 0.75, 0.0, 0.17816),
        (1.0 / (30.0 * day), 0.0117, 0.0772, 0.6699, 0.00967),
        (27.0 / (30.0 * day), 0.0117, 0.0772, 0.6699, 0.26037),
    ] {
        let transitions = vec![
            (0, 1, faults * corrupt),
            (0, 2, faults * crash),
            (0, 3, faults * retry),
            (1, 0, 1.0 / 21_600.0),
            (2, 0, 1.0 / 15.0),
            (3, 0, 1.0 / 2.5e-6),
        ];
        let chain = Chain::new(4, transitions, vec![(0, 1.0)]).unwrap();
        let month = 30.0 * day;
        let found = accumulated(&chain, &[0.0, 1.0, 0.0, 0.0], month, &Options::default()).unwrap();
        assert!(found.enclosure.relative_width() < 1e-8 && found.method == Method::Doubling);
        let percent = 100.0 * found.enclosure.mid() / month;
        assert!((percent - share).abs() <= 6e-6 + 1e-5 * share * 0.5, "{percent} {share}");
    }
}

#[test]
fn a_hundred_thousand_states_of_which_few_matter() {
    let (chain, down) = passive(300, 300, 1.0 / YEAR, 1.0 / 15.0, 1.0 / 3600.0);
    let found = accumulated(&chain, &down, YEAR, &Options { precision: 1e-6, ..Options::default() }).unwrap();
    assert!(found.enclosure.relative_width() <= 1e-6 && found.states < 500, "{found:?}");
    // Down is nearly always one slot waiting 15 s for its failover: 300 crashes a year.
    assert!((found.enclosure.mid() / 4500.0 - 1.0).abs() < 1e-3);
}

/// Independent services, each up or down by itself: their product is solved whole.
#[test]
fn sweeping_encloses_a_product_of_services() {
    let (services, fail, mend) = (12_usize, 0.001, 1.0);
    let states = 1 << services;
    let flip = |state: usize, bit: usize| state ^ (1 << bit);
    let transitions: Vec<Transition> = (0..states)
        .flat_map(|state| {
            (0..services)
                .map(move |bit| (state, flip(state, bit), if state >> bit & 1 == 0 { fail } else { mend }))
        })
        .collect();
    let chain = Chain::new(states, transitions, vec![(0, 1.0)]).unwrap();
    let all_up = marks(states, |state| state != 0);
    let found = long_run(&chain, &all_up, &Options::default()).unwrap();
    let truth = -((mend / (fail + mend)).ln() * services as f64).exp_m1();
    assert!(found.method == Method::Sweeping && near(found.enclosure, truth), "{found:?} {truth}");
    assert!(found.enclosure.relative_width() <= 1e-8);
}

/// A failover leads away from the start in jumps and towards it in time; ways home alternate with repairs.
#[test]
fn sweeping_agrees_with_elimination() {
    let (chain, down) = passive(30, 30, 1.0 / YEAR, 1.0 / 15.0, 1.0 / 3600.0);
    let swept = long_run(&chain, &down, &Options::default()).unwrap();
    let eliminated = stationary(&chain).unwrap().mean(&down);
    assert!(swept.method == Method::Sweeping && swept.enclosure.relative_width() <= 1e-8);
    assert!(swept.enclosure.low <= eliminated.high && eliminated.low <= swept.enclosure.high);
}

#[test]
fn states_of_hardly_any_weight_do_not_spoil_the_others() {
    // The last state is seen once in 1e400 times: weights against it would overflow.
    let chain = birth_death(400, |_| 0.1, |_| 1.0, 400);
    let found = stationary(&chain).unwrap();
    assert!(near(found.enclosure(0), 0.9) && near(found.enclosure(7), 0.9e-7), "{:?}", found.enclosure(0));
}

#[test]
fn nonsense_is_refused() {
    assert!(Chain::new(2, vec![(0, 2, 1.0)], vec![(0, 1.0)]).is_err());
    assert!(Chain::new(2, vec![(0, 1, -1.0)], vec![(0, 1.0)]).is_err());
    assert!(Chain::new(2, vec![(0, 1, f64::NAN)], vec![(0, 1.0)]).is_err());
    assert!(Chain::new(2, vec![], vec![(0, 0.5)]).is_err());
    assert!(Chain::new(0, vec![], vec![]).is_err());
    let chain = Chain::new(2, vec![(0, 1, 1.0)], vec![(0, 1.0)]).unwrap();
    assert!(reward_at(&chain, &[1.0], 1.0, &Options::default()).is_err());
    assert!(accumulated(&chain, &[1.0, -1.0], 1.0, &Options::default()).is_err());
    assert!(accumulated(&chain, &[1.0, 0.0], f64::INFINITY, &Options::default()).is_err());
}
