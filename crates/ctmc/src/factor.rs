//! Linear systems (1/τ − Q)·w = b/τ of a chain: the mean of b where it is after a time of mean τ, by
//! elimination.

use crate::chain::Chain;
use crate::elimination::Elimination;
use crate::error::Result;

/// The eliminated chain in which every state also ends at rate 1/τ.
pub struct Factor {
    rate: f64,
    /// States in the order of their elimination, with the total rate out of each at that time.
    order: Vec<(u32, f64)>,
    /// By position in the order: (entrant, rate).
    into: Lists,
    /// By position in the order: (state eliminated later, rate).
    out: Lists,
}

/// Numbers moved for each that a factor may hold: random chains fill rows long before they fill the memory.
const WORK_OF_A_NUMBER: usize = 32;

/// Many short lists, end to end.
#[derive(Default)]
pub struct Lists {
    ends: Vec<usize>,
    items: Vec<(u32, f64)>,
}

impl Lists {
    /// Adds a list.
    pub fn push(&mut self, items: impl IntoIterator<Item = (u32, f64)>) {
        self.items.extend(items);
        self.ends.push(self.items.len());
    }

    /// The list of a number.
    pub fn get(&self, at: usize) -> &[(u32, f64)] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.items[start..self.ends[at]]
    }
}

impl Factor {
    /// For a time of mean `tau`, in the order of an earlier one if given; none when its triangles would hold
    /// more than `most` numbers.
    pub fn new(chain: &Chain, tau: f64, earlier: Option<&Self>, most: usize) -> Result<Option<Self>> {
        let end = chain.states();
        let rate = 1.0 / tau;
        let mut ending = Chain::empty(end + 1, chain.transitions() + end);
        for state in 0..end {
            let mut row: Vec<(u32, f64)> = chain.row(state).map(|(to, rate)| (to as u32, rate)).collect();
            row.push((end as u32, rate));
            ending.append(&mut row);
        }
        ending.append(&mut Vec::new());
        let ending = ending.started(vec![(0, 1.0)])?;
        let mut elimination = Elimination::new(&ending, 0, Vec::new(), 0);
        let mut factor =
            Self { rate, order: Vec::with_capacity(end), into: Lists::default(), out: Lists::default() };
        let mut small = true;
        let mut work = 0;
        let mut keep = |each: crate::elimination::Eliminated| {
            work += each.entrants.len() * each.row.len();
            factor.order.push((each.state as u32, each.exit));
            factor.into.push(each.entrants);
            factor.out.push(each.row.into_iter().filter(|item| item.0 as usize != end));
            small = factor.into.items.len() + factor.out.items.len() < most && work < WORK_OF_A_NUMBER * most;
            small
        };
        match earlier {
            Some(earlier) => {
                for each in &earlier.order {
                    if !keep(elimination.eliminate(each.0 as usize)?) {
                        break;
                    }
                }
            }
            None => {
                let all: Vec<usize> = (0..end).collect();
                elimination.run_while(&all, keep)?;
            }
        }
        Ok(small.then_some(factor))
    }

    /// w, to working precision.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        let mut w: Vec<f64> = b.iter().map(|each| each * self.rate).collect();
        for (at, &(state, exit)) in self.order.iter().enumerate() {
            let share = w[state as usize] / exit;
            self.into.get(at).iter().for_each(|&(from, rate)| w[from as usize] += rate * share);
        }
        for (at, &(state, exit)) in self.order.iter().enumerate().rev() {
            let onward: f64 = self.out.get(at).iter().map(|&(to, rate)| rate * w[to as usize]).sum();
            w[state as usize] = (w[state as usize] + onward) / exit;
        }
        w
    }
}
