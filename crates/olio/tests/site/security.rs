//! What strangers try: forged forms, other people's things, markup in every field.

use loadstone_http::Method;
use loadstone_olio::CacheLevel;

use crate::browser::World;
use crate::events::{EVENT, add_event, but};
use crate::people::PERSON;

const CHANGES: [(Method, &str); 14] = [
    (Method::Post, "/users/login"),
    (Method::Post, "/users"),
    (Method::Put, "/users/3"),
    (Method::Delete, "/users/3"),
    (Method::Post, "/events"),
    (Method::Put, "/events/1"),
    (Method::Delete, "/events/1"),
    (Method::Post, "/events/1/attend"),
    (Method::Post, "/events/1/unattend"),
    (Method::Put, "/events/1/tag"),
    (Method::Post, "/events/1/comments"),
    (Method::Post, "/users/4/friends"),
    (Method::Put, "/users/3/friends/4"),
    (Method::Delete, "/users/3/friends/4"),
];

#[test]
fn nothing_changes_without_the_token_of_the_session() {
    let world = World::new(CacheLevel::None);
    let mut member = world.member(3);
    let mut other = world.member(4);
    other.get("/events/1");
    member.get("/events/1");
    let foreign = other.token;
    let form = [("Content-Type", "application/x-www-form-urlencoded")];
    for (method, path) in CHANGES {
        for body in [String::new(), "authenticity_token=".into(), format!("authenticity_token={foreign}")] {
            let answer = member.send(method, path, &form, body.as_bytes());
            assert_eq!(answer.status, 403, "{method:?} {path} {body}");
        }
    }
}

#[test]
fn a_script_may_send_the_token_as_a_header_field() {
    let world = World::new(CacheLevel::None);
    let mut member = world.member(3);
    member.get("/events/1");
    let token = member.token.clone();
    let answer = member.send(Method::Post, "/events/1/attend", &[("X-CSRF-Token", &token)], b"");
    assert_eq!(answer.status, 303);
}

#[test]
fn strangers_are_sent_to_the_log_in() {
    let world = World::new(CacheLevel::None);
    let mut visitor = world.visitor();
    visitor.get("/");
    for (method, path) in CHANGES.into_iter().filter(|(_, path)| !matches!(*path, "/users/login" | "/users"))
    {
        let body = format!("authenticity_token={}", visitor.token);
        let form = [("Content-Type", "application/x-www-form-urlencoded")];
        let answer = visitor.send(method, path, &form, body.as_bytes());
        assert_eq!((answer.status, answer.location.as_str()), (303, "/users/login"), "{method:?} {path}");
        let script = [form[0], ("Accept", "text/javascript")];
        assert_eq!(visitor.send(method, path, &script, body.as_bytes()).status, 403, "{method:?} {path}");
    }
    for path in
        ["/events/new", "/events/1/edit", "/users/1/edit", "/users/1/requests", "/events/1/comments/1/edit"]
    {
        let answer = visitor.get(path);
        assert_eq!((answer.status, answer.location.as_str()), (303, "/users/login"), "{path}");
    }
    visitor.get("/users/login").has(200, &["Please log in first."]);
}

#[test]
fn cookies_that_are_no_session_are_replaced() {
    let world = World::new(CacheLevel::None);
    let mut visitor = world.visitor();
    for cookie in ["", "x", "../../x", "' OR 1=1 --", "0123456789ABCDEF0123456789ABCDEF"] {
        visitor.cookies.insert("ls".into(), cookie.into());
        visitor.get("/").has(200, &["Not logged in"]);
        assert_eq!(visitor.cookies["ls"].len(), 32);
    }
}

#[test]
fn messages_come_from_the_table_only() {
    let world = World::new(CacheLevel::None);
    let mut visitor = world.visitor();
    visitor.cookies.insert("notice".into(), "<script>alert(1)</script>".into());
    visitor.get("/").has(200, &[]).lacks("alert(1)").lacks("id=\"message\"");
    assert!(!visitor.cookies.contains_key("notice"));
}

#[test]
fn markup_stays_text_in_every_field() {
    const EVIL: &str = "\"'><script>x</script>&";
    const SHOWN: &str = "&quot;&#39;&gt;&lt;script&gt;x&lt;/script&gt;&amp;";
    let world = World::new(CacheLevel::None);
    let mut member = world.member(3);
    let event: Vec<(&str, &str)> = EVENT
        .iter()
        .map(|&(name, value)| {
            let text = !(name.contains("timestamp") || name.contains("telephone") || name.contains("zip"));
            (name, if text && name != "tag_list" { EVIL } else { value })
        })
        .collect();
    let page = add_event(&mut member, &event);
    page.has(200, &[SHOWN]).lacks("<script>x");
    for path in ["/?zip=94704", "/events/76/edit", "/events/rss", "/events/tagged?tag=jazz", "/users/3"] {
        member.get(path).has(200, &[SHOWN]).lacks("<script>x");
    }
    member.get("/events/76");
    member
        .post("/events/76/comments", &[("comment", EVIL), ("rating", "1")])
        .has(200, &[SHOWN])
        .lacks("<script>x");
    let mut person: Vec<(&str, &str)> = PERSON.to_vec();
    for field in person.iter_mut().filter(|(name, _)| {
        ["name]", "summary]", "timezone]", "city]", "street1]", "state]", "country]"]
            .iter()
            .any(|end| name.ends_with(end) && *name != "user[username]")
    }) {
        field.1 = EVIL;
    }
    member.get("/users/3/edit");
    person.push(("_method", "put"));
    member.upload("/users/3", &person, &[]);
    member.get("/users/3").has(200, &[SHOWN]).lacks("<script>x");
    let evil = "%22%27%3E%3Cscript%3Ex%3C%2Fscript%3E%26";
    for path in ["/?zip=", "/users/search?query=", "/events/tagged?tag=", "/geocoder/geocode?street="] {
        member.get(&format!("{path}{evil}")).lacks("<script>x");
    }
    member
        .upload("/users/3", &[("_method", "put"), ("user[username]", EVIL)], &[])
        .has(422, &[SHOWN])
        .lacks("<script>x");
}

#[test]
fn pages_carry_their_protection() {
    let world = World::new(CacheLevel::None);
    let page = world.member(3).get("/");
    let policy = page.header("Content-Security-Policy").expect("a policy");
    assert!(policy.contains("default-src 'none'") && policy.contains("script-src 'self'"));
    assert_eq!(page.header("Cache-Control"), Some("no-store"));
    assert_eq!(page.header("X-Content-Type-Options"), Some("nosniff"));
    assert_eq!(page.header("Referrer-Policy"), Some("same-origin"));
    page.lacks("<script>").lacks(" onclick=");
}

#[test]
fn a_byte_that_nobody_can_type_is_refused() {
    let world = World::new(CacheLevel::None);
    let mut visitor = world.visitor();
    visitor.get("/");
    visitor
        .submit("/users/login", &[("users[username]", &crate::browser::name(3)), ("users[password]", "3\0")])
        .has(400, &["Bad request"]);
    visitor.upload("/users", &but(&PERSON, "user[summary]", "a\0b"), &[]).has(400, &[]);
    visitor.get("/?zip=%00").has(400, &[]);
    visitor.get("/?z%00ip=1").has(400, &[]);
}

#[test]
fn forms_beyond_all_measure_are_refused() {
    let world = World::new(CacheLevel::None);
    let mut member = world.member(3);
    member.get("/events/1");
    let many = "a&".repeat(300);
    let form = [("Content-Type", "application/x-www-form-urlencoded")];
    assert_eq!(member.send(Method::Post, "/users/check_name", &form, many.as_bytes()).status, 400);
    let long = "x".repeat(20_000);
    let comment = [("comment", long.as_str()), ("rating", "3")];
    assert_eq!(member.submit("/events/1/comments", &comment).status, 400);
    assert_eq!(member.upload("/users/3", &but(&PERSON, "user[summary]", &long), &[]).status, 400);
    // The longest text that any field takes, in the widest characters, stays far below.
    let text = "\u{1f3b7}".repeat(2500);
    member.post("/events/1/comments", &[("comment", &text), ("rating", "3")]).has(200, &[&text]);
}

#[test]
fn a_new_password_ends_the_other_sessions() {
    let world = World::new(CacheLevel::None);
    let (mut here, mut elsewhere) = (world.member(3), world.member(3));
    here.get("/users/3/edit");
    let mut fields = PERSON.to_vec();
    fields.push(("_method", "put"));
    let same = but(&but(&fields, "user[password]", ""), "user[password_confirmation]", "");
    here.post("/users/3", &same).has(200, &["profile was updated"]);
    elsewhere.get("/").has(200, &["Hello"]);
    here.post("/users/3", &fields).has(200, &["profile was updated", "Hello"]);
    elsewhere.get("/").has(200, &["Not logged in"]);
}
