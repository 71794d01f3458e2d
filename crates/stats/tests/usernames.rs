//! User names against the published vector and against their law.

use std::collections::HashSet;

use loadstone_stats::{Era, username};

/// One line for each id from 1: the name of the release, then of the paper's time.
const VECTOR: &str = include_str!("usernames.txt");

#[test]
fn names_are_those_published() {
    assert_eq!(VECTOR.lines().count(), 1000);
    for (id, line) in (1..).zip(VECTOR.lines()) {
        assert_eq!(format!("{} {}", username(id, Era::Release), username(id, Era::Paper)), line, "id {id}");
    }
}

#[test]
fn names_are_unique_and_well_formed() {
    for era in [Era::Release, Era::Paper] {
        let far = [710_000, 1 << 40, u64::MAX - 100_000].into_iter().flat_map(|start| start..start + 20_000);
        let mut seen = HashSet::new();
        for id in (0..200_000).chain(far) {
            let name = username(id, era);
            assert!(name.starts_with(|c: char| c.is_ascii_lowercase()), "{name}");
            assert!(
                name.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'_'),
                "{name}"
            );
            assert!(name.len() <= 25, "{name}");
            assert!(seen.insert(name.clone()), "{name} twice, the second time for {id}");
        }
    }
}

#[test]
fn names_of_words_are_unique_and_short_for_every_account_there_can_be() {
    let far = [(1_u64 << 32) - 50_000].into_iter().flat_map(|start| start..start + 50_000);
    let mut seen = HashSet::new();
    for id in (0..200_000).chain(far) {
        let name = username(id, Era::Words);
        assert!(name.starts_with(|c: char| c.is_ascii_lowercase()) && name.len() <= 25, "{name}");
        assert!(name.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'_'), "{name}");
        assert!(seen.insert(name.clone()), "{name} twice, the second time for {id}");
    }
    assert_eq!(username(1, Era::Words), "jazz");
    assert!(username(132, Era::Words).contains('_') && username(u64::MAX, Era::Words).contains('_'));
}

#[test]
fn every_hundred_ids_have_the_length_mix() {
    let mix = [5, 8, 17, 25, 24, 21];
    for (era, shortest) in [(Era::Release, 6), (Era::Paper, 3)] {
        for hundred in [0, 1, 77] {
            let mut counts = [0; 6];
            for id in hundred * 100..hundred * 100 + 100 {
                counts[username(id, era).len() - shortest] += 1;
            }
            assert_eq!(counts, mix);
        }
    }
}
