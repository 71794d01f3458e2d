//! Filters, orders and limits against the same questions asked in Rust.

use loadstone_store::entity::{Filter, Order, Predicate, Sorting};
use loadstone_store::{Db, Entity, Id};

use crate::places::Place;

#[derive(Entity, Debug, Clone, PartialEq)]
struct Sample {
    id: Id<Sample>,
    name: String,
    nick: Option<String>,
    size: i64,
    share: Option<f64>,
    raw: Vec<u8>,
}

/// Texts on which databases like to disagree: capitals within and beyond ASCII, trailing blanks, wildcards,
/// what sorts otherwise in some language, nothing at all.
const TEXTS: [&str; 16] =
    ["", " ", "a", "A", "a ", "ab", "aB%", "a_b", "a\\b", "é", "É", "e\u{301}", "z", "Zz", "ß", "\u{1F600}x"];

fn samples() -> Vec<Sample> {
    let count = TEXTS.len();
    (0..3 * count)
        .map(|n| Sample {
            id: Id::NEW,
            name: TEXTS[n % count].into(),
            nick: (n % 3 > 0).then(|| TEXTS[(n * 7) % count].into()),
            size: [i64::MIN, -1, 0, 3, i64::MAX][n % 5],
            share: (n % 4 > 0).then_some([-0.5, 0.0, 2.5][n % 3]),
            raw: TEXTS[(n * 5) % count].as_bytes().to_vec(),
        })
        .collect()
}

/// Saves the samples and gives them back with their ids.
fn filled(place: &Place) -> (Db, Vec<Sample>) {
    let db = place.open();
    Sample::open(&db).unwrap();
    let mut samples = samples();
    db.transaction(|db| samples.iter_mut().try_for_each(|sample| sample.save(db).map(drop))).unwrap();
    (db, samples)
}

/// Whether `part` is in `text` at a place that `is_there` accepts, ASCII letters of both cases being one.
fn folded(text: &str, part: &str, is_there: fn(&str, &str) -> bool) -> bool {
    is_there(&text.to_ascii_lowercase(), &part.to_ascii_lowercase())
}

struct Asked<'d> {
    db: &'d Db,
    samples: &'d [Sample],
    asked: usize,
}

impl Asked<'_> {
    /// The rows that pass the filter are those that pass `expected`.
    fn check<P: Predicate>(&mut self, filter: Filter<Sample, P>, expected: impl Fn(&Sample) -> bool) {
        let expected: Vec<_> = self.samples.iter().filter(|sample| expected(sample)).cloned().collect();
        let found = Sample::find(|_| filter).all(self.db).unwrap();
        assert_eq!(found, expected, "{}", P::SQL);
        self.asked += 1;
    }
}

#[test]
fn comparisons_are_those_of_rust() {
    for place in Place::all() {
        let (db, samples) = filled(&place);
        let mut asked = Asked { db: &db, samples: &samples, asked: 0 };
        let c = Sample::columns();
        for text in TEXTS {
            asked.check(c.name.eq(text), |s| s.name == text);
            asked.check(c.name.ne(text), |s| s.name != text);
            asked.check(c.name.lt(text), |s| *s.name < *text);
            asked.check(c.name.le(text), |s| *s.name <= *text);
            asked.check(c.name.gt(text), |s| *s.name > *text);
            asked.check(c.name.ge(text), |s| *s.name >= *text);
            asked.check(c.nick.eq(text), |s| s.nick.as_deref() == Some(text));
            asked.check(c.nick.ne(text), |s| s.nick.as_deref() != Some(text));
            asked.check(c.nick.lt(text), |s| s.nick.as_deref().is_some_and(|nick| nick < text));
            asked.check(c.raw.gt(text.as_bytes()), |s| *s.raw > *text.as_bytes());
        }
        for number in [i64::MIN, -1, 0, 1, i64::MAX] {
            asked.check(c.size.le(number), |s| s.size <= number);
            asked.check(c.size.ne(number), |s| s.size != number);
        }
        asked.check(c.share.ge(0.0), |s| s.share.is_some_and(|share| share >= 0.0));
        asked.check(!c.share.ge(0.0), |s| !s.share.is_some_and(|share| share >= 0.0));
        asked.check(c.share.is_none(), |s| s.share.is_none());
        asked.check(!c.share.is_some(), |s| s.share.is_none());
        asked.check(c.size.one_of([3, -1]), |s| [3, -1].contains(&s.size));
        asked.check(!c.nick.one_of(["a", ""]), |s| !["a", ""].map(Some).contains(&s.nick.as_deref()));
        asked.check(c.size.one_of([]), |_| false);
        asked.check(c.id.eq(samples[7].id.saved().unwrap()), |s| s.id == samples[7].id);
        assert_eq!(asked.asked, 178);
    }
}

#[test]
fn text_is_looked_into_without_regard_to_ascii_case() {
    for place in Place::all() {
        let (db, samples) = filled(&place);
        let mut asked = Asked { db: &db, samples: &samples, asked: 0 };
        let c = Sample::columns();
        for part in TEXTS.into_iter().chain(["%", "_", "\\", "B", "%'", "\"", "'; DROP TABLE sample; --"]) {
            asked.check(c.name.contains(part), |s| folded(&s.name, part, |text, part| text.contains(part)));
            asked.check(c.name.starts_with(part), |s| {
                folded(&s.name, part, |text, part| text.starts_with(part))
            });
            asked.check(c.name.ends_with(part), |s| folded(&s.name, part, |text, part| text.ends_with(part)));
            let has = |s: &Sample| {
                s.nick.as_deref().is_some_and(|nick| folded(nick, part, |text, part| text.contains(part)))
            };
            asked.check(c.nick.contains(part), has);
            asked.check(!c.nick.contains(part), |s| !has(s));
        }
        assert_eq!(asked.asked, 5 * 23);
    }
}

#[test]
fn conditions_are_joined_as_they_are_written() {
    for place in Place::all() {
        let (db, samples) = filled(&place);
        let mut asked = Asked { db: &db, samples: &samples, asked: 0 };
        let c = Sample::columns();
        let (small, named, known) =
            (|s: &Sample| s.size < 1, |s: &Sample| s.name.starts_with('a'), |s: &Sample| s.nick.is_some());
        asked.check(c.size.lt(1).and(c.name.ge("a").and(c.name.lt("b"))), |s| small(s) && named(s));
        let either = c.size.lt(1).or(c.nick.is_some()).and(c.name.ge("a").and(c.name.lt("b")));
        asked.check(either, |s| (small(s) || known(s)) && named(s));
        let apart = c.size.lt(1).or(c.nick.is_some().and(c.name.ge("a").and(c.name.lt("b"))));
        asked.check(apart, |s| small(s) || known(s) && named(s));
        asked.check(!(c.size.lt(1).or(c.nick.is_some())), |s| !(small(s) || known(s)));
        let doomed = Sample::find(|c| c.size.lt(1).and(c.nick.is_none()));
        let left: Vec<_> = samples.iter().filter(|s| !small(s) || known(s)).cloned().collect();
        assert_eq!(doomed.delete(&db), Ok(samples.len() - left.len()));
        assert_eq!(Sample::all().all(&db), Ok(left));
    }
}

/// The rows in an order are those that a stable sort of Rust puts into it.
fn check_order<O: Order>(db: &Db, samples: &[Sample], order: Sorting<Sample, O>, sort: fn(&mut Vec<Sample>)) {
    let mut expected = samples.to_vec();
    sort(&mut expected);
    let query = Sample::all().order(|_| order);
    let mut found = Vec::new();
    query
        .each(db, |sample| {
            found.push(sample);
            Ok(())
        })
        .unwrap();
    assert_eq!(found, expected);
}

#[test]
fn orders_are_those_of_rust() {
    for place in Place::all() {
        let (db, samples) = filled(&place);
        let c = Sample::columns();
        check_order(&db, &samples, c.name.ascending(), |rows| rows.sort_by_key(|s| s.name.clone()));
        check_order(&db, &samples, c.nick.ascending(), |rows| rows.sort_by_key(|s| s.nick.clone()));
        check_order(&db, &samples, c.nick.descending(), |rows| {
            rows.sort_by(|a, b| b.nick.cmp(&a.nick));
        });
        check_order(&db, &samples, c.size.descending().then(c.share.ascending()), |rows| {
            rows.sort_by(|a, b| b.size.cmp(&a.size).then(a.share.partial_cmp(&b.share).unwrap()));
        });
        check_order(&db, &samples, c.id.descending(), |rows| rows.reverse());
    }
}

#[test]
fn a_page_is_a_part_of_the_order() {
    for place in Place::all() {
        let (db, samples) = filled(&place);
        let page = |rows, skip| Sample::all().limit(rows).skip(skip).all(&db).unwrap();
        assert_eq!(page(5, 0), samples[..5]);
        assert_eq!(page(5, 45), samples[45..]);
        assert_eq!((page(0, 0), page(5, u32::MAX)), (vec![], vec![]));
        assert_eq!(page(u32::MAX, 40), samples[40..]);
        let largest = Sample::all().order(|c| c.size.descending()).first(&db);
        assert_eq!(largest, Ok(samples.iter().find(|sample| sample.size == i64::MAX).cloned()));
        assert_eq!(Sample::find(|c| c.name.eq("nobody")).first(&db), Ok(None));
        assert_eq!(Sample::find(|c| c.name.eq("a")).count(&db), Ok(3));
    }
}
