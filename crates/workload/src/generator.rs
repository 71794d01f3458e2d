//! Generators of values.

use std::sync::Arc;

use loadstone_stats::{Era, ExponentialRank, Rng, Zipf, push_username};

use crate::state::State;
use crate::template::{Template, number};

/// How often a distinct item is drawn again before it is left out: what there is to draw from may be
/// exhausted.
const REDRAWS: usize = 100;

/// A compiled [`crate::Value`].
#[derive(Debug, Clone, PartialEq)]
pub enum Generator {
    /// Uniform integer, bounds included.
    Int(i64, i64),
    /// An integer in 1..=count that belongs to this user.
    Slice(u64),
    /// start + k × users + user.
    Serial {
        /// First number.
        start: i64,
        /// It begins again behind so many.
        count: u64,
        /// Which of the user's sequences counts k.
        sequence: usize,
    },
    /// A popularity rank.
    Rank(ExponentialRank),
    /// A popularity rank by Zipf's law.
    Zipf(Zipf),
    /// Entry k × users + user of what all users share, from the beginning again behind the end.
    Shared {
        /// The ranks.
        ranks: Arc<[u32]>,
        /// Which of the user's sequences counts k.
        sequence: usize,
    },
    /// Words of 1..=12 letters, this many characters in all.
    Words(u32, u32),
    /// One run of letters.
    Letters {
        /// Least characters.
        low: u32,
        /// Most characters.
        high: u32,
        /// First in upper case.
        capital: bool,
    },
    /// A run of digits.
    Digits(u32),
    /// One of these.
    Pick(Vec<Template>),
    /// A day, counted from 1970-01-01, between these.
    Date(i64, i64),
    /// The user name of an integer.
    Username(Box<Generator>, Era),
    /// One entry of a list.
    Choose(usize),
    /// A template.
    Text(Template),
    /// Several items.
    List {
        /// Least items.
        low: u32,
        /// Most items.
        high: u32,
        /// Between items.
        separator: Box<str>,
        /// No item twice.
        distinct: bool,
        /// Each item.
        item: Box<Generator>,
    },
    /// A cell of a column.
    Column {
        /// The column.
        cells: Vec<String>,
        /// Template of the row's number, from 1; none: any row.
        row: Option<Template>,
    },
}

/// Buffers of the drawing thread.
#[derive(Debug, Default)]
pub struct Scratch {
    value: Vec<u8>,
    inner: Vec<u8>,
    name: String,
    ends: Vec<usize>,
}

impl Generator {
    /// Draws into value `slot` of a user.
    pub(crate) fn draw(&self, slot: usize, state: &mut State, scratch: &mut Scratch) {
        if let Self::Choose(list) = self
            && state.list(*list).len() == 0
        {
            return;
        }
        let mut value = std::mem::take(&mut scratch.value);
        value.clear();
        self.append(state, scratch, &mut value);
        state.set_value(slot, &value);
        scratch.value = value;
    }

    fn append(&self, state: &mut State, scratch: &mut Scratch, out: &mut Vec<u8>) {
        match self {
            Self::Words(low, high) => words(&mut state.rng, *low, *high, out),
            Self::Letters { low, high, capital } => {
                let start = out.len();
                let count = between(&mut state.rng, *low, *high);
                out.extend((0..count).map(|_| letter(&mut state.rng)));
                if *capital && out.len() > start {
                    out[start].make_ascii_uppercase();
                }
            }
            Self::Digits(count) => out.extend((0..*count).map(|_| b'0' + state.rng.below(10) as u8)),
            Self::Pick(from) => from[state.rng.below(from.len() as u64) as usize].render(state, out),
            Self::Date(low, high) => iso_date(state.rng.range_inclusive(*low, *high), out),
            Self::Username(inner, era) => {
                if let Some(id) = inner.integer(state, scratch) {
                    scratch.name.clear();
                    push_username(&mut scratch.name, id, *era);
                    out.extend_from_slice(scratch.name.as_bytes());
                }
            }
            Self::Choose(list) => {
                let count = state.list(*list).len();
                if count > 0 {
                    let index = state.rng.below(count as u64) as usize;
                    out.extend_from_slice(state.list(*list).get(index));
                }
            }
            Self::Text(template) => template.render(state, out),
            Self::List { .. } => self.append_list(state, scratch, out),
            Self::Column { cells, row } => {
                let index = match row {
                    None => Some(state.rng.below(cells.len() as u64)),
                    Some(row) => rendered_integer(row, state, scratch).and_then(|n| n.checked_sub(1)),
                };
                // A row that is not there gives nothing; the server's answer will show it.
                let cell = index.and_then(|i| cells.get(usize::try_from(i).ok()?));
                out.extend_from_slice(cell.map_or(b"", |cell| cell.as_bytes()));
            }
            _ => {
                if let Some(value) = self.plain_integer(state) {
                    if value < 0 {
                        out.push(b'-');
                    }
                    number(value.unsigned_abs(), out);
                }
            }
        }
    }

    fn append_list(&self, state: &mut State, scratch: &mut Scratch, out: &mut Vec<u8>) {
        let Self::List { low, high, separator, distinct, item } = self else { return };
        let start = out.len();
        // Ends of the items so far stand on a stack, because an item may be a list itself.
        let base = scratch.ends.len();
        for _ in 0..between(&mut state.rng, *low, *high) {
            for _ in 0..REDRAWS {
                let before = out.len();
                if before > start {
                    out.extend_from_slice(separator.as_bytes());
                }
                let from = out.len();
                item.append(state, scratch, out);
                let mut begin = start;
                let seen = *distinct
                    && scratch.ends[base..].iter().any(|end| {
                        let earlier = begin..*end;
                        begin = end + separator.len();
                        out[earlier] == out[from..]
                    });
                if !seen {
                    scratch.ends.push(out.len());
                    break;
                }
                out.truncate(before);
            }
        }
        scratch.ends.truncate(base);
    }

    /// The value as an integer of at least 0, when it is one.
    fn integer(&self, state: &mut State, scratch: &mut Scratch) -> Option<u64> {
        if let Some(value) = self.plain_integer(state) {
            return u64::try_from(value).ok();
        }
        let mut text = std::mem::take(&mut scratch.inner);
        text.clear();
        self.append(state, scratch, &mut text);
        let value = std::str::from_utf8(&text).ok().and_then(|t| t.parse().ok());
        scratch.inner = text;
        value
    }

    /// Values that are integers by their kind.
    fn plain_integer(&self, state: &mut State) -> Option<i64> {
        let (user, users) = (u64::from(state.user()), u64::from(state.users()));
        Some(match self {
            Self::Int(low, high) => state.rng.range_inclusive(*low, *high),
            Self::Slice(count) => {
                let rounds = (count / users).max(1);
                ((state.rng.below(rounds) * users + user) % count) as i64 + 1
            }
            Self::Serial { start, count, sequence } => {
                start.wrapping_add(((state.next_serial(*sequence) * users + user) % count) as i64)
            }
            Self::Rank(law) => law.sample(&mut state.rng) as i64,
            Self::Zipf(law) => law.sample(&mut state.rng) as i64,
            Self::Shared { ranks, sequence } => {
                let at = (state.next_serial(*sequence) * users + user) % ranks.len() as u64;
                i64::from(ranks[at as usize])
            }
            _ => return None,
        })
    }
}

fn rendered_integer(template: &Template, state: &State, scratch: &mut Scratch) -> Option<u64> {
    scratch.inner.clear();
    template.render(state, &mut scratch.inner);
    std::str::from_utf8(&scratch.inner).ok()?.trim().parse().ok()
}

fn between(rng: &mut Rng, low: u32, high: u32) -> u32 {
    low + rng.below(u64::from(high - low) + 1) as u32
}

fn letter(rng: &mut Rng) -> u8 {
    b'a' + rng.below(26) as u8
}

/// Words with one space between them; the last is cut to length, and no text ends in a space.
fn words(rng: &mut Rng, low: u32, high: u32, out: &mut Vec<u8>) {
    let end = out.len() + between(rng, low, high) as usize;
    while out.len() < end {
        let word = (1 + rng.below(12) as usize).min(end - out.len());
        out.extend((0..word).map(|_| letter(rng)));
        if out.len() + 1 < end {
            out.push(b' ');
        } else if out.len() < end {
            out.push(letter(rng));
        }
    }
}

/// Appends the date of a day counted from 1970-01-01, by the era method for the proleptic Gregorian calendar.
fn iso_date(day: i64, out: &mut Vec<u8>) {
    let shifted = day + 719_468; // days from 0000-03-01
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let digit = |n: i64| b'0' + (n % 10) as u8;
    out.extend([digit(year / 1_000), digit(year / 100), digit(year / 10), digit(year)]);
    out.extend([b'-', digit(month / 10), digit(month), b'-', digit(day / 10), digit(day)]);
}

/// Days from 1970-01-01 to an ISO date.
pub(crate) fn days_of(date: &str) -> Option<i64> {
    let mut fields = date.split('-').map(|field| field.parse::<i64>().ok());
    let (year, month, day) = (fields.next()??, fields.next()??, fields.next()??);
    if fields.next().is_some() || date.len() != 10 || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let from_march = year - i64::from(month <= 2);
    let era = from_march.div_euclid(400);
    let year_of_era = from_march.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + of_year - 719_468;
    // 31 February gives a day of March, which prints otherwise.
    let mut printed = Vec::new();
    iso_date(days, &mut printed);
    (printed == date.as_bytes()).then_some(days)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::{Value as Json, json};

    use super::*;
    use crate::tests::{plan_drawing, program};

    /// What `draws` draws of `value` by user `user` of ten print.
    fn drawn(value: Json, user: u32, draws: usize) -> Vec<String> {
        let program = program(plan_drawing("x", value));
        let mut state = State::new(&program, user);
        let mut scratch = Scratch::default();
        (0..draws)
            .map(|_| {
                program.operations[0].draw(&mut state, &mut scratch);
                String::from_utf8(state.value(0).to_vec()).unwrap()
            })
            .collect()
    }

    #[test]
    fn slices_of_users_are_disjoint_and_cover_the_range() {
        let mut seen = BTreeSet::new();
        for user in 0..10 {
            let own: BTreeSet<_> =
                drawn(json!({"kind": "slice", "count": 100}), user, 500).into_iter().collect();
            assert_eq!(own.len(), 10);
            seen.extend(own.into_iter().map(|id| id.parse::<u32>().unwrap()));
        }
        assert!(seen.into_iter().eq(1..=100));
    }

    #[test]
    fn serials_are_never_drawn_twice() {
        let all: Vec<_> = (0..10).flat_map(|u| drawn(json!({"kind": "serial", "start": 50}), u, 7)).collect();
        let distinct: BTreeSet<u32> = all.iter().map(|s| s.parse().unwrap()).collect();
        assert!(distinct.into_iter().eq(50..120));
    }

    #[test]
    fn ranks_are_zipfs_with_and_without_locality() {
        let without = json!({"kind": "zipf", "count": 100, "exponent": 1.0});
        let with =
            json!({"kind": "zipf", "count": 100, "exponent": 1.0, "locality": {"mu": 2.0, "sigma": 1.0}});
        let harmonic: f64 = (1..=100).map(|rank| 1.0 / f64::from(rank)).sum();
        for value in [without, with] {
            let all: Vec<u32> = drawn(value, 3, 20_000).iter().map(|rank| rank.parse().unwrap()).collect();
            assert!(all.iter().all(|rank| (1..=100).contains(rank)));
            for rank in [1, 2, 10] {
                let seen = all.iter().filter(|other| **other == rank).count() as u64;
                let around = loadstone_stats::wilson(seen, 20_000, 0.999_999_4);
                assert!((around.low..around.high).contains(&(1.0 / (f64::from(rank) * harmonic))), "{rank}");
            }
        }
    }

    #[test]
    fn users_share_one_sequence_of_ranks() {
        let value =
            json!({"kind": "zipf", "count": 50, "exponent": 1.0, "locality": {"mu": 1.0, "sigma": 0.5}});
        let by_user: Vec<Vec<String>> = (0..10).map(|user| drawn(value.clone(), user, 300)).collect();
        let merged = (0..300).flat_map(|k| by_user.iter().map(move |own| &own[k]));
        let ranks: Vec<u32> = merged.map(|rank| rank.parse().unwrap()).collect();
        let law = loadstone_stats::Locality { count: 50, exponent: 1.0, mu: 1.0, sigma: 0.5 };
        let program = program(plan_drawing("x", value));
        let expected = law.sequence(1 << 17, &mut Rng::stream(program.seed, 1 << 33));
        assert_eq!(ranks, expected[..3000]);
    }

    #[test]
    fn texts_have_their_lengths() {
        for text in drawn(json!({"kind": "words", "low": 1, "high": 40}), 0, 300) {
            assert!((1..=40).contains(&text.len()) && text == text.trim(), "{text:?}");
            assert!(text.split(' ').all(|w| (1..=13).contains(&w.len())), "{text:?}");
        }
        let names = drawn(json!({"kind": "letters", "low": 2, "high": 2, "capital": true}), 0, 20);
        assert!(
            names
                .iter()
                .all(|n| n.as_bytes()[0].is_ascii_uppercase() && n.as_bytes()[1].is_ascii_lowercase())
        );
        assert!(drawn(json!({"kind": "digits", "count": 5}), 0, 9).iter().all(|d| d.len() == 5));
    }

    #[test]
    fn dates_are_days_of_the_calendar() {
        let dates = drawn(json!({"kind": "date", "base": "2008-02-28", "low": 0, "high": 2}), 0, 60);
        let seen: BTreeSet<_> = dates.iter().map(String::as_str).collect();
        assert!(seen.into_iter().eq(["2008-02-28", "2008-02-29", "2008-03-01"]));
        assert_eq!((days_of("1970-01-01"), days_of("2000-03-01")), (Some(0), Some(11_017)));
        assert_eq!((days_of("2009-02-29"), days_of("2008-1-1"), days_of("x")), (None, None, None));
    }

    #[test]
    fn lists_without_repetition() {
        let item = json!({"kind": "int", "low": 1, "high": 4});
        let list =
            json!({"kind": "list", "low": 3, "high": 6, "separator": ", ", "distinct": true, "item": item});
        for text in drawn(list, 0, 100) {
            let items: Vec<&str> = text.split(", ").collect();
            assert!((3..=4).contains(&items.len()), "only four can be told apart: {text}");
            assert_eq!(items.iter().collect::<BTreeSet<_>>().len(), items.len(), "{text}");
        }
    }

    #[test]
    fn columns_names_and_negative_integers() {
        assert_eq!(drawn(json!({"kind": "column", "cells": ["a", "b"], "row": "{user}"}), 2, 1), ["b"]);
        assert_eq!(drawn(json!({"kind": "column", "cells": ["a", "b"], "row": "9"}), 2, 1), [""]);
        assert_eq!(drawn(json!({"kind": "int", "low": -3, "high": -3}), 0, 1), ["-3"]);
        let id = json!({"kind": "int", "low": 7, "high": 7});
        assert_eq!(
            drawn(json!({"kind": "username", "id": id, "era": "paper"}), 0, 1),
            [loadstone_stats::username(7, Era::Paper)]
        );
        let seen: BTreeSet<_> =
            drawn(json!({"kind": "pick", "from": ["{users}", "z"]}), 0, 50).into_iter().collect();
        assert!(seen.iter().map(String::as_str).eq(["10", "z"]));
    }
}
