//! The jump chain of a Markov chain, laid out for one sparse product after the other.
//!
//! Following every jump is this product and little else, ten thousand times. Row after row, the processor
//! guesses where each ends and waits for each sum. So `LANES` rows are summed side by side, the shorter
//! filled up with probabilities of 0, which change no sum. Rows are sorted by width among `NEAR` neighbours:
//! then little is filled up, and what was close in memory stays close.

use crate::budget::fits;
use crate::error::Result;

/// Rows summed side by side.
const LANES: usize = 8;

/// Rows sorted among each other: their values fit the innermost cache.
const NEAR: usize = 4096;

/// Bytes that a column of a slice takes, and a state beside its row.
const COLUMN: usize = LANES * 12;
const STATE: usize = 64;

/// Rows of probabilities, each at its place.
pub struct Slices {
    /// Where each state is.
    places: Vec<u32>,
    /// Where the rows of a slice begin and, last, end.
    starts: Vec<usize>,
    stay: Vec<[f64; LANES]>,
    targets: Vec<[u32; LANES]>,
    shares: Vec<[f64; LANES]>,
}

impl Slices {
    /// So many rows: what `stay` says of the row's own state, and (state, share) of others.
    ///
    /// Errors: more than the memory holds.
    pub fn new<Row>(states: usize, stay: impl Fn(usize) -> f64, row: impl Fn(usize) -> Row) -> Result<Self>
    where
        Row: ExactSizeIterator<Item = (usize, f64)>,
    {
        let mut order: Vec<u32> = (0..states as u32).collect();
        order.chunks_mut(NEAR).for_each(|near| near.sort_by_key(|&state| row(state as usize).len()));
        let mut places = vec![0; states];
        order.iter().enumerate().for_each(|(place, &state)| places[state as usize] = place as u32);
        // Sorted among neighbours, and no slice is of two neighbourhoods: its last row is the widest.
        let widest = |slice: &[u32]| row(slice[slice.len() - 1] as usize).len();
        let columns: usize = order.chunks(LANES).map(widest).sum();
        fits(states, COLUMN * columns.div_ceil(states) + STATE, "following their jumps")?;
        let (mut starts, mut stays) = (vec![0], Vec::new());
        let (mut targets, mut shares) = (Vec::with_capacity(columns), Vec::with_capacity(columns));
        for slice in order.chunks(LANES) {
            // The last slice is filled up with the last row.
            let state = |lane: usize| slice[lane.min(slice.len() - 1)] as usize;
            let (first, widest) = (targets.len(), widest(slice));
            targets.resize(first + widest, std::array::from_fn(|lane| places[state(lane)]));
            shares.resize(first + widest, [0.0; LANES]);
            for lane in 0..LANES {
                for (at, (to, share)) in row(state(lane)).enumerate() {
                    targets[first + at][lane] = places[to];
                    shares[first + at][lane] = share;
                }
            }
            stays.push(std::array::from_fn(|lane| stay(state(lane))));
            starts.push(targets.len());
        }
        Ok(Self { places, starts, stay: stays, targets, shares })
    }

    /// Where a state's value is in what `arranged` gives and `step` moves on.
    pub fn place(&self, state: usize) -> usize {
        self.places[state] as usize
    }

    /// Values by state, each at its place.
    pub fn arranged(&self, values: &[f64]) -> Vec<f64> {
        let mut found = vec![0.0; self.stay.len() * LANES];
        values.iter().zip(&self.places).for_each(|(value, &place)| found[place as usize] = *value);
        let last = found[values.len() - 1];
        found[values.len()..].fill(last);
        found
    }

    /// Row times `now`, for each row, into `next`; the least and the greatest of them.
    ///
    /// The state's own product comes first, then one addition for each other.
    pub fn step(&self, now: &[f64], next: &mut [f64]) -> (f64, f64) {
        let (mut low, mut high) = ([f64::INFINITY; LANES], [0.0; LANES]);
        let rows = self.stay.iter().zip(self.starts.windows(2));
        let values = now.chunks_exact(LANES).zip(next.chunks_exact_mut(LANES));
        for ((stay, range), (here, next)) in rows.zip(values) {
            let mut sums: [f64; LANES] = std::array::from_fn(|lane| stay[lane] * here[lane]);
            let range = range[0]..range[1];
            for (targets, shares) in self.targets[range.clone()].iter().zip(&self.shares[range]) {
                for lane in 0..LANES {
                    sums[lane] += shares[lane] * now[targets[lane] as usize];
                }
            }
            for lane in 0..LANES {
                next[lane] = sums[lane];
                low[lane] = if sums[lane] < low[lane] { sums[lane] } else { low[lane] };
                high[lane] = if sums[lane] > high[lane] { sums[lane] } else { high[lane] };
            }
        }
        (low.into_iter().fold(f64::INFINITY, f64::min), high.into_iter().fold(0.0, f64::max))
    }
}

#[cfg(test)]
mod tests {
    use super::{LANES, NEAR, Slices};

    #[test]
    fn slices_give_what_rows_give() {
        for states in [1, LANES - 1, LANES, 3 * LANES + 5, NEAR + 3] {
            // Rows of 0 to 12 ways in no order; numbers that add up without rounding.
            let row = |from: usize| {
                let width = (from * 7919) % 13;
                (0..width).map(move |way| ((from * 31 + way * 17) % states, (way + 1) as f64))
            };
            let stay = |state: usize| (state % 5) as f64;
            let slices = Slices::new(states, stay, row).unwrap();
            let values: Vec<f64> = (0..states).map(|state| (3 + state * 5 % 11) as f64).collect();
            let now = slices.arranged(&values);
            let mut next = now.clone();
            let (low, high) = slices.step(&now, &mut next);
            let one = |state: usize| {
                stay(state) * values[state] + row(state).map(|(to, share)| share * values[to]).sum::<f64>()
            };
            let expected: Vec<f64> = (0..states).map(one).collect();
            let found: Vec<f64> = (0..states).map(|state| next[slices.place(state)]).collect();
            assert_eq!(found, expected);
            let least = expected.iter().copied().fold(f64::INFINITY, f64::min);
            let greatest = expected.iter().copied().fold(0.0, f64::max);
            assert_eq!((low, high), (least, greatest));
        }
    }
}
