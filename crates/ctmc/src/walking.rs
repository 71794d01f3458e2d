//! What a reward may still bring after a long time, by a walk until the chain hardly changes.
//!
//! With u >= 0 and Q·u <= g, the distribution p is followed jump by jump of a uniformized chain. What it can
//! still do is bounded by its defect: for every t
//!
//! ```text
//! 0 <= exp(Qt)·u <= u + g·t,   |p·exp(Qt)·u − p·u| <= t · sum of |p·Q| · (u + g·t/2)
//! ```
//!
//! The number of jumps until T is Poisson; the bound is taken with its mean and square. Only states whose
//! share of the bound matters are followed; what flows to the others is a part of the defect. Nothing is
//! subtracted on the way, so that rare states keep their digits.

use crate::budget;
use crate::chain::Chain;
use crate::enclosure::Enclosure;
use crate::error::Result;
use crate::rounding::{Loss, UNDERFLOW, gamma, sum, upwards};

/// Jumps a unit of time over the fastest exit: staying has at least a ninth.
const MARGIN: f64 = 1.125;

/// Roundings of one jump beside one an entrant: those of 1 − exit/pace weigh nine times.
const ROUNDINGS: f64 = 44.0;

/// The most jumps between two looks at the defect.
const JUMPS: usize = 64;

/// Multiplications after which a chain settles too slowly.
const PATIENCE: f64 = 2e10;

/// The same for chains of so few states that implicit steps are the better way.
const IMPATIENCE: f64 = 1e9;
const FEW: usize = 20_000;

/// The distribution after some jumps, on the states that are followed.
pub struct Walk<'a> {
    chain: &'a Chain,
    pace: f64,
    time: f64,
    most: f64,
    /// u by state.
    extra: Vec<f64>,
    /// The followed states, where each is among them, and how likely each is.
    followed: Vec<usize>,
    place: Vec<u32>,
    shares: Vec<f64>,
    jumps: usize,
    /// What was not followed, weighed by what it may be worth.
    lost: f64,
    defect: f64,
    /// The most of the defect, and of the part of one state that is not followed.
    tolerance: f64,
    negligible: f64,
    most_entrants: usize,
}

const NOWHERE: u32 = u32::MAX;

impl<'a> Walk<'a> {
    /// At the start; `extra` is u by state, `most` g, `tolerance` how much of E[u at `time`] may stay open.
    pub fn new(chain: &'a Chain, extra: Vec<f64>, most: f64, time: f64, tolerance: f64) -> Self {
        let mut walk = Self {
            chain,
            pace: chain.fastest() * MARGIN,
            time,
            most,
            extra,
            followed: Vec::new(),
            place: vec![NOWHERE; chain.states()],
            shares: Vec::new(),
            jumps: 0,
            lost: 0.0,
            defect: f64::INFINITY,
            tolerance,
            negligible: tolerance / (2.0 * chain.states() as f64),
            most_entrants: 0,
        };
        chain.initial().iter().for_each(|&(state, share)| walk.follow(state, share));
        walk
    }

    fn follow(&mut self, state: usize, share: f64) {
        self.place[state] = self.followed.len() as u32;
        self.followed.push(state);
        self.shares.push(share);
    }

    /// Jumps until the defect is small enough; whether that did not take too long.
    pub fn settle(&mut self) -> Result<bool> {
        budget::stage("walking until the chain settles");
        let mut matrix = Gather::new(self);
        let mut work = 0.0;
        loop {
            let newcomers = self.look();
            if self.defect <= self.tolerance {
                return Ok(true);
            }
            // At first every jump reaches states that matter.
            let jumps = (self.jumps / 16).clamp(1, JUMPS);
            if !newcomers.is_empty() {
                newcomers.into_iter().for_each(|state| self.follow(state, 0.0));
                matrix = Gather::new(self);
                self.most_entrants = self.most_entrants.max(matrix.widest());
            }
            for _ in 0..jumps {
                budget::check()?;
                self.lost += matrix.jump(&mut self.shares);
            }
            self.jumps += jumps;
            work += jumps as f64 * (matrix.items.len() + 2 * self.followed.len()) as f64;
            let patience = if self.chain.states() > FEW { PATIENCE } else { IMPATIENCE };
            if work > patience || self.jumps as f64 > self.pace * self.time / 2.0 {
                return Ok(false);
            }
        }
    }

    /// Weighs the defect; the states that are not followed and matter in it.
    fn look(&mut self) -> Vec<usize> {
        let mut flows = vec![0.0; self.chain.states()];
        for (&state, share) in self.followed.iter().zip(&self.shares) {
            self.chain.row(state).for_each(|(to, rate)| flows[to] += share * rate);
        }
        let (mut defect, mut beyond) = (0.0, 0.0);
        let mut newcomers = Vec::new();
        for (state, inflow) in flows.into_iter().enumerate().filter(|each| each.1 > 0.0) {
            let square = self.time * self.time + self.time / self.pace;
            let damage = self.time * self.extra[state] + self.most * square / 2.0;
            match self.place[state] {
                NOWHERE => {
                    beyond += inflow * damage;
                    if inflow * damage > self.negligible {
                        newcomers.push(state);
                    }
                }
                place => {
                    let outflow = self.shares[place as usize] * self.chain.exit(state);
                    let rounding = gamma(self.most_entrants as f64 + 8.0) * (inflow + outflow);
                    defect += ((inflow - outflow).abs() + rounding) * damage;
                }
            }
        }
        if newcomers.is_empty() && beyond > self.tolerance / 2.0 {
            self.negligible /= 4.0;
        }
        // Sums of rounded terms, none negative.
        self.defect = upwards(defect + beyond, self.chain.states() as f64 + 16.0);
        newcomers
    }

    /// E[u at T], when the defect is small.
    pub fn later(&self) -> Enclosure {
        let start = sum(self.chain.initial().iter().map(|&(state, share)| share * self.extra[state]));
        let settled =
            sum(self.followed.iter().zip(&self.shares).map(|(&state, share)| share * self.extra[state]));
        let jumps = Loss::roundings(self.most_entrants as f64 + ROUNDINGS) * self.jumps as f64;
        let loss = jumps + Loss::roundings(3.0);
        // Of half as many jumps as expected or fewer: exp(-0.15 of those expected), whatever they are worth.
        let hurried = upwards((-0.15 * self.pace * self.time).exp() * (start + self.most * self.time), 64.0);
        let largest = self.extra.iter().copied().fold(0.0, f64::max);
        let more = hurried + UNDERFLOW * largest;
        let low = settled - self.defect;
        // The shares are those after the jumps but for a factor, whatever becomes of them then.
        let low = if low >= 0.0 { low * loss.least() } else { low * loss.most() };
        let lost = upwards(self.lost, self.jumps as f64 + self.followed.len() as f64 + 8.0);
        let high = upwards((settled + self.defect) * loss.most() + lost + more, 8.0);
        Enclosure { low: low - upwards(more + low.abs() * gamma(4.0), 4.0), high }
    }
}

/// One jump, by state that is entered.
struct Gather {
    stay: Vec<f64>,
    starts: Vec<usize>,
    /// (from, probability).
    items: Vec<(u32, f64)>,
    /// What a unit in each state may lose of the answer by leaving for a state that is not followed.
    leak: Vec<f64>,
    next: Vec<f64>,
}

impl Gather {
    fn new(walk: &Walk<'_>) -> Self {
        let states = walk.followed.len();
        let mut starts = vec![0; states + 1];
        let mut leak = vec![0.0; states];
        for (from, &state) in walk.followed.iter().enumerate() {
            for (to, rate) in walk.chain.row(state) {
                match walk.place[to] {
                    NOWHERE => leak[from] += rate / walk.pace * (walk.extra[to] + walk.most * walk.time),
                    place => starts[place as usize + 1] += 1,
                }
            }
        }
        (0..states).for_each(|state| starts[state + 1] += starts[state]);
        let mut next = starts.clone();
        let mut items = vec![(0, 0.0); starts[states]];
        for (from, &state) in walk.followed.iter().enumerate() {
            for (to, rate) in walk.chain.row(state).filter(|each| walk.place[each.0] != NOWHERE) {
                let at = &mut next[walk.place[to] as usize];
                items[*at] = (from as u32, rate / walk.pace);
                *at += 1;
            }
        }
        let stay = walk.followed.iter().map(|&state| 1.0 - walk.chain.exit(state) / walk.pace).collect();
        Self { stay, starts, items, leak, next: vec![0.0; states] }
    }

    fn widest(&self) -> usize {
        self.starts.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0)
    }

    /// Moves the shares on; what is lost by it, weighed.
    fn jump(&mut self, shares: &mut Vec<f64>) -> f64 {
        let lost = shares.iter().zip(&self.leak).map(|(share, leak)| share * leak).sum();
        for (state, next) in self.next.iter_mut().enumerate() {
            let entrants = &self.items[self.starts[state]..self.starts[state + 1]];
            let moved: f64 = entrants.iter().map(|&(from, share)| share * shares[from as usize]).sum();
            *next = self.stay[state] * shares[state] + moved;
        }
        std::mem::swap(shares, &mut self.next);
        lost
    }
}
