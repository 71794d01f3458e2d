//! In which order the states of a large chain are swept: outwards from one that is often seen.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::chain::Chain;

/// Jumps of the walk that looks for an often seen state, and those before anything counts.
const JUMPS: usize = 60_000;
const FORGOTTEN: usize = 20_000;

/// Multiplier and increment of Knuth's 64-bit linear congruential generator (MMIX).
const GENERATOR: (u64, u64) = (6_364_136_223_846_793_005, 1_442_695_040_888_963_407);

/// The state in which one random walk from `start` spends most time; the same each time. `start` must be in a
/// component that is never left, of more than one state.
///
/// It is a guess: what rests on it is slower where it is wrong, and never wrong.
pub fn often_seen(chain: &Chain, start: usize) -> usize {
    let mut spent = vec![0.0_f64; chain.states()];
    let (mut state, mut number) = (start, 1_u64);
    for jump in 0..JUMPS {
        if jump >= FORGOTTEN {
            spent[state] += 1.0 / chain.exit(state);
        }
        number = number.wrapping_mul(GENERATOR.0).wrapping_add(GENERATOR.1);
        let mut left = (number >> 11) as f64 / (1_u64 << 53) as f64 * chain.exit(state);
        for (to, rate) in chain.row(state) {
            left -= rate;
            if left < 0.0 {
                state = to;
                break;
            }
        }
    }
    (0..chain.states()).max_by(|&a, &b| spent[a].total_cmp(&spent[b]).then(b.cmp(&a))).unwrap_or(start)
}

/// `home`, then all states that lead to it, by the time of the quickest way, a jump taking one over its rate:
/// a state comes after those it mostly leads to.
pub fn outwards(chain: &Chain, home: usize) -> Vec<usize> {
    let into = Entrances::new(chain);
    let mut order = Vec::with_capacity(chain.states());
    let mut nearest = vec![f64::INFINITY; chain.states()];
    let mut seen = vec![false; chain.states()];
    nearest[home] = 0.0;
    // Non-negative numbers are in the order of their bits.
    let mut queue = BinaryHeap::from([Reverse((0_u64, home as u32))]);
    while let Some(Reverse((bits, state))) = queue.pop() {
        if std::mem::replace(&mut seen[state as usize], true) {
            continue;
        }
        order.push(state as usize);
        for &(from, duration) in into.of(state as usize) {
            let time = f64::from_bits(bits) + duration;
            if time < nearest[from as usize] {
                nearest[from as usize] = time;
                queue.push(Reverse((time.to_bits(), from)));
            }
        }
    }
    order
}

/// Who leads to each state, and how long that takes by itself.
struct Entrances {
    starts: Vec<usize>,
    items: Vec<(u32, f64)>,
}

impl Entrances {
    fn new(chain: &Chain) -> Self {
        let states = chain.states();
        let mut starts = vec![0_usize; states + 1];
        (0..states).for_each(|from| chain.row(from).for_each(|(to, _)| starts[to + 1] += 1));
        (0..states).for_each(|state| starts[state + 1] += starts[state]);
        let mut next = starts.clone();
        let mut items = vec![(0, 0.0); chain.transitions()];
        for from in 0..states {
            for (to, rate) in chain.row(from) {
                items[next[to]] = (from as u32, 1.0 / rate);
                next[to] += 1;
            }
        }
        Self { starts, items }
    }

    fn of(&self, state: usize) -> &[(u32, f64)] {
        &self.items[self.starts[state]..self.starts[state + 1]]
    }
}
