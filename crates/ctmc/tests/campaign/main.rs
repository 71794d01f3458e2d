//! Random chains by the thousand against arbitrary precision: no bound may ever be wrong.
//!
//!     LOADSTONE_CHAINS=120000 cargo test --release -p loadstone-ctmc --test campaign -- --ignored --nocapture
//!
//! `LOADSTONE_CHAINS` says how many (5,000 when nobody does), `LOADSTONE_FIRST_CHAIN` with which number they
//! begin: with one chain of that number a miss is seen again.

mod chains;
mod long_run;
mod questions;
#[path = "../truth/mod.rs"]
mod truth;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use questions::{Found, Tally};

/// A number from the environment.
fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().expect("a whole number"))
}

fn run(first: u64, chains: u64) -> BTreeMap<String, Tally> {
    let next = AtomicU64::new(first);
    let total = Mutex::new(BTreeMap::<String, Tally>::new());
    let work = || {
        let mut mine = BTreeMap::<String, Tally>::new();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= first + chains {
                break;
            }
            for Found { about, tally } in questions::ask(seed) {
                mine.entry(about).or_default().add(&tally);
            }
        }
        let mut total = total.lock().expect("no thread fails while it adds");
        mine.into_iter().for_each(|(about, tally)| total.entry(about).or_default().add(&tally));
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    total.into_inner().expect("all threads have ended")
}

fn report(chains: u64, found: &BTreeMap<String, Tally>) -> u64 {
    println!("{:<32}{:>10}{:>9}{:>8}  widest", "question, method", "asked", "refused", "misses");
    let mut all = Tally::default();
    for (about, tally) in found {
        println!(
            "{about:<32}{:>10}{:>9}{:>8}  {:.1e}",
            tally.asked, tally.refused, tally.misses, tally.widest
        );
        all.add(tally);
    }
    println!("{chains} chains, {} questions, {} refused, {} misses", all.asked, all.refused, all.misses);
    all.misses
}

#[test]
fn no_bound_misses_among_some_random_chains() {
    assert_eq!(report(160, &run(1, 160)), 0);
}

#[test]
#[ignore = "a minute: run by the long tests"]
fn no_bound_misses_among_many_random_chains() {
    let (first, chains) = (number("LOADSTONE_FIRST_CHAIN", 1_000_000), number("LOADSTONE_CHAINS", 5000));
    assert_eq!(report(chains, &run(first, chains)), 0);
}

#[test]
fn chains_whose_jumps_once_underflowed_are_enclosed() {
    for seed in [2_038_579, 2_065_467] {
        assert_eq!(report(1, &run(seed, 1)), 0);
    }
}
