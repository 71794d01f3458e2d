//! Power cuts: whatever part of the writes not flushed survives, a mounted device holds every transaction
//! whose commit had returned, and no half of another.
//!
//! `CUTS=5000 SEED=7 cargo test -p loadstone-store --release --test power_cuts -- --ignored --nocapture` runs
//! longer.

#[path = "power_cuts/disk.rs"]
mod disk;
#[path = "power_cuts/life.rs"]
mod life;
#[path = "power_cuts/random.rs"]
mod random;
#[path = "power_cuts/seam.rs"]
mod seam;
#[path = "power_cuts/work.rs"]
mod work;

use std::time::Instant;

use loadstone_store::Synchronous;

use disk::Fault;
use life::{Counts, Setting, live};

const LOG: Setting =
    Setting { atomic: true, synchronous: Synchronous::Full, fault: Fault::None, is_careless: false };
const JOURNAL: Setting = Setting { atomic: false, ..LOG };
const NORMAL: Setting = Setting { synchronous: Synchronous::Normal, ..LOG };

#[test]
fn a_log_survives_power_cuts() {
    let counts = many(LOG, 60, 1);
    assert!(counts.cuts >= 60 && counts.in_mount > 0 && counts.commits > 60, "{counts:?}");
}

#[test]
fn a_journal_survives_power_cuts() {
    let counts = many(JOURNAL, 60, 2);
    assert!(counts.cuts >= 60 && counts.in_mount > 0 && counts.commits > 60, "{counts:?}");
}

#[test]
fn normal_is_as_safe_as_full() {
    assert!(many(NORMAL, 30, 3).cuts >= 30);
    assert!(many(Setting { atomic: false, ..NORMAL }, 30, 4).cuts >= 30);
}

#[test]
fn lies_about_flushes_are_found_out() {
    for (fault, seed) in [(Fault::LyingFlush, 4), (Fault::ForgetfulFlush, 5)] {
        for setting in [LOG, JOURNAL] {
            let outcome = live(Setting { fault, ..setting }, 200, seed);
            assert!(outcome.is_err(), "{fault:?} goes unnoticed");
        }
    }
}

#[test]
fn promises_that_are_not_kept_are_found_out() {
    let outcome = live(Setting { is_careless: true, ..JOURNAL }, 200, 6);
    assert!(outcome.is_err(), "transactions in halves go unnoticed");
}

/// The long run: `CUTS` power cuts (5,000) in each setting from `SEED` (1) on; the counts as JSON.
#[test]
#[ignore = "minutes"]
fn thousands_of_power_cuts() {
    let number = |name: &str, default| std::env::var(name).map_or(default, |text| text.parse().unwrap());
    let (cuts, seed) = (number("CUTS", 5000), number("SEED", 1));
    // NORMAL and FULL may come to the same syncs: a seed each, so that the lives differ all the same.
    let normal = Setting { atomic: false, ..NORMAL };
    let settings = [("log", LOG), ("journal", JOURNAL), ("journal, synchronous = NORMAL", normal)];
    for ((name, setting), seed) in settings.into_iter().zip(seed..) {
        let start = Instant::now();
        let Counts { cuts, in_mount, remounts, commits, full, writes, flushes } = many(setting, cuts, seed);
        println!(
            "{{\"mode\": \"{name}\", \"seed\": {seed}, \"cuts\": {cuts}, \"in_mount\": {in_mount}, \
             \"remounts\": {remounts}, \"commits\": {commits}, \"full\": {full}, \"writes\": {writes}, \
             \"flushes\": {flushes}, \"violations\": 0, \"seconds\": {:.0}}}",
            start.elapsed().as_secs_f64()
        );
    }
}

/// Lives of thirty cuts each until there are enough.
fn many(setting: Setting, cuts: u64, seed: u64) -> Counts {
    let mut sum = Counts::default();
    for life in 0.. {
        let seed = seed * 1_000_000 + life;
        sum += live(setting, 30, seed).unwrap_or_else(|what| panic!("seed {seed}: {what}"));
        if sum.cuts >= cuts {
            break;
        }
    }
    sum
}
