//! What is asked of a random chain, by which methods, and whether the answers enclose the truth.

use loadstone_ctmc::{
    Answer, Chain, Enclosure, Error, Method, Options, Request, accumulated, cycle, distribution_at, large,
    long_run, passage_by, passage_mean, reward_at, stationary,
};
use num_rational::BigRational;

use crate::chains::{Random, Sample, sample};
use crate::long_run::{Limit, mean_passage};
use crate::truth::exact::Exact;
use crate::truth::{Exponential, exponential, rational};

/// Bits of a truth after the point: bounds are off by 1e-290 at most where it is smaller.
const DIGITS: usize = 1024;

/// More jumps than this are not followed one by one.
const MOST_JUMPS: f64 = 1500.0;

/// Nor are these followed in any way.
const ENDLESS: f64 = 1e40;

/// Of smaller numbers, beside the largest that could be, no width is reported.
const TINY: f64 = 1e-9;

#[derive(Debug, Default, Clone)]
pub struct Tally {
    pub asked: u64,
    pub refused: u64,
    pub misses: u64,
    pub widest: f64,
}

impl Tally {
    pub fn add(&mut self, other: &Self) {
        self.asked += other.asked;
        self.refused += other.refused;
        self.misses += other.misses;
        self.widest = self.widest.max(other.widest);
    }
}

/// One question's outcome.
pub struct Found {
    pub about: String,
    pub tally: Tally,
}

struct Asking {
    seed: u64,
    sample: Sample,
    found: Vec<Found>,
}

impl Asking {
    /// Notes an answer; `holds` says whether the truth is between its ends, `unit` what it could be at most.
    fn note(
        &mut self,
        (about, method, unit): (&str, Option<Method>, f64),
        found: Result<Enclosure, Error>,
        holds: impl Fn(Enclosure) -> bool,
    ) {
        let mut tally = Tally { asked: 1, ..Tally::default() };
        match found {
            Ok(bounds) => {
                if !holds(bounds) {
                    tally.misses = 1;
                    println!("MISS {about} {method:?} of chain {}: {bounds:?}", self.seed);
                    println!("     {:?}", self.sample);
                }
                if bounds.high > (unit * TINY).max(1e-250) && bounds.high < f64::INFINITY {
                    tally.widest = bounds.relative_width();
                }
            }
            Err(_) => tally.refused = 1,
        }
        let method = method.map_or("free".to_owned(), |method| format!("{method:?}").to_lowercase());
        self.found.push(Found { about: format!("{about}, {method}"), tally });
    }
}

/// All questions about chain number `seed`.
pub fn ask(seed: u64) -> Vec<Found> {
    let sample = sample(seed);
    let chain = Chain::new(sample.states, sample.rates.clone(), sample.initial.clone()).expect("a chain");
    let jumps = chain.fastest() * sample.time;
    let bearable = jumps < ENDLESS && sample.time.is_normal();
    let mut random = Random::new(!seed);
    let mut asking = Asking { seed, sample, found: Vec::new() };
    for_ever(&mut asking, &chain);
    if !bearable {
        return asking.found;
    }
    let mut methods = vec![None, Some(Method::Doubling)];
    if jumps < MOST_JUMPS {
        methods.push(Some(Method::Uniformization));
    }
    if random.chance(0.2) {
        methods.push(Some(Method::Implicit));
    }
    let precision = random.pick(&[1e-3, 1e-8, 1e-12]);
    let truth = exponential(asking.sample.states, &asking.sample.rates, asking.sample.time, DIGITS);
    let passage = passed(&asking.sample);
    for method in methods {
        let options = Options { precision, threads: 1, method };
        at_a_time(&mut asking, &chain, &options, &truth);
        let found = passage_by(&chain, &asking.sample.target, asking.sample.time, &options);
        asking.note(("first-by", method, 1.0), found.map(bounds), |bounds| encloses(bounds, &passage));
    }
    lumped(&mut asking, &truth, precision);
    if random.chance(0.2) {
        iterated(&mut asking, &chain, &Options { precision, threads: 1, method: None }, &truth);
    }
    asking.found
}

fn bounds(answer: Answer) -> Enclosure {
    answer.enclosure
}

/// A truth, the unit it is in and what it may err by.
struct Truth {
    value: Exact,
    unit: Exact,
    blur: Exact,
}

fn encloses(bounds: Enclosure, truth: &Truth) -> bool {
    let value = &truth.value * &truth.unit;
    let blur = &truth.blur * &truth.unit;
    let high = bounds.high == f64::INFINITY || value <= &Exact::of(bounds.high) + &blur;
    bounds.low <= bounds.high && high && Exact::of(bounds.low) <= &value + &blur
}

/// Σ initial · matrix · reward.
fn mean(sample: &Sample, matrix: &[Exact], reward: impl Fn(usize) -> f64) -> Exact {
    let mut total = Exact::of(0.0);
    for &(from, share) in &sample.initial {
        for to in (0..sample.states).filter(|&to| reward(to) != 0.0) {
            let term = &matrix[from * sample.states + to] * &Exact::of(reward(to));
            total = &total + &(&term * &Exact::of(share));
        }
    }
    total
}

/// The largest reward, the expected one at the time, and what is earned until then.
fn earned(sample: &Sample, truth: &Exponential) -> (f64, Truth, Truth) {
    let most = sample.reward.iter().copied().fold(0.0, f64::max);
    let blur = &truth.blur * &Exact::of(most * sample.states as f64);
    let [at, until] =
        [&truth.power, &truth.shares].map(|each| mean(sample, each, |state| sample.reward[state]));
    let at = Truth { value: at, unit: Exact::of(1.0), blur: blur.clone() };
    (most, at, Truth { value: until, unit: Exact::of(sample.time), blur })
}

fn at_a_time(asking: &mut Asking, chain: &Chain, options: &Options, truth: &Exponential) {
    let Sample { reward, time, states, .. } = asking.sample.clone();
    let (most, at, until) = earned(&asking.sample, truth);
    let found = reward_at(chain, &reward, time, options);
    asking.note(("at", options.method, most), found.map(bounds), |bounds| encloses(bounds, &at));
    let found = accumulated(chain, &reward, time, options);
    asking.note(("until", options.method, most * time), found.map(bounds), |bounds| encloses(bounds, &until));
    let found = distribution_at(chain, time, options);
    for state in 0..states {
        let value = mean(&asking.sample, &truth.power, |each| f64::from(u8::from(each == state)));
        let one = Truth { value, unit: Exact::of(1.0), blur: truth.blur.clone() };
        let found = found.as_ref().map(|found| found.enclosure(state)).map_err(Clone::clone);
        asking.note(("state", options.method, 1.0), found, |bounds| encloses(bounds, &one));
    }
}

/// Implicit steps as large chains take them.
fn iterated(asking: &mut Asking, chain: &Chain, options: &Options, truth: &Exponential) {
    let Sample { reward, time, .. } = asking.sample.clone();
    let (most, at, until) = earned(&asking.sample, truth);
    if let Some(found) = large::reward_at(chain, &reward, time, options).transpose() {
        asking.note(("at, iterated", None, most), found.map(bounds), |bounds| encloses(bounds, &at));
    }
    if let Some(found) = large::accumulated(chain, &reward, time, options).transpose() {
        let about = ("until, iterated", None, most * time);
        asking.note(about, found.map(bounds), |bounds| encloses(bounds, &until));
    }
}

/// The probability of a target by the time.
fn passed(sample: &Sample) -> Truth {
    let stopped: Vec<_> = sample.rates.iter().copied().filter(|each| !sample.target[each.0]).collect();
    let truth = exponential(sample.states, &stopped, sample.time, DIGITS);
    let value = mean(sample, &truth.power, |state| f64::from(u8::from(sample.target[state])));
    Truth { value, unit: Exact::of(1.0), blur: &truth.blur * &Exact::of(sample.states as f64) }
}

/// States that cannot be told apart, asked through the data that other languages hand in.
fn lumped(asking: &mut Asking, truth: &Exponential, precision: f64) {
    let Some(rates) = asking.sample.copied.clone() else { return };
    let Sample { reward, time, states, initial, .. } = asking.sample.clone();
    let copied = |state: usize| if state == 0 { 0 } else { 2 * state };
    let rewards: Vec<f64> = (0..2 * states - 1).map(|copy| reward[copy.div_ceil(2)]).collect();
    let initial: Vec<_> = initial.iter().map(|&(state, share)| (copied(state), share)).collect();
    let request = serde_json::json!({
        "model": {"chain": {
            "states": 2 * states - 1, "transitions": rates, "initial": initial, "rewards": {"r": rewards},
        }},
        "questions": [{"ask": "until", "of": "r", "time": time}, {"ask": "long-run", "of": "r"}],
        "precision": precision, "threads": 1, "lump": true,
    });
    let most = reward.iter().copied().fold(0.0, f64::max);
    let value = mean(&asking.sample, &truth.shares, |state| reward[state]);
    let blur = &truth.blur * &Exact::of(most * states as f64);
    let until = Truth { value, unit: Exact::of(time), blur };
    let limit = Limit::of(&asking.sample);
    let found = Request::from_json(&request.to_string()).and_then(Request::answer);
    let figure = |which: usize| {
        let reply = found.as_ref().map_err(Clone::clone)?;
        let figure = &reply.answers[which];
        Ok(Enclosure { low: figure.low, high: figure.high.unwrap_or(f64::INFINITY) })
    };
    let (first, second) = (figure(0), figure(1));
    asking.note(("until, lumped", None, most * time), first, |bounds| encloses(bounds, &until));
    asking.note(("long-run, lumped", None, most), second, |bounds| contains(bounds, &limit.mean(&reward)));
}

/// Whether an exact number is between the ends, where underflow may take 1e-290.
fn contains(bounds: Enclosure, truth: &BigRational) -> bool {
    let high = bounds.high == f64::INFINITY || *truth <= rational(bounds.high);
    bounds.low <= bounds.high && rational(bounds.low) <= *truth && high
}

/// Questions without a time.
fn for_ever(asking: &mut Asking, chain: &Chain) {
    let Sample { reward, target, states, .. } = asking.sample.clone();
    let limit = Limit::of(&asking.sample);
    let options = Options { threads: 1, ..Options::default() };
    let found = long_run(chain, &reward, &options).map(bounds);
    asking.note(("long-run", None, 0.0), found, |bounds| contains(bounds, &limit.mean(&reward)));
    let found = stationary(chain);
    for state in 0..states {
        let found = found.as_ref().map(|found| found.enclosure(state)).map_err(Clone::clone);
        asking.note(("state, long run", None, 0.0), found, |bounds| contains(bounds, &limit.shares[state]));
    }
    if let Ok(found) = cycle(chain, &target, &options) {
        let marked = |wanted: bool| {
            (0..states)
                .filter(|&state| target[state] == wanted)
                .map(|state| limit.shares[state].clone())
                .sum()
        };
        let (down, up): (BigRational, BigRational) = (marked(true), marked(false));
        let falls = asking.sample.rates.iter().filter(|each| !target[each.0] && target[each.1]);
        let flow: BigRational = falls.map(|each| &limit.shares[each.0] * rational(each.2)).sum();
        if flow != rational(0.0) {
            let parts = [
                ("cycle-share", found.down, down.clone()),
                ("cycle-frequency", found.frequency, flow.clone()),
                ("cycle-mean", found.mean_down, down / &flow),
                ("cycle-mean-between", found.mean_up, up / &flow),
            ];
            for (about, bounds, truth) in parts {
                asking.note((about, None, 0.0), Ok(bounds), |bounds| contains(bounds, &truth));
            }
        }
    }
    let truth = mean_passage(&asking.sample);
    let found = passage_mean(chain, &target).map(bounds);
    asking.note(("first-mean", None, 0.0), found, |bounds| match &truth {
        Some(truth) => contains(bounds, truth),
        None => bounds.high == f64::INFINITY,
    });
    // As large chains are asked.
    if let Some(found) = large::long_run(chain, &reward, &options).transpose() {
        let truth = limit.mean(&reward);
        asking.note(("long-run, iterated", None, 0.0), found, |bounds| contains(bounds, &truth));
    }
    if let Some(found) = large::passage_mean(chain, &target, &options).transpose() {
        asking.note(("first-mean, iterated", None, 0.0), found, |bounds| {
            truth.as_ref().is_some_and(|truth| contains(bounds, truth))
        });
    }
}
