//! Tables that are not the struct's.

use loadstone_store::{Db, Dialect, Entity, Id, Kind};

use crate::places::Place;

/// The table as an older program made it.
mod before {
    use super::*;

    #[derive(Entity)]
    pub struct Member {
        pub id: Id<Member>,
        pub name: String,
        pub age: i64,
    }
}

/// With columns and an index more.
mod grown {
    use super::*;

    #[derive(Entity, Debug, PartialEq)]
    #[entity(index(age, points))]
    pub struct Member {
        pub id: Id<Member>,
        pub name: String,
        pub age: i64,
        #[entity(default = 10)]
        pub points: i64,
        #[entity(default = "it's", max = 12)]
        pub motto: String,
        #[entity(default = true)]
        pub active: bool,
        pub mail: Option<String>,
        pub friend: Option<loadstone_store::Ref<Member>>,
    }
}

/// With a column that rows of before have no value for.
mod demanding {
    use super::*;

    #[derive(Entity)]
    pub struct Member {
        pub id: Id<Member>,
        pub name: String,
        pub age: i64,
        pub mail: String,
    }
}

/// With other types.
mod changed {
    use super::*;

    #[derive(Entity)]
    pub struct Member {
        pub id: Id<Member>,
        pub name: Option<String>,
        pub age: f64,
    }
}

/// With a column less.
mod shrunk {
    use super::*;

    #[derive(Entity)]
    pub struct Member {
        pub id: Id<Member>,
        pub name: String,
    }
}

fn with_a_member(place: &Place) -> Db {
    let db = place.open();
    before::Member::open(&db).unwrap();
    before::Member { id: Id::NEW, name: "Ann".into(), age: 30 }.save(&db).unwrap();
    db
}

/// The message of an `open` that finds another table, without the types that databases name differently.
fn refused<E: Entity>(db: &Db) -> String {
    let error = E::open(db).unwrap_err();
    assert_eq!(error.kind, Kind::Schema, "{error}");
    let words = match db.dialect() {
        Dialect::Sqlite => [("INTEGER", "integer"), ("REAL", "real"), ("TEXT", "text")],
        Dialect::Postgres => {
            [("BIGINT", "integer"), ("DOUBLE PRECISION", "real"), ("TEXT COLLATE \"C\"", "text")]
        }
        Dialect::MariaDb => {
            [("BIGINT", "integer"), ("DOUBLE", "real"), ("LONGTEXT COLLATE utf8mb4_nopad_bin", "text")]
        }
    };
    words.iter().fold(error.message, |message, (theirs, ours)| message.replace(theirs, ours))
}

#[test]
fn what_is_missing_is_told_and_added_on_request() {
    for place in Place::all() {
        let db = with_a_member(&place);
        let message = refused::<grown::Member>(&db);
        let start = "the table `member` is not that of `Member`: column `points` is not there, expected integer NOT \
                     NULL; column `motto` is not there, expected ";
        assert!(message.starts_with(start), "{message}");
        let end = " NOT NULL; column `active` is not there, expected integer NOT NULL; column `mail` is not there, \
                   expected text; column `friend` is not there, expected integer; the index `member_age_points_index` \
                   is not there; the index `member_friend_index` is not there; `Member::migrate` adds it";
        assert!(message.ends_with(end), "{message}");
        grown::Member::migrate(&db).unwrap();
        grown::Member::open(&db).unwrap();
        grown::Member::migrate(&db).unwrap();
        let ann = grown::Member::all().first(&db).unwrap().unwrap();
        let expected = grown::Member {
            id: ann.id,
            name: "Ann".into(),
            age: 30,
            points: 10,
            motto: "it's".into(),
            active: true,
            mail: None,
            friend: None,
        };
        assert_eq!(ann, expected);
        let mut lonely = grown::Member { id: Id::NEW, friend: Some(loadstone_store::Ref::new(99)), ..ann };
        assert!(lonely.save(&db).unwrap_err().is_foreign_key(), "added references are kept, too");
    }
}

#[test]
fn what_cannot_be_added_is_refused_and_nothing_is_changed() {
    for place in Place::all() {
        let db = with_a_member(&place);
        let message = "the table `member` is not that of `Member`: ";
        let wanted = format!("{message}column `mail` is not there, expected text NOT NULL");
        assert_eq!(refused::<demanding::Member>(&db), wanted);
        let wanted = format!(
            "{message}column `name` is text NOT NULL, expected text; column `age` is integer NOT NULL, expected real NOT NULL"
        );
        assert_eq!(refused::<changed::Member>(&db), wanted);
        let wanted = format!("{message}column `age` is integer NOT NULL, expected none");
        assert_eq!(refused::<shrunk::Member>(&db), wanted);
        assert_eq!(demanding::Member::migrate(&db).unwrap_err().kind, Kind::Schema);
        assert_eq!(changed::Member::migrate(&db).unwrap_err().kind, Kind::Schema);
        before::Member::open(&db).unwrap();
        assert_eq!(before::Member::all().count(&db), Ok(1));
    }
}

#[test]
fn a_table_made_by_hand_is_held_to_the_same() {
    for place in Place::all() {
        let db = place.open();
        db.exec_batch("CREATE TABLE member(id INTEGER PRIMARY KEY, name VARCHAR(9) NOT NULL)").unwrap();
        let message = refused::<shrunk::Member>(&db);
        assert!(message.contains("column `name` is ") && message.contains("(9)"), "{message}");
        assert!(message.contains(", expected text NOT NULL"), "{message}");
    }
}
