//! Registering, profiles, log-in sessions and friends.

use loadstone_olio::CacheLevel;

use crate::browser::{World, name};
use crate::events::{EVENT, add_event, but};

/// The fields of a good person.
pub const PERSON: [(&str, &str); 15] = [
    ("user[username]", "new_one"),
    ("user[password]", "s3cret"),
    ("user[password_confirmation]", "s3cret"),
    ("user[firstname]", "Zoë"),
    ("user[lastname]", "O'Neill"),
    ("user[email]", "zoe_oneill@example.com"),
    ("user[telephone]", "0012223334444"),
    ("user[timezone]", "America/Los_Angeles"),
    ("user[summary]", "I like <jazz> & rock"),
    ("address[street1]", "1 Main St"),
    ("address[street2]", "Flat 2"),
    ("address[city]", "Berkeley"),
    ("address[state]", "CA"),
    ("address[zip]", "94704"),
    ("address[country]", "USA"),
];

#[test]
fn registering_leads_to_the_new_page_and_then_to_a_log_in() {
    let world = World::new(CacheLevel::None);
    let mut visitor = world.visitor();
    visitor.get("/users/new").has(200, &["name=\"user[username]\"", "multipart/form-data"]);
    let files: [(&str, &[u8]); 2] = [("user_image", b"GIF89a picture"), ("user_thumbnail", b"GIF89a small")];
    let answer = visitor.upload("/users", &PERSON, &files);
    assert_eq!((answer.status, answer.location.as_str()), (303, "/users/101"), "{}", answer.text);
    let page = visitor.get("/users/101");
    page.has(
        200,
        &[
            "Succeeded in creating user.",
            "Not logged in",
            "Zoë O&#39;Neill",
            "I like &lt;jazz&gt; &amp; rock",
        ],
    );
    assert_eq!(visitor.get("/media/p101.jpg").header("Content-Type"), Some("image/gif"));
    visitor
        .post("/users/login", &[("users[username]", "new_one"), ("users[password]", "s3cret")])
        .has(200, &["Hello"]);
    let stored = world
        .db
        .query_row("SELECT password FROM user WHERE id = 101", &[], |row| Ok(row.text(0)?.to_owned()));
    assert!(stored.expect("a row").expect("a row").starts_with("sha256$"));
}

#[test]
fn wrong_registrations_come_back_without_the_password() {
    let world = World::new(CacheLevel::None);
    let mut visitor = world.visitor();
    let taken = name(1);
    for (field, value, complaint) in [
        ("user[username]", "", "w-username"),
        ("user[username]", "two words", "w-username"),
        ("user[username]", &taken, "w-username"),
        ("user[password]", "", "w-password"),
        ("user[password_confirmation]", "other", "w-password_confirmation"),
        ("user[firstname]", "", "w-firstname"),
        ("user[email]", "nowhere", "w-email"),
        ("user[telephone]", "123", "w-telephone"),
        ("user[timezone]", "", "w-timezone"),
        ("address[country]", "", "w-country"),
    ] {
        visitor.get("/users/new");
        let answer = visitor.upload("/users", &but(&PERSON, field, value), &[]);
        answer.has(422, &[&format!("id=\"{complaint}\"")]).lacks("s3cret");
    }
    assert_eq!(world.number("SELECT count(*) FROM user WHERE id > ?", 0), 100);
}

#[test]
fn names_are_checked_while_they_are_typed() {
    let world = World::new(CacheLevel::None);
    let mut visitor = world.visitor();
    visitor
        .script("/users/check_name", &[("name", &name(1))])
        .has(200, &["is taken", "id=\"name-check\"", &name(1)]);
    visitor.script("/users/check_name", &[("name", "fresh_1")]).has(200, &["fresh_1", "is free"]);
    visitor.script("/users/check_name", &[("name", "<script>")]).has(200, &["&lt;script&gt;", "cannot"]);
}

#[test]
fn logging_in_and_out_changes_the_session() {
    let world = World::new(CacheLevel::None);
    let mut browser = world.visitor();
    browser.get("/");
    let before = browser.cookies["ls"].clone();
    browser
        .post("/users/login", &[("users[username]", &name(3)), ("users[password]", "wrong")])
        .has(422, &["do not belong together", "Login:"]);
    browser
        .post("/users/login", &[("users[username]", "nobody"), ("users[password]", "3")])
        .has(422, &["do not belong together"]);
    let answer = browser.submit("/users/login", &[("users[username]", &name(3)), ("users[password]", "3")]);
    assert_eq!((answer.status, answer.location.as_str()), (302, "/"));
    assert!(answer.headers.contains("HttpOnly; SameSite=Lax"));
    assert_ne!(browser.cookies["ls"], before, "the id before log-in must not become a logged-in one");
    browser.get("/").has(200, &["Hello", &name(3)]).lacks("Login:").lacks("Username");
    let session = browser.cookies["ls"].clone();
    let out = browser.get("/users/logout");
    assert_eq!((out.status, out.location.as_str()), (302, "/"));
    assert!(!browser.cookies.contains_key("ls"));
    browser.cookies.insert("ls".into(), session);
    browser.get("/").has(200, &["Not logged in"]);
    assert_eq!(world.number("SELECT count(*) FROM session WHERE user_id = ?", 3), 0);
}

#[test]
fn profiles_are_their_owners() {
    let world = World::new(CacheLevel::None);
    let (mut owner, mut other) = (world.member(3), world.member(4));
    owner.get("/users/3/edit").has(200, &[&name(3), "Delete account"]);
    other.get("/users/3/edit").has(403, &[]);
    let mut fields = but(&but(&PERSON, "user[password]", ""), "user[password_confirmation]", "");
    fields.push(("_method", "put"));
    other.submit("/users/3", &fields).has(403, &[]);
    other.submit("/users/3", &[("_method", "delete")]).has(403, &[]);
    owner.get("/users/3/edit");
    owner.post("/users/3", &fields).has(200, &["profile was updated", "new_one", "Zoë"]);
    owner.post("/users/3", &but(&fields, "user[username]", &name(4))).has(422, &["w-username"]);
    // The old password still holds, because none was entered.
    let mut again = world.visitor();
    again.get("/");
    again
        .post("/users/login", &[("users[username]", "new_one"), ("users[password]", "3")])
        .has(200, &["Hello"]);
}

#[test]
fn a_deleted_account_takes_its_own_along() {
    let world = World::new(CacheLevel::None);
    let mut owner = world.member(3);
    add_event(&mut owner, &EVENT);
    let uses = world.number("SELECT CAST(sum(refcount) AS INTEGER) FROM tag WHERE ?1 = 1", 1);
    let own = world.number(
        "SELECT count(*) FROM event_tag WHERE event_id IN (SELECT id FROM event WHERE user_id = ?)",
        3,
    );
    owner.get("/users/3/edit");
    owner.post("/users/3", &[("_method", "delete")]).has(200, &["account was deleted", "Not logged in"]);
    owner.get("/users/3").has(404, &[]);
    owner.get("/events/76").has(404, &[]);
    assert_eq!(world.number("SELECT CAST(sum(refcount) AS INTEGER) FROM tag WHERE ?1 = 1", 1), uses - own);
    for sql in [
        "SELECT count(*) FROM friendship WHERE user_id = ?1 OR friend_id = ?1",
        "SELECT count(*) FROM attendance WHERE user_id = ?",
        "SELECT count(*) FROM comment WHERE user_id = ?",
        "SELECT count(*) FROM session WHERE user_id = ?",
    ] {
        assert_eq!(world.number(sql, 3), 0, "{sql}");
    }
}

#[test]
fn friendship_is_asked_approved_and_ended() {
    let world = World::new(CacheLevel::None);
    world.db.execute("DELETE FROM friendship", &[]).expect("no friends");
    let (mut one, mut two) = (world.member(1), world.member(2));
    one.get("/users/2").has(200, &["Add as a friend"]);
    one.post("/users/2/friends", &[]).has(200, &["request was sent", "Take back"]);
    two.get("/").has(200, &["friendship requests (1)"]);
    two.get("/users/2/requests").has(200, &[&name(1), "Approve", "Reject"]);
    one.get("/users/2/requests").has(403, &[]);
    one.submit("/users/2/friends/1", &[("_method", "put")]).has(403, &[]);
    two.script("/users/2/friends/1", &[("_method", "put")])
        .has(200, &["id=\"friendship-1\"", "You are friends"]);
    two.get("/").lacks("friendship requests (");
    one.get("/users/2").has(200, &["You are friends", "Remove friend"]);
    one.get("/users/1/friends").has(200, &[&name(2)]);
    let ended = one.post("/users/1/friends/2", &[("_method", "delete"), ("friend_action", "remove")]);
    ended.has(200, &["no longer friends", "Add as a friend"]);
    // Refused, and taken back.
    one.post("/users/2/friends", &[]);
    two.post("/users/2/friends/1", &[("_method", "delete"), ("friend_action", "reject")])
        .has(200, &["was rejected"]);
    one.post("/users/2/friends", &[]);
    one.post("/users/1/friends/2", &[("_method", "delete"), ("friend_action", "revoke")])
        .has(200, &["taken back"]);
    assert_eq!(world.number("SELECT count(*) FROM friendship WHERE ?1 = 1", 1), 0);
    // Who asks somebody that has asked already, approves.
    one.post("/users/2/friends", &[]);
    two.get("/users/1");
    two.post("/users/1/friends", &[]).has(200, &["You are friends"]);
    one.submit("/users/1/friends", &[]).has(403, &[]);
    one.submit("/users/999/friends", &[]).has(404, &[]);
    one.submit("/users/1/friends/2", &[("_method", "delete"), ("friend_action", "eat")]).has(400, &[]);
}

#[test]
fn slow_hashes_are_an_option() {
    let world = World::with(|options| options.passwords = Some(loadstone_olio::password::Scheme::Pbkdf2(10)));
    let mut visitor = world.visitor();
    visitor.get("/users/new");
    visitor.upload("/users", &PERSON, &[]);
    let rows = world.number("SELECT count(*) FROM user WHERE password LIKE 'pbkdf2$10$%' AND id = ?", 101);
    assert_eq!(rows, 1);
    visitor.get("/");
    let fields = [("users[username]", "new_one"), ("users[password]", "s3cret")];
    visitor.post("/users/login", &fields).has(200, &["Hello"]);
}

#[test]
fn sessions_end_after_a_day() {
    let world = World::new(CacheLevel::None);
    let mut member = world.member(3);
    world.db.execute("UPDATE session SET expires_s = 1", &[]).expect("an old session");
    member.get("/").has(200, &["Not logged in"]);
    let left = || world.number("SELECT count(*) FROM session WHERE user_id = ?", 3);
    for _ in 0..5000 {
        world.member(4);
        if left() == 0 {
            break;
        }
    }
    assert_eq!(left(), 0, "cleared by one log-in in 256");
}

#[test]
fn nothing_uploaded_outlives_its_account() {
    let world = World::new(CacheLevel::Query);
    let mut owner = world.member(3);
    add_event(&mut owner, &EVENT);
    owner.get("/events/76").has(200, &[]);
    assert_eq!(owner.get("/media/e76.jpg").status, 200);
    owner.get("/users/3/edit");
    owner.post("/users/3", &[("_method", "delete")]).has(200, &["account was deleted"]);
    for gone in ["/media/e76.jpg", "/media/e76l.pdf", "/events/76"] {
        assert_eq!(owner.get(gone).status, 404, "{gone}");
    }
}

#[test]
fn friends_are_told_what_happened_and_nothing_else() {
    let world = World::new(CacheLevel::None);
    world.db.execute("DELETE FROM friendship", &[]).expect("no friends");
    let (mut one, mut two) = (world.member(1), world.member(2));
    one.get("/users/2");
    two.get("/users/1");
    // Nobody has asked.
    one.post("/users/1/friends/2", &[("_method", "put")]).has(200, &["no such request"]).lacks("friends now");
    for action in ["reject", "revoke", "remove"] {
        one.post("/users/1/friends/2", &[("_method", "delete"), ("friend_action", action)])
            .has(200, &["no such request"]);
    }
    one.post("/users/2/friends", &[]).has(200, &["request was sent"]);
    two.post("/users/1/friends", &[]).has(200, &["You are friends now."]).lacks("was sent");
    one.post("/users/2/friends", &[]).has(200, &["You are friends now."]).lacks("was sent");
    assert_eq!(world.number("SELECT count(*) FROM friendship WHERE ?1 = 1", 1), 1);
}

#[test]
fn nobody_has_a_name_longer_than_names_are() {
    let world = World::new(CacheLevel::None);
    let long = "x".repeat(26);
    world.visitor().get(&format!("/users/search?query={long}")).has(200, &["Nobody found.", &long]);
}

#[test]
fn an_address_is_changed_in_place_once_it_is_ones_own() {
    let world = World::new(CacheLevel::None);
    let mut owner = world.member(3);
    let (rows, loaded) = ("SELECT count(*) FROM address WHERE id > ?", 100);
    let shared = world.number("SELECT address_id FROM user WHERE id = ?", 3);
    let street = "SELECT length(street1) FROM address WHERE id = ?";
    let before = world.number(street, shared);
    let mut fields = but(&but(&PERSON, "user[password]", ""), "user[password_confirmation]", "");
    fields.push(("_method", "put"));
    owner.get("/users/3/edit");
    for city in ["Berkeley", "Oakland"] {
        owner.post("/users/3", &but(&fields, "address[city]", city)).has(200, &[city]);
        assert_eq!(world.number(rows, loaded), 1);
    }
    assert_eq!(world.number(street, shared), before, "others may live there");
    add_event(&mut owner, &EVENT);
    let mut event = but(&EVENT, "address[city]", "Oakland");
    event.push(("_method", "put"));
    owner.post("/events/76", &event).has(200, &["Oakland"]);
    assert_eq!(world.number(rows, loaded), 2);
    owner.get("/users/3/edit");
    owner.post("/users/3", &[("_method", "delete")]).has(200, &["account was deleted"]);
    assert_eq!(world.number("SELECT count(*) FROM address WHERE street2 = 'Flat 2' AND ?1 = 1", 1), 0);
}
