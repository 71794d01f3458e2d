//! Random chains of the kinds that solvers meet, over as many orders of magnitude as doubles allow.

use loadstone_ctmc::{Chain, Transition};

/// Sebastiano Vigna's splitmix64.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0xA24B_AED4_963E_E407).wrapping_add(0x9E37_79B9_7F4A_7C15))
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let once = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let twice = (once ^ (once >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        twice ^ (twice >> 31)
    }

    /// From 0 to 1.
    pub fn share(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.share()
    }

    /// From 0 to `end`, without it.
    pub fn below(&mut self, end: usize) -> usize {
        (self.bits() % end as u64) as usize
    }

    pub fn chance(&mut self, probability: f64) -> bool {
        self.share() < probability
    }

    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

/// The kinds.
pub const KINDS: [&str; 8] =
    ["acyclic", "ring", "absorbing", "decomposable", "birth-death", "dense", "sparse", "alike"];

/// A chain, what is asked of it and until when.
#[derive(Debug, Clone)]
pub struct Sample {
    pub states: usize,
    pub rates: Vec<Transition>,
    pub initial: Vec<(usize, f64)>,
    pub reward: Vec<f64>,
    pub target: Vec<bool>,
    pub time: f64,
    /// The same with every state but the first in two copies, where states that are alike are asked for.
    pub copied: Option<Vec<Transition>>,
}

/// Sample number `seed`.
pub fn sample(seed: u64) -> Sample {
    let mut random = Random::new(seed);
    let kind = KINDS[(seed % KINDS.len() as u64) as usize];
    let most = random.pick(&[3, 4, 4, 5, 5, 6, 8]);
    let states = 2 + random.below(most - 1);
    // Where rates lie, and over how many powers of ten.
    let middle =
        if random.chance(0.05) { random.between(-250.0, 250.0) } else { random.between(-25.0, 25.0) };
    let spread = random.pick(&[1.0, 6.0, 15.0, 40.0]);
    let mut rate = Rate { middle, spread, round: random.chance(0.2) };
    let mut rates = transitions(kind, states, &mut rate, &mut random);
    if random.chance(0.25) && !rates.is_empty() {
        // Parallel transitions, whose rates have no common unit.
        let (from, to, known) = random.pick(&rates);
        rates.push((from, to, known * 10.0_f64.powf(random.between(-18.0, 2.0))));
    }
    let rates = added_up(rates);
    let time = horizon(states, &rates, &mut random);
    let other = random.below(states);
    let initial = match random.below(4) {
        0 if other != 0 => vec![(0, 0.25), (other, 0.75)],
        1 if other != 0 => vec![(0, 0.5), (other, 0.5)],
        _ => vec![(0, 1.0)],
    };
    let scale = random.pick(&[1.0, 1.0, 1.0, 1e-9, 1e12]);
    let reward = (0..states).map(|_| scale * random.pick(&[0.0, 0.0, 1.0, 1.0, 3.0, 0.1, 1e-7])).collect();
    let mut target: Vec<bool> = (0..states).map(|_| random.chance(0.3)).collect();
    target[states - 1] = true;
    let copied = (kind == "alike").then(|| copies(&rates));
    Sample { states, rates, initial, reward, target, time, copied }
}

/// Parallel transitions as one, as a chain has them; no loops.
fn added_up(rates: Vec<Transition>) -> Vec<Transition> {
    let states = rates.iter().map(|each| each.0.max(each.1) + 1).max().unwrap_or(1);
    let chain = Chain::new(states, rates, vec![(0, 1.0)]).expect("a chain");
    (0..states)
        .flat_map(|from| chain.row(from).map(move |(to, rate)| (from, to, rate)).collect::<Vec<_>>())
        .collect()
}

struct Rate {
    middle: f64,
    spread: f64,
    round: bool,
}

impl Rate {
    fn draw(&mut self, random: &mut Random) -> f64 {
        let exponent = self.middle + self.spread * random.between(-0.5, 0.5);
        if self.round { 10.0_f64.powf(exponent.round()) } else { 10.0_f64.powf(exponent) }
    }
}

fn transitions(kind: &str, states: usize, rate: &mut Rate, random: &mut Random) -> Vec<Transition> {
    let mut found = Vec::new();
    let mut add = |from: usize, to: usize, random: &mut Random| found.push((from, to, rate.draw(random)));
    match kind {
        "acyclic" => {
            for from in 0..states - 1 {
                add(from, from + 1 + random.below(states - 1 - from), random);
                for to in from + 1..states {
                    if random.chance(0.4) {
                        add(from, to, random);
                    }
                }
            }
        }
        "ring" => (0..states).for_each(|from| add(from, (from + 1) % states, random)),
        "absorbing" => {
            for from in 0..states - 1 {
                add(from, (from + 1) % (states - 1), random);
                if from == 0 || random.chance(0.4) {
                    add(from, states - 1, random);
                }
            }
        }
        "birth-death" => {
            for from in 0..states - 1 {
                add(from, from + 1, random);
                add(from + 1, from, random);
            }
        }
        "dense" => {
            for from in 0..states {
                (0..states).filter(|&to| to != from).for_each(|to| add(from, to, random));
            }
        }
        "decomposable" => {
            // Two blocks, busy within; between them hardly anything.
            let border = states.div_ceil(2);
            for from in 0..states {
                let (first, count) = if from < border { (0, border) } else { (border, states - border) };
                add(from, first + (from - first + 1) % count, random);
            }
            let weak = 10.0_f64.powf(random.between(-20.0, 0.0));
            let found = &mut found;
            found.push((border - 1, border % states, weak * rate.draw(random)));
            if random.chance(0.7) {
                found.push((states - 1, 0, weak * rate.draw(random)));
            }
        }
        _ => {
            for _ in 0..2 * states {
                add(random.below(states), random.below(states), random);
            }
        }
    }
    found
}

/// From the time in which hardly anything happens to the one in which everything has.
fn horizon(states: usize, rates: &[Transition], random: &mut Random) -> f64 {
    let exit = |state| {
        rates.iter().filter(|each| each.0 == state && each.1 != state).map(|each| each.2).sum::<f64>()
    };
    let fastest = (0..states).map(exit).fold(f64::MIN_POSITIVE, f64::max);
    let jumps = match random.below(4) {
        0 => random.between(-20.0, 0.0),
        1 => random.between(-2.0, 3.0),
        2 => random.between(0.0, 18.0),
        _ if rates.is_empty() => 0.0,
        _ => return 10.0_f64.powf(random.between(-2.0, 2.0)) / random.pick(rates).2,
    };
    10.0_f64.powf(jumps) / fastest
}

/// Every state but the first in two copies, entered at a half, at a quarter and three quarters: all without
/// rounding.
fn copies(rates: &[Transition]) -> Vec<Transition> {
    let of = |state: usize| if state == 0 { vec![0] } else { vec![2 * state - 1, 2 * state] };
    let mut found = Vec::new();
    for &(from, to, rate) in rates.iter().filter(|each| each.0 != each.1) {
        for (number, &entrant) in of(from).iter().enumerate() {
            match of(to)[..] {
                [only] => found.push((entrant, only, rate)),
                [one, other] if number == 0 => {
                    found.extend([(entrant, one, rate / 2.0), (entrant, other, rate / 2.0)]);
                }
                [one, ..] => found.push((entrant, one, rate)),
                [] => {}
            }
        }
    }
    found
}
