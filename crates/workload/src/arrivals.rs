//! When the sessions, or operations, of an open workload arrive.

use loadstone_stats::Rng;

use crate::{ArrivalLaw, Load, Program};

/// Stream of the arrivals' random numbers: behind those of values, walks and sequences.
const ARRIVALS: u64 = 1 << 34;

/// The arrivals of one slice of a plan, in order: number and time in seconds. All slices go through the same
/// sequence and each takes every n-th of it, so that together they are exactly the arrivals that one would
/// make.
///
/// The n-th comes when the integral of the rate reaches n; of a Poisson process, the n-th point of one with
/// rate 1. So the law holds whatever the rate does meanwhile.
#[derive(Debug, Clone)]
pub struct Arrivals {
    rates: Rates,
    until_s: f64,
    law: ArrivalLaw,
    rng: Rng,
    /// The slice's next arrival, and the integral at which it comes.
    number: u32,
    point: f64,
    at_s: f64,
    step: u32,
}

impl Arrivals {
    /// Those of slice `first` of `step`; none where users stay.
    pub fn new(program: &Program, first: u32, step: u32) -> Option<Self> {
        let load = &program.load;
        let rates = Rates::of(load)?;
        let mut rng = Rng::stream(program.seed, ARRIVALS);
        let point = if load.arrivals == ArrivalLaw::Even { 0.0 } else { unit_gap(&mut rng) };
        let law = load.arrivals;
        let mut arrivals =
            Self { rates, until_s: until_s(load), law, rng, number: 0, point, at_s: 0.0, step };
        arrivals.go_on(first);
        Some(arrivals)
    }

    /// The next arrival, if any is left.
    pub fn current(&self) -> Option<(u32, f64)> {
        (self.at_s < self.until_s).then_some((self.number, self.at_s))
    }

    /// Goes on to the one after it.
    pub fn advance(&mut self) {
        self.go_on(self.step);
    }

    /// From `at_s` on they come at this rate, whatever the plan says; earlier ones stay where they are.
    pub fn change(&mut self, at_s: f64, rate: f64) {
        self.rates.change(at_s, rate);
        self.at_s = self.rates.time_of(self.point);
    }

    fn go_on(&mut self, arrivals: u32) {
        for _ in 0..arrivals {
            self.number = self.number.wrapping_add(1);
            self.point = match self.law {
                ArrivalLaw::Even => f64::from(self.number),
                ArrivalLaw::Poisson => self.point + unit_gap(&mut self.rng),
            };
        }
        self.at_s = self.rates.time_of(self.point);
    }
}

impl Iterator for Arrivals {
    type Item = (u32, f64);

    fn next(&mut self) -> Option<(u32, f64)> {
        let arrival = self.current()?;
        self.advance();
        Some(arrival)
    }
}

/// A rate that is constant for a while, then another one.
#[derive(Debug, Clone)]
struct Rates {
    steps: Vec<Step>,
    /// The step that the last question led to; questions ascend.
    at: usize,
}

#[derive(Debug, Clone, Copy)]
struct Step {
    from_s: f64,
    rate: f64,
    /// Integral of the rate up to here.
    before: f64,
}

impl Rates {
    fn of(load: &Load) -> Option<Self> {
        let mut rates = Self { steps: vec![Step { from_s: 0.0, rate: load.rate()?, before: 0.0 }], at: 0 };
        for (at, rate) in &load.profile {
            rates.change(load.ramp_up_s + at, *rate);
        }
        Some(rates)
    }

    fn change(&mut self, from_s: f64, rate: f64) {
        let before = self.integral(from_s);
        self.steps.retain(|step| step.from_s < from_s);
        self.steps.push(Step { from_s, rate, before });
        self.at = 0;
    }

    fn integral(&self, at_s: f64) -> f64 {
        let step = self.steps.iter().rev().find(|step| step.from_s <= at_s);
        step.map_or(0.0, |step| step.before + (at_s - step.from_s) * step.rate)
    }

    /// When the integral reaches `point`; never if the rate stays 0.
    fn time_of(&mut self, point: f64) -> f64 {
        while self.steps.get(self.at + 1).is_some_and(|next| point >= next.before) {
            self.at += 1;
        }
        let Step { from_s, rate, before } = self.steps[self.at];
        if rate > 0.0 { from_s + (point - before) / rate } else { f64::INFINITY }
    }
}

fn unit_gap(rng: &mut Rng) -> f64 {
    -rng.unit_open().ln()
}

/// When arrivals end: sessions have the ramp-down to end in, and single operations go on like users.
pub(crate) fn until_s(load: &Load) -> f64 {
    let rest = if load.requests_per_s.is_some() { load.ramp_down_s } else { 0.0 };
    load.ramp_up_s + load.steady_s + rest
}

/// How many arrive, in the mean.
pub(crate) fn mean(load: &Load) -> f64 {
    Rates::of(load).map_or(0.0, |rates| rates.integral(until_s(load)))
}

/// More than these do not arrive; of a Poisson process with a probability beyond 1 - 1e-20.
pub(crate) fn most(load: &Load) -> u32 {
    let mean = mean(load);
    match load.arrivals {
        ArrivalLaw::Even => mean.ceil() as u32,
        ArrivalLaw::Poisson => (mean + 10.0 * mean.sqrt() + 40.0).ceil() as u32,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tests::program;

    fn open(law: &str, rate: f64) -> Program {
        let mut plan = crate::tests::base();
        plan["load"] = json!({"sessions_per_s": rate, "arrivals": law, "ramp_up_s": 10, "steady_s": 90, "ramp_down_s": 0,
            "timeout_s": 5});
        program(serde_json::from_value(plan).unwrap())
    }

    #[test]
    fn even_ones_are_as_many_as_rate_times_time_and_equally_far_apart() {
        let program = open("even", 8.0);
        let all: Vec<_> = Arrivals::new(&program, 0, 1).unwrap().collect();
        assert_eq!((all.len(), all[0], all[799]), (800, (0, 0.0), (799, 99.875)));
        assert_eq!(most(&program.load), 800);
    }

    #[test]
    fn a_poisson_process_has_its_count_and_gaps() {
        let program = open("poisson", 50.0);
        let all: Vec<_> = Arrivals::new(&program, 0, 1).unwrap().collect();
        // 5,000 ± 4 standard deviations, and no more than there are numbers for.
        assert!((all.len() as f64 - 5_000.0).abs() < 4.0 * 5_000f64.sqrt(), "{}", all.len());
        assert!(all.len() < most(&program.load) as usize);
        let gaps: Vec<f64> = all.windows(2).map(|pair| pair[1].1 - pair[0].1).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        // An exponential law's deviation is its mean; that of the estimate is about mean / sqrt(n).
        assert!((variance.sqrt() / mean - 1.0).abs() < 5.0 / (gaps.len() as f64).sqrt(), "{variance} {mean}");
    }

    /// 10 s at 8/s, 30 s at 2/s, 60 s at 20/s.
    fn shaped(law: &str) -> Program {
        let mut plan = crate::tests::base();
        plan["load"] = json!({"requests_per_s": 8, "connections": 4, "arrivals": law, "ramp_up_s": 5, "steady_s": 90, "ramp_down_s": 5,
            "timeout_s": 5, "profile": [[5, 2], [35, 20]]});
        program(serde_json::from_value(plan).unwrap())
    }

    #[test]
    fn a_changing_rate_keeps_its_law() {
        let program = shaped("even");
        let all: Vec<_> = Arrivals::new(&program, 0, 1).unwrap().collect();
        assert_eq!((all.len(), most(&program.load)), (80 + 60 + 1_200, 1_340));
        assert_eq!(
            [all[79].1, all[80].1, all[139].1, all[140].1, all[141].1],
            [9.875, 10.0, 39.5, 40.0, 40.05]
        );
        // Seen in the time of its own integral, a Poisson process has rate 1, and gaps of an exponential law.
        let program = shaped("poisson");
        let mut rates = Rates::of(&program.load).unwrap();
        let points: Vec<f64> =
            Arrivals::new(&program, 0, 1).unwrap().map(|(_, at)| rates.integral(at)).collect();
        let gaps: Vec<f64> = points.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        let chance = 5.0 / (gaps.len() as f64).sqrt();
        assert!((mean - 1.0).abs() < chance && (variance.sqrt() / mean - 1.0).abs() < chance);
        assert!(rates.time_of(points[0]) < 10.0);
    }

    #[test]
    fn a_change_by_hand_takes_the_place_of_what_was_to_come() {
        let mut arrivals = Arrivals::new(&shaped("even"), 0, 1).unwrap();
        let early: Vec<_> = arrivals.by_ref().take(60).collect();
        assert_eq!(early[59].1, 7.375);
        arrivals.change(8.0, 1.0);
        let late: Vec<_> = arrivals.collect();
        // The integral is 64 at 8 s: four more come as planned, then one a second.
        let times: Vec<f64> = late.iter().map(|(_, at)| *at).collect();
        assert_eq!(times[..6], [7.5, 7.625, 7.75, 7.875, 8.0, 9.0]);
        assert_eq!((late.len(), late[0].0, *times.last().unwrap()), (4 + 92, 60, 99.0));
    }

    #[test]
    fn slices_change_together() {
        let program = shaped("poisson");
        let changed = |first, step| {
            let mut arrivals = Arrivals::new(&program, first, step).unwrap();
            while arrivals.current().is_some_and(|(_, at)| at < 20.0) {
                arrivals.advance();
            }
            arrivals.change(20.5, 50.0);
            arrivals.collect::<Vec<_>>()
        };
        let mut parts: Vec<_> = (0..3).flat_map(|first| changed(first, 3)).collect();
        parts.sort_by_key(|(number, _)| *number);
        assert_eq!(parts, changed(0, 1));
    }

    #[test]
    fn slices_interleave() {
        for law in ["even", "poisson"] {
            let program = open(law, 3.0);
            let mut parts: Vec<_> = (0..4).flat_map(|i| Arrivals::new(&program, i, 4).unwrap()).collect();
            parts.sort_by_key(|(number, _)| *number);
            assert!(Arrivals::new(&program, 0, 1).unwrap().eq(parts), "{law}");
        }
    }
}
