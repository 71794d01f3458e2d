//! What vanishes while somebody acts on it: the answer is a page, and the operator is not told of a fault.

use loadstone_olio::CacheLevel;
use loadstone_store::{Db, Dialect};

use crate::browser::{Browser, Page, World, between};
use crate::events::{EVENT, add_event, but};
use crate::people::PERSON;

const PICTURE: &[u8] = b"\xff\xd8\xff\xe0 picture";

/// Deletes a row just before one that refers to it goes into `table`: what somebody else does between the
/// look at it and the write. `deletion` names the row by the new one's columns.
fn vanish_before(db: &Db, table: &str, deletion: &str) {
    let each = format!("BEFORE INSERT ON {table} FOR EACH ROW");
    let trigger = match db.dialect() {
        Dialect::Sqlite => format!("CREATE TRIGGER late {each} BEGIN {deletion}; END"),
        // There, `user` is a word of the language.
        Dialect::Postgres => format!(
            "CREATE FUNCTION late() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN {}; RETURN NEW; END';
             CREATE TRIGGER late {each} EXECUTE FUNCTION late()",
            deletion.replace("FROM user ", "FROM \"user\" ")
        ),
        Dialect::MariaDb => format!("CREATE TRIGGER late {each} {deletion}"),
    };
    db.exec_batch(trigger.leak()).expect("a trigger");
}

/// What a member gets for an action on an event or person that vanishes in the middle of it.
fn late(table: &str, deletion: &str, act: impl FnOnce(&mut Browser) -> Page) {
    let world = World::new(CacheLevel::None);
    let mut member = world.member(3);
    member.get("/events/1").has(200, &["data-key=\"event:1\""]);
    vanish_before(&world.db, table, deletion);
    act(&mut member).has(404, &["Not found", "</html>"]);
    assert_eq!(world.surroundings.reports(), [""; 0]);
}

const EVENT_OF_NEW: &str = "DELETE FROM event WHERE id = NEW.event_id";

#[test]
fn attending_what_is_being_deleted_is_not_our_fault() {
    late("attendance", EVENT_OF_NEW, |member| {
        // Nobody attends twice: the row must be a new one.
        member.submit("/events/1/unattend", &[]);
        member.submit("/events/1/attend", &[])
    });
    late("attendance", EVENT_OF_NEW, |member| {
        member.submit("/events/1/unattend", &[]);
        member.script("/events/1/attend", &[])
    });
}

#[test]
fn a_comment_on_what_is_being_deleted_is_not_our_fault() {
    late("comment", EVENT_OF_NEW, |member| {
        member.submit("/events/1/comments", &[("comment", "late"), ("rating", "3")])
    });
}

#[test]
fn a_tag_for_what_is_being_deleted_is_not_our_fault() {
    late("event_tag", EVENT_OF_NEW, |member| member.submit("/events/1/tag", &[("tag_list", "late")]));
}

#[test]
fn asking_somebody_who_is_leaving_is_not_our_fault() {
    late("friendship", "DELETE FROM user WHERE id = NEW.friend_id", |member| {
        let stranger = (4..).find(|id| member.get(&format!("/users/{id}")).text.contains("Add as"));
        member.submit(&format!("/users/{}/friends", stranger.expect("a stranger")), &[])
    });
}

#[test]
fn a_picture_of_what_was_deleted_meanwhile_is_not_kept() {
    let world = World::new(CacheLevel::None);
    let mut member = world.member(4);
    add_event(&mut member, &EVENT);
    member.get("/events/76/edit");
    let mut elsewhere = world.member(4);
    elsewhere.get("/events/76");
    world.surroundings.before_upload(move || {
        assert_eq!(elsewhere.submit("/events/76", &[("_method", "delete")]).status, 303);
    });
    let fields = [&EVENT[..], &[("_method", "put")]].concat();
    member.upload("/events/76", &fields, &[("event_image", PICTURE)]).has(404, &["Not found"]);
    member.get("/media/e76.jpg").has(404, &[]);
    assert_eq!(world.surroundings.reports(), [""; 0]);
}

#[test]
fn a_picture_of_who_left_meanwhile_is_not_kept() {
    let world = World::new(CacheLevel::None);
    let mut visitor = world.visitor();
    visitor.get("/users/new");
    let location = visitor.submit("/users", &PERSON).location;
    let id = between(&format!("{location}|"), "/users/", "|").expect("a person").to_owned();
    let login = [("users[username]", "new_one"), ("users[password]", "s3cret")];
    let (mut here, mut elsewhere) = (world.visitor(), world.visitor());
    for browser in [&mut here, &mut elsewhere] {
        browser.get("/users/login");
        browser.post("/users/login", &login).has(200, &["Hello"]);
        browser.get(&format!("/users/{id}/edit")).has(200, &[]);
    }
    let own = format!("/users/{id}");
    let away = own.clone();
    world.surroundings.before_upload(move || {
        assert_eq!(elsewhere.submit(&away, &[("_method", "delete")]).status, 303);
    });
    // Not with a new password: it would end the other session.
    let same = but(&but(&PERSON, "user[password]", ""), "user[password_confirmation]", "");
    let fields = [&same[..], &[("_method", "put")]].concat();
    here.upload(&own, &fields, &[("user_image", PICTURE)]).has(404, &["Not found"]);
    here.get(&format!("/media/p{id}.jpg")).has(404, &[]);
    assert_eq!(world.surroundings.reports(), [""; 0]);
}
