//! Which of several scenarios a user, a session or a request belongs to: its number says it.
//!
//! Numbers are dealt in rounds as long as the sum of all weights, in each of which every scenario has as many as its
//! weight, spread as evenly as can be. So shares hold among any first numbers, and nobody changes sides when there are
//! more: of two scenarios each is less than one from its share, of several less than two, and none at all after whole
//! rounds.

use loadstone_stats::Rng;

use crate::error::{Error, Result};

/// Most weight of all scenarios together: the length of a round, two bytes each.
const MOST_WEIGHT: u64 = 1 << 20;
/// Most scenarios.
const MOST: usize = 64;
/// Stream of the random numbers of what is dealt by chance: behind those of arrivals.
const DEALS: u64 = 1 << 35;
/// 2^64 by the golden ratio: multiples of it are spread evenly, whatever they are divided by.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// How numbers are dealt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Deal {
    round: Box<[u16]>,
    /// Seed of chance, where that deals.
    seed: Option<u64>,
}

impl Deal {
    /// To scenarios of these weights. With `seed` by chance: of a Poisson process every scenario then has a Poisson
    /// process of its own.
    pub(crate) fn new(weights: &[u32], seed: Option<u64>) -> Result<Self> {
        let total: u64 = weights.iter().map(|weight| u64::from(*weight)).sum();
        if weights.contains(&0) || total > MOST_WEIGHT || weights.len() > MOST {
            return Err(Error::Range(format!(
                "scenarios: at most {MOST}, with weights from 1 on, together at most {MOST_WEIGHT}"
            )));
        }
        let round = if weights.len() < 2 { vec![0] } else { round(weights, total as i64) };
        Ok(Self { round: round.into(), seed })
    }

    /// The scenario of a number.
    pub(crate) fn of(&self, number: u32) -> usize {
        let (length, number) = (self.round.len() as u64, u64::from(number));
        if length == 1 {
            return 0;
        }
        let at = match self.seed {
            Some(seed) => Rng::stream(seed, DEALS + number).below(length),
            // Every round begins elsewhere, or threads and agents, which take every n-th number, would have all
            // users of one scenario.
            None => {
                let turn = (number / length).wrapping_mul(GOLDEN) >> 32;
                (number + ((turn * length) >> 32)) % length
            }
        };
        usize::from(self.round[at as usize])
    }
}

/// A round in which each scenario is less than one from its share all the time.
///
/// Tijdeman, "The chairman assignment problem", Discrete Mathematics 32 (1980): of those that are owed at least
/// 1 / (2k - 2), the next number goes to the one that would be owed too much first. Everything is in units of
/// 1 / `total` / (2k - 2).
fn round(weights: &[u32], total: i64) -> Vec<u16> {
    let unit = 2 * weights.len() as i64 - 2;
    let mut owed = vec![0; weights.len()];
    (0..total)
        .map(|_| {
            for (owed, weight) in owed.iter_mut().zip(weights) {
                *owed += unit * i64::from(*weight);
            }
            let mut next = usize::MAX;
            for at in (0..weights.len()).filter(|at| owed[*at] >= total) {
                // Time until more is owed than allowed, as a fraction with the weight beneath.
                let left = |at: usize| i128::from((unit - 1) * total - owed[at]);
                let sooner =
                    |next: usize| left(at) * i128::from(weights[next]) < left(next) * i128::from(weights[at]);
                if next == usize::MAX || sooner(next) {
                    next = at;
                }
            }
            owed[next] -= unit * total;
            next as u16
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn dealt(weights: &[u32], count: u32) -> Vec<usize> {
        let deal = Deal::new(weights, None).unwrap();
        (0..count).map(|number| deal.of(number)).collect()
    }

    #[test]
    fn one_scenario_has_everything() {
        assert_eq!(dealt(&[7], 3), [0, 0, 0]);
    }

    #[test]
    fn the_first_round_is_spread() {
        assert_eq!(dealt(&[4, 1], 5), [0, 0, 1, 0, 0]);
        assert_eq!(dealt(&[1, 1], 2).len(), 2);
    }

    proptest! {
        #[test]
        fn shares_hold_among_any_first_numbers(weights in prop::collection::vec(1u32..60, 2..7)) {
            let total: u32 = weights.iter().sum();
            let bound = if weights.len() == 2 { 1.0 } else { 2.0 };
            let mut count = vec![0u32; weights.len()];
            for (number, scenario) in dealt(&weights, 4 * total).into_iter().enumerate() {
                count[scenario] += 1;
                let so_far = number as u32 + 1;
                for (count, weight) in count.iter().zip(&weights) {
                    let share = f64::from(so_far) * f64::from(*weight) / f64::from(total);
                    prop_assert!((f64::from(*count) - share).abs() < bound, "{so_far} {count} {share}");
                    if so_far.is_multiple_of(total) {
                        prop_assert_eq!(*count * total, so_far * weight);
                    }
                }
            }
        }

        /// Within the first round, Tijdeman's own bound.
        #[test]
        fn a_round_is_as_even_as_can_be(weights in prop::collection::vec(1u32..60, 2..7)) {
            let total: u32 = weights.iter().sum();
            let bound = 1.0 - 1.0 / (2.0 * weights.len() as f64 - 2.0);
            let mut count = vec![0u32; weights.len()];
            for (number, scenario) in round(&weights, i64::from(total)).into_iter().enumerate() {
                count[usize::from(scenario)] += 1;
                for (count, weight) in count.iter().zip(&weights) {
                    let share = (number + 1) as f64 * f64::from(*weight) / f64::from(total);
                    prop_assert!((f64::from(*count) - share).abs() <= bound + 1e-9);
                }
            }
        }
    }

    #[test]
    fn threads_have_users_of_all_scenarios() {
        // Two scenarios of one half each, and four threads: every one has half of both.
        for thread in 0..4 {
            let own = dealt(&[1, 1], 4_000).into_iter().skip(thread).step_by(4);
            let first = own.filter(|scenario| *scenario == 0).count();
            assert!((490..=510).contains(&first), "{first}");
        }
    }

    #[test]
    fn chance_deals_by_the_same_shares() {
        let deal = Deal::new(&[3, 1], Some(7)).unwrap();
        let first = (0..40_000).filter(|number| deal.of(*number) == 0).count() as f64;
        // Five standard deviations of 40,000 draws.
        assert!((first - 30_000.0).abs() < 5.0 * (40_000.0f64 * 0.75 * 0.25).sqrt(), "{first}");
        let runs = (0..40_000).filter(|number| deal.of(*number) != deal.of(*number + 1)).count() as f64;
        assert!((runs - 15_000.0).abs() < 500.0, "independent of the one before: {runs}");
    }

    #[test]
    fn refusals() {
        assert!(Deal::new(&[1, 0], None).is_err());
        assert!(Deal::new(&[1 << 20, 1], None).is_err());
    }
}
