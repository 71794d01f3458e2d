//! Sequences of popular things with temporal locality: what was asked for lately is asked for again soon.

use alloc::vec::Vec;

use libm::{ceil, floor, pow};

use crate::{Law, Rng};

/// The thing taken lies within this share of the drawn distance, to either side: popularity needs a choice.
const WINDOW: f64 = 0.25;

/// Ranks 1..=count in an order in which a rank returns at a log-normal LRU stack distance, each as often as
/// Zipf's law says (Barford and Crovella 1998). The frequencies are exact; the distances are what these
/// allow, because a rank that comes once in a thousand draws cannot always be near the top of the stack.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Locality {
    /// How many ranks, at least 1.
    pub count: u32,
    /// Zipf's exponent, above 0.
    pub exponent: f64,
    /// Mean of the logarithm of the stack distance that is aimed at; 1 is the top.
    pub mu: f64,
    /// Standard deviation of that logarithm.
    pub sigma: f64,
}

impl Locality {
    /// A sequence of `length` ranks.
    pub fn sequence(&self, length: u32, rng: &mut Rng) -> Vec<u32> {
        let mut left = self.occurrences(length);
        let mut stack = shuffled(self.count, rng);
        let distance = Law::LogNormal { mu: self.mu, sigma: self.sigma, max: f64::from(self.count) };
        (0..length)
            .map(|_| {
                let at = choose(&stack, &left, distance.sample(rng), rng);
                stack[..=at].rotate_right(1);
                left[stack[0] as usize - 1] -= 1;
                stack[0]
            })
            .collect()
    }

    /// How often each rank comes: the law's shares of `length`, rounded so that they add up to it.
    fn occurrences(&self, length: u32) -> Vec<u32> {
        let weight = |rank: u32| pow(f64::from(rank), -self.exponent);
        let total: f64 = (1..=self.count).map(weight).sum();
        let mut sum = 0.0;
        let mut given = 0;
        let mut counts: Vec<u32> = (1..=self.count)
            .map(|rank| {
                sum += weight(rank);
                let upto = floor(sum / total * f64::from(length) + 0.5) as u32;
                let own = upto.saturating_sub(given);
                given = given.max(upto);
                own
            })
            .collect();
        // Rounding of the last sum.
        counts[0] += length.saturating_sub(given);
        counts
    }
}

/// 1..=count in any order (Fisher and Yates).
fn shuffled(count: u32, rng: &mut Rng) -> Vec<u32> {
    let mut all: Vec<u32> = (1..=count).collect();
    for last in (1..all.len()).rev() {
        all.swap(last, rng.below(last as u64 + 1) as usize);
    }
    all
}

/// A place of the stack around `distance`, by how often the rank there has still to come. Something has still
/// to come.
fn choose(stack: &[u32], left: &[u32], distance: f64, rng: &mut Rng) -> usize {
    let left_of = |place: &u32| u64::from(left[*place as usize - 1]);
    let mut width = WINDOW;
    loop {
        let low = (floor(distance * (1.0 - width)).max(1.0) as usize).min(stack.len()) - 1;
        let high = (ceil(distance * (1.0 + width)) as usize).clamp(low + 1, stack.len());
        let window = &stack[low..high];
        let total: u64 = window.iter().map(left_of).sum();
        if total > 0 {
            let mut at = rng.below(total);
            for (offset, place) in window.iter().enumerate() {
                match at.checked_sub(left_of(place)) {
                    Some(rest) => at = rest,
                    None => return low + offset,
                }
            }
        }
        width = width * 2.0 + 1.0 / distance.max(1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The logarithms of the stack distances of ranks that return.
    fn log_distances(sequence: &[u32]) -> Vec<f64> {
        let mut stack: Vec<u32> = Vec::new();
        let mut found = Vec::new();
        for rank in sequence {
            if let Some(at) = stack.iter().position(|other| other == rank) {
                found.push(libm::log(at as f64 + 1.0));
                stack[..=at].rotate_right(1);
            } else {
                stack.insert(0, *rank);
            }
        }
        found
    }

    fn moments(values: &[f64]) -> (f64, f64) {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        (mean, (values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / count).sqrt())
    }

    #[test]
    fn ranks_come_as_often_as_the_law_says() {
        let law = Locality { count: 500, exponent: 1.0, mu: 3.0, sigma: 1.5 };
        let length = 1 << 15;
        let sequence = law.sequence(length, &mut Rng::new(5));
        assert_eq!(sequence.len(), length as usize);
        let total: f64 = (1..=500).map(|rank| 1.0 / f64::from(rank)).sum();
        for rank in 1..=500u32 {
            let seen = sequence.iter().filter(|other| **other == rank).count() as f64;
            let expected = f64::from(length) / (f64::from(rank) * total);
            assert!((seen - expected).abs() <= 1.0, "rank {rank}: {seen} of {expected}");
        }
    }

    #[test]
    fn ranks_return_at_the_distances_that_surge_was_measured_to_have() {
        // Of SURGE's own output: logarithm of the stack distance with mean 3.68, standard deviation 1.93.
        let law = Locality { count: 3100, exponent: 1.0, mu: 4.2, sigma: 1.8 };
        for seed in [1, 2] {
            let (mean, deviation) = moments(&log_distances(&law.sequence(1 << 17, &mut Rng::new(seed))));
            assert!((mean - 3.68).abs() < 0.1 && (deviation - 1.93).abs() < 0.1, "{mean} {deviation}");
        }
    }

    #[test]
    fn without_locality_ranks_return_later() {
        let count = 3100;
        let zipf = crate::Zipf::new(u64::from(count), 1.0);
        let mut rng = Rng::new(1);
        let independent: Vec<u32> = (0..1 << 16).map(|_| zipf.sample(&mut rng) as u32).collect();
        let law = Locality { count, exponent: 1.0, mu: 4.2, sigma: 1.8 };
        let local = law.sequence(1 << 16, &mut rng);
        assert!(moments(&log_distances(&independent)).0 > moments(&log_distances(&local)).0 + 0.5);
    }

    #[test]
    fn one_rank_and_few_draws_are_sequences_too() {
        let law = Locality { count: 1, exponent: 1.0, mu: 4.0, sigma: 1.0 };
        assert_eq!(law.sequence(3, &mut Rng::new(1)), [1, 1, 1]);
        let law = Locality { count: 1000, ..law };
        assert_eq!(law.sequence(7, &mut Rng::new(1)).len(), 7);
        assert!(law.sequence(0, &mut Rng::new(1)).is_empty());
    }
}
