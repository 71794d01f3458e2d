//! One suite over every place that entities can be in: the same types, the same answers.

#[path = "entities/filters.rs"]
mod filters;
#[path = "entities/places.rs"]
mod places;
#[path = "entities/relations.rs"]
mod relations;
#[path = "entities/schema.rs"]
mod schema;

use loadstone_store::{Entity, Error, Id, Kind, Ref, Result};
use places::Place;

#[derive(Entity, Debug, Clone, PartialEq)]
struct Everything {
    whole: i64,
    id: Id<Everything>,
    small: i32,
    smaller: i16,
    natural: u32,
    short: u16,
    byte: u8,
    truth: bool,
    real: f64,
    text: String,
    bytes: Vec<u8>,
    other: Option<Ref<Everything>>,
    maybe: Option<i64>,
    perhaps: Option<String>,
    may_be_bytes: Option<Vec<u8>>,
    may_be_real: Option<f64>,
    may_be_true: Option<bool>,
}

fn nothing() -> Everything {
    Everything {
        id: Id::NEW,
        whole: 0,
        small: 0,
        smaller: 0,
        natural: 0,
        short: 0,
        byte: 0,
        truth: false,
        real: 0.0,
        text: String::new(),
        bytes: Vec::new(),
        other: None,
        maybe: None,
        perhaps: None,
        may_be_bytes: None,
        may_be_real: None,
        may_be_true: None,
    }
}

#[test]
fn every_type_comes_back_as_it_went_in() {
    for place in Place::all() {
        let db = place.open();
        Everything::open(&db).unwrap();
        let mut empty = nothing();
        let first = empty.save(&db).unwrap();
        let mut full = Everything {
            id: Id::NEW,
            whole: i64::MIN,
            small: i32::MAX,
            smaller: i16::MIN,
            natural: u32::MAX,
            short: u16::MAX,
            byte: u8::MAX,
            truth: true,
            real: -1e-300,
            text: "é\\'\"%\n\u{1F600} ".repeat(20_000),
            bytes: (0..=255).collect(),
            other: Some(first),
            maybe: Some(i64::MAX),
            perhaps: Some(String::new()),
            may_be_bytes: Some(Vec::new()),
            may_be_real: Some(0.1),
            may_be_true: Some(false),
        };
        let second = full.save(&db).unwrap();
        assert_eq!((empty.id.get(), full.id.get()), (Some(first), Some(second)));
        assert_eq!(Everything::get(&db, first), Ok(Some(empty.clone())));
        assert_eq!(second.load(&db), Ok(Some(full.clone())));
        assert_eq!(Everything::all().all(&db), Ok(vec![empty, full]));
        assert_eq!(Ref::<Everything>::new(-7).load(&db), Ok(None));
    }
}

/// Key words of SQL, capitals, and words that the store translates in hand-written statements.
#[derive(Entity, Debug, Clone, PartialEq)]
#[entity(table = "order")]
struct Words {
    id: Id<Words>,
    user: i64,
    #[entity(unique, max = 20)]
    group: String,
    #[entity(column = "like")]
    liked: Option<String>,
    r#where: bool,
}

#[test]
fn names_may_be_key_words() {
    for place in Place::all() {
        let db = place.open();
        Words::open(&db).unwrap();
        let mut words =
            Words { id: Id::NEW, user: 1, group: "a".into(), liked: Some("Bee".into()), r#where: true };
        words.save(&db).unwrap();
        words.user = 2;
        words.save(&db).unwrap();
        let found = Words::find(|w| w.user.gt(1).and(w.liked.contains("BE")).and(w.r#where.eq(true)))
            .order(|w| w.liked.descending().then(w.group.ascending()))
            .first(&db);
        assert_eq!(found, Ok(Some(words)));
    }
}

#[derive(Entity, Debug, Clone, PartialEq)]
struct Note {
    id: Id<Note>,
    #[entity(unique, max = 5)]
    title: String,
    weight: f64,
}

fn note(title: &str) -> Note {
    Note { id: Id::NEW, title: title.into(), weight: 1.0 }
}

#[test]
fn saving_inserts_then_changes() {
    for place in Place::all() {
        let db = place.open();
        Note::open(&db).unwrap();
        let (mut one, mut two) = (note("one"), note("two"));
        let rows = [one.save(&db).unwrap(), two.save(&db).unwrap()];
        assert_ne!(rows[0], rows[1]);
        one.title = "uno".into();
        assert_eq!(one.save(&db), Ok(rows[0]));
        assert_eq!(Note::all().all(&db), Ok(vec![one.clone(), two.clone()]));
        assert_eq!((two.delete(&db), two.id, two.delete(&db)), (Ok(true), Id::NEW, Ok(false)));
        assert_eq!(rows[1].delete(&db), Ok(false));
        assert_eq!(Note::all().count(&db), Ok(1));
        // Deleted by someone else meanwhile: saving makes the row be there.
        rows[0].delete(&db).unwrap();
        assert_eq!(one.save(&db), Ok(rows[0]));
        assert_eq!(rows[0].load(&db), Ok(Some(one)));
    }
}

#[test]
fn what_not_every_database_keeps_is_refused_on_all() {
    for place in Place::all() {
        let db = place.open();
        Note::open(&db).unwrap();
        note("äöüßé").save(&db).unwrap();
        let refused = |mut note: Note| {
            let error = note.save(&db).unwrap_err();
            assert!(error.kind == Kind::Constraint && note.id == Id::NEW, "{error}");
            error.message
        };
        assert_eq!(refused(note("äöüßé ")), "column `title` of `note` takes 5 characters, was given 6");
        assert_eq!(refused(note("a\0b")), "column `title` of `note` was given text with a NUL character");
        let infinite = Note { weight: f64::INFINITY, ..note("x") };
        assert_eq!(refused(infinite), "column `weight` of `note` was given a number that is not finite");
        let error = Note::find(|n| n.title.starts_with("\0")).all(&db).unwrap_err();
        assert_eq!(error.message, "column `title` of `note` is compared with text with a NUL character");
        assert!(note("äöüßé").save(&db).unwrap_err().is_unique());
        assert_eq!(Note::all().count(&db), Ok(1));
    }
}

#[test]
fn a_transaction_is_all_or_nothing_and_may_be_run_again() {
    for place in Place::all() {
        let db = place.open();
        Note::open(&db).unwrap();
        let mut kept = note("kept");
        let failed: Result<()> = db.transaction(|db| {
            kept.save(db)?;
            Err(Error::other("on purpose"))
        });
        assert_eq!(failed.unwrap_err().message, "on purpose");
        assert_eq!(Note::all().count(&db), Ok(0));
        // The value has the id of the row that was undone; its next run makes the row.
        let row = db.transaction(|db| kept.save(db)).unwrap();
        assert_eq!(row.load(&db), Ok(Some(kept.clone())));
    }
}

#[test]
fn a_row_of_another_type_is_told() {
    #[derive(Entity, Debug)]
    #[entity(table = "number")]
    struct Wide {
        id: Id<Wide>,
        number: i64,
    }
    #[derive(Entity, Debug)]
    #[entity(table = "number")]
    struct Narrow {
        id: Id<Narrow>,
        number: u8,
    }
    for place in Place::all() {
        let db = place.open();
        Wide::open(&db).unwrap();
        let row = Wide { id: Id::NEW, number: 256 }.save(&db).unwrap();
        // The database knows only one kind of integer.
        Narrow::open(&db).unwrap();
        let error = Narrow::get(&db, Ref::new(row.id())).unwrap_err();
        assert_eq!(error.message, "256 is no u8");
    }
}
