//! Which file is how popular, so that what is asked for has the sizes that it should have.

use alloc::vec::Vec;

use loadstone_stats::Rng;

use crate::Requested;

/// Equally likely ranges of the law of requested sizes.
const RANGES: usize = 64;

/// Exchanges the entries of a list until any order is equally likely (Fisher and Yates).
pub(crate) fn shuffle<T>(all: &mut [T], rng: &mut Rng) {
    for last in (1..all.len()).rev() {
        all.swap(last, rng.below(last as u64 + 1) as usize);
    }
}

/// `files` in the order of popularity, the most popular first, for Zipf's law with exponent 1.
///
/// From the most popular on, each rank goes to a range of sizes that still lacks requests, by chance as much
/// as it lacks, and makes up for what this range and its neighbours lack. It takes a file of this range, or
/// of the nearest that has files left: where few files should have many requests they run out. No matching
/// smooths the first ranks: each alone has several per cent of all requests.
pub(crate) fn by_requested_size(files: &[u32], sizes: &[u32], law: Requested, rng: &mut Rng) -> Vec<u32> {
    let mut ranges: Vec<Vec<u32>> = (0..RANGES).map(|_| Vec::new()).collect();
    let bounds: Vec<f64> = (1..RANGES).map(|range| law.quantile(range as f64 / RANGES as f64)).collect();
    for file in files {
        let size = f64::from(sizes[*file as usize]);
        ranges[bounds.partition_point(|bound| *bound <= size)].push(*file);
    }
    ranges.iter_mut().for_each(|range| shuffle(range, rng));
    let total: f64 = (1..=files.len()).map(|rank| 1.0 / rank as f64).sum();
    let mut lacks = [total / RANGES as f64; RANGES];
    let mut ordered = Vec::with_capacity(files.len());
    for rank in 1..=files.len() {
        let wanted = lacking(&lacks, rng);
        make_up(&mut lacks, wanted, 1.0 / rank as f64);
        let open = (0..RANGES).filter(|range| !ranges[*range].is_empty());
        let nearest = open.min_by_key(|range| range.abs_diff(wanted));
        ordered.extend(nearest.and_then(|range| ranges[range].pop()));
    }
    ordered
}

/// A range, by chance as much as it lacks.
fn lacking(lacks: &[f64; RANGES], rng: &mut Rng) -> usize {
    let mut at = rng.unit_open() * lacks.iter().sum::<f64>();
    let found = lacks.iter().position(|lack| {
        at -= lack;
        at < 0.0
    });
    // Rounding may leave a trace behind the last.
    found.unwrap_or(RANGES - 1)
}

/// Takes `weight` from what `range` lacks, then from its neighbours, the nearest first.
fn make_up(lacks: &mut [f64; RANGES], range: usize, mut weight: f64) {
    for distance in 0..RANGES {
        let sides = [range.checked_sub(distance), Some(range + distance).filter(|above| *above < RANGES)];
        for side in sides.into_iter().flatten() {
            let taken = weight.min(lacks[side]);
            lacks[side] -= taken;
            weight -= taken;
        }
    }
}
