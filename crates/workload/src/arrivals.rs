//! When the sessions of an open workload arrive.

use loadstone_stats::Rng;

use crate::{ArrivalLaw, Load, Program};

/// Stream of the arrivals' random numbers: behind those of values, walks and sequences.
const ARRIVALS: u64 = 1 << 34;

/// The sessions of one slice of a plan, in the order of their arrival: number and time in seconds. All slices
/// go through the same sequence and each takes every n-th of it, so that together they are exactly the
/// arrivals that one would make.
#[derive(Debug, Clone)]
pub struct Arrivals {
    rate: f64,
    until_s: f64,
    law: ArrivalLaw,
    rng: Rng,
    /// The arrival after the last one handed out, whoever's it is.
    number: u32,
    at_s: f64,
    first: u32,
    step: u32,
}

impl Arrivals {
    /// Those of slice `first` of `step`; none where the workload is not open.
    pub fn new(program: &Program, first: u32, step: u32) -> Option<Self> {
        let load = &program.load;
        let mut rng = Rng::stream(program.seed, ARRIVALS);
        let rate = load.sessions_per_s?;
        let at_s = if load.arrivals == ArrivalLaw::Even { 0.0 } else { gap(rate, &mut rng) };
        let until_s = load.ramp_up_s + load.steady_s;
        Some(Self { rate, until_s, law: load.arrivals, rng, number: 0, at_s, first, step })
    }

    fn advance(&mut self) {
        self.number += 1;
        self.at_s = match self.law {
            ArrivalLaw::Even => f64::from(self.number) / self.rate,
            ArrivalLaw::Poisson => self.at_s + gap(self.rate, &mut self.rng),
        };
    }
}

impl Iterator for Arrivals {
    type Item = (u32, f64);

    fn next(&mut self) -> Option<(u32, f64)> {
        while self.at_s < self.until_s {
            let arrival = (self.number, self.at_s);
            self.advance();
            if arrival.0 % self.step == self.first {
                return Some(arrival);
            }
        }
        None
    }
}

fn gap(rate: f64, rng: &mut Rng) -> f64 {
    -rng.unit_open().ln() / rate
}

/// More sessions than these do not arrive; of a Poisson process with a probability beyond 1 - 1e-20.
pub(crate) fn most(load: &Load) -> u32 {
    let mean = load.sessions_per_s.unwrap_or(0.0) * (load.ramp_up_s + load.steady_s);
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
