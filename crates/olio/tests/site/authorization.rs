//! Who may change what: every request that changes something, by a stranger, by another member and by the
//! owner.

use loadstone_http::Method;
use loadstone_olio::CacheLevel;

use crate::browser::{Browser, World, encoded};
use crate::events::{EVENT, add_event};
use crate::people::PERSON;

/// How a request is answered: sent to the log-in, refused, or done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    LogIn,
    Refused,
    Done,
}
use Outcome::{Done, LogIn, Refused};

/// Method, path, fields, and what the stranger, the other member and the owner get. The owner is account 4,
/// the other member 5; event 76 and the comment are the owner's. What destroys comes last.
type Row<'a> = (Method, String, &'a [(&'a str, &'a str)], [Outcome; 3]);

fn rows<'a>(comment: i64, end: &'a [(&'a str, &'a str)]) -> Vec<Row<'a>> {
    let own_only = [LogIn, Refused, Done];
    let members = [LogIn, Done, Done];
    vec![
        (Method::Post, "/events".into(), &EVENT, members),
        (Method::Put, "/events/76".into(), &EVENT, own_only),
        (Method::Post, "/events/76/attend".into(), &[], members),
        (Method::Post, "/events/76/unattend".into(), &[], members),
        (Method::Put, "/events/76/tag".into(), &[("tag_list", "fresh")], members),
        (Method::Post, "/events/76/tag".into(), &[("tag_list", "fresh2")], members),
        (Method::Post, "/events/76/comments".into(), &[("comment", "x"), ("rating", "3")], members),
        (
            Method::Put,
            format!("/events/76/comments/{comment}"),
            &[("comment", "y"), ("rating", "1")],
            own_only,
        ),
        (Method::Delete, format!("/events/76/comments/{comment}"), &[], own_only),
        (Method::Post, "/users/9/friends".into(), &[], members),
        (Method::Put, "/users/4/friends/9".into(), &[], own_only),
        (Method::Delete, "/users/4/friends/9".into(), end, own_only),
        (Method::Delete, "/events/76".into(), &[], own_only),
        (Method::Put, "/users/4".into(), &PERSON, own_only),
        (Method::Delete, "/users/4".into(), &[], own_only),
    ]
}

fn attempt(who: &mut Browser, (method, path, fields, _): &Row<'_>) -> Outcome {
    let body = encoded(fields, &who.token);
    let form = [("Content-Type", "application/x-www-form-urlencoded")];
    let answer = who.send(*method, path, &form, body.as_bytes());
    match (answer.status, answer.location.as_str()) {
        (303, "/users/login") => LogIn,
        (403, _) => Refused,
        (303, _) => Done,
        other => panic!("{method:?} {path}: {other:?} {}", answer.text),
    }
}

/// Changes with every commit of another connection. Servers do not count those of one database.
fn version(world: &World) -> i64 {
    if world.is_on_server() {
        return 0;
    }
    world.db.query_row("PRAGMA data_version", &[], |row| row.int(0)).expect("a pragma").expect("a row")
}

#[test]
fn every_change_is_for_those_whose_it_is() {
    let world = World::new(CacheLevel::None);
    let (mut stranger, mut other, mut owner) = (world.visitor(), world.member(5), world.member(4));
    stranger.get("/");
    other.get("/events/1");
    add_event(&mut owner, &EVENT);
    owner.post("/events/76/comments", &[("comment", "mine"), ("rating", "2")]).has(200, &["mine"]);
    let comment = world.number("SELECT max(id) FROM comment WHERE event_id = ?", 76);
    for row in &rows(comment, &[("friend_action", "revoke")]) {
        for (place, who) in [&mut stranger, &mut other, &mut owner].into_iter().enumerate() {
            let before = version(&world);
            let outcome = attempt(who, row);
            assert_eq!(outcome, row.3[place], "{:?} {} by {place}", row.0, row.1);
            if outcome != Done {
                assert_eq!(
                    version(&world),
                    before,
                    "{:?} {} was refused and changed something",
                    row.0,
                    row.1
                );
            }
        }
    }
}

#[test]
fn reading_changes_nothing() {
    let world = World::new(CacheLevel::None);
    let mut member = world.member(4);
    let before = version(&world);
    for path in [
        "/",
        "/events/1",
        "/events/new",
        "/events/tagged?tag=x",
        "/events/rss",
        "/events/update_calendar?year=2009&month=1",
        "/users",
        "/users/4",
        "/users/4/edit",
        "/users/4/friends",
        "/users/4/requests",
        "/users/4/posted_events",
        "/users/4/upcoming_events",
        "/users/login",
        "/users/new",
        "/events/1/attend",
        "/users/9/friends",
        "/events/1?_method=delete",
    ] {
        let token = member.token.clone();
        let glue = if path.contains('?') { '&' } else { '?' };
        for method in [Method::Get, Method::Head] {
            member.send(method, &format!("{path}{glue}authenticity_token={token}"), &[], b"");
        }
    }
    assert_eq!(version(&world), before);
}
