//! Under the rules for people: wrong passwords are counted and new ones dear to guess; and what the way to
//! the site makes of its answers.

use loadstone_olio::CacheLevel;
use loadstone_olio::password::Scheme;
use loadstone_web::origin::Origin;
use loadstone_web::rules::Rules;

use crate::browser::{Browser, Page, World, name};
use crate::people::PERSON;

/// A site with the rules for people, but for passwords that are dear to hash.
fn public() -> World {
    World::with(|options| (options.rules, options.passwords) = (Rules::Public, Some(Scheme::Pbkdf2(2))))
}

fn try_password(browser: &mut Browser, username: &str, password: &str) -> Page {
    browser.get("/users/login");
    browser.submit("/users/login", &[("users[username]", username), ("users[password]", password)])
}

/// Statuses of so many wrong passwords for a name, each from a browser that was never here.
fn guess(world: &World, username: &str, times: usize) -> Vec<u16> {
    (0..times).map(|_| try_password(&mut world.visitor(), username, "wrong").status).collect()
}

#[test]
fn wrong_passwords_are_counted_by_name() {
    let world = public();
    assert_eq!(guess(&world, &name(3), 10), [422; 10]);
    let refused = try_password(&mut world.visitor(), &name(3), "3");
    refused.has(429, &["Too many wrong passwords", "data-page=\"login\""]);
    let wait_s: u64 = refused.header("Retry-After").expect("a time").parse().expect("seconds");
    assert!((1..=300).contains(&wait_s), "{wait_s}");
    assert_eq!(guess(&world, "nobody", 11)[9..], [422, 429], "a name that nobody has is no different");
    assert_eq!(try_password(&mut world.visitor(), &name(4), "4").status, 302);
    world.surroundings.pass(300);
    assert_eq!(try_password(&mut world.visitor(), &name(3), "3").status, 302);
}

#[test]
fn who_has_been_here_before_is_not_locked_out_by_others() {
    let world = public();
    let mut at_home = world.member(3);
    at_home.get("/users/logout");
    assert_eq!(guess(&world, &name(3), 11)[9..], [422, 429]);
    assert_eq!(try_password(&mut at_home, &name(3), "3").status, 302);
}

#[test]
fn a_benchmark_counts_nothing() {
    let world = World::new(CacheLevel::None);
    assert_eq!(guess(&world, &name(3), 30), [422; 30]);
    let member = world.member(3);
    assert!(!member.cookies.contains_key("known"));
}

#[test]
fn new_passwords_are_dear_to_guess() {
    let world = World::with(|options| options.rules = Rules::Public);
    let mut visitor = world.visitor();
    visitor.get("/users/new");
    assert_eq!(visitor.submit("/users", &PERSON).status, 303);
    let sql = "SELECT count(*) FROM user WHERE password LIKE 'pbkdf2$600000$%' AND id = ?";
    assert_eq!(world.number(sql, 101), 1);
}

#[test]
fn a_log_out_ends_the_session_for_every_copy_of_its_cookie() {
    for world in [public(), World::new(CacheLevel::None)] {
        let (mut member, mut thief, mut elsewhere) = (world.member(3), world.visitor(), world.member(3));
        thief.cookies.clone_from(&member.cookies);
        thief.get("/").has(200, &["Hello"]);
        member.get("/users/logout");
        thief.get("/").has(200, &["Not logged in"]);
        thief.submit("/events/1/attend", &[]);
        thief.get("/events/new").has(303, &[]);
        elsewhere.get("/").has(200, &["Hello"]);
    }
}

#[test]
fn over_tls_every_cookie_is_secure_and_browsers_are_kept_to_it() {
    let behind = Origin::new(Some("https://olio.example"), false, Some(86_400)).expect("an origin");
    let world = World::with(|options| {
        (options.rules, options.passwords) = (Rules::Public, Some(Scheme::Pbkdf2(2)));
        options.origin = behind;
    });
    let mut visitor = world.visitor();
    let pages = [
        visitor.get("/"),
        try_password(&mut visitor, &name(3), "3"),
        visitor.get("/"),
        visitor.get("/users/logout"),
        visitor.get("/nothing"),
        visitor.get("/static/brand.png"),
        visitor.get("/events/rss"),
    ];
    let mut cookies = Vec::new();
    for page in &pages {
        assert_eq!(page.header("Strict-Transport-Security"), Some("max-age=86400"));
        cookies.extend(page.headers.lines().filter_map(|line| line.strip_prefix("Set-Cookie: ")));
    }
    for name in ["ls=", "notice=", "known="] {
        assert!(cookies.iter().any(|cookie| cookie.starts_with(name)), "{name} in {cookies:?}");
    }
    assert!(cookies.iter().all(|cookie| cookie.contains("; Secure")), "{cookies:?}");
    let plain = World::new(CacheLevel::None).visitor().get("/");
    assert_eq!(plain.header("Strict-Transport-Security"), None);
    plain.has(200, &[]).lacks("https:");
    assert!(!plain.headers.contains("Secure"));
}

#[test]
fn the_feed_links_to_the_public_url_whatever_the_host_field_says() {
    let origin = Origin::new(Some("https://olio.example"), false, None).expect("an origin");
    let world = World::with(|options| (options.rules, options.origin) = (Rules::Public, origin));
    let feed = world.visitor().get("/events/rss");
    feed.has(200, &["<link>https://olio.example/</link>", "<guid>https://olio.example/events/"])
        .lacks("olio.test");
    assert_eq!(feed.header("Cache-Control"), Some("public, max-age=30"));
    // Without one it is the Host field, for who sent it alone.
    let feed = public().visitor().get("/events/rss");
    feed.has(200, &["<link>http://olio.test/</link>"]);
    assert_eq!(feed.header("Cache-Control"), Some("private, max-age=30"));
    let behind = World::with(|options| options.origin = Origin::new(None, true, None).expect("an origin"));
    behind.visitor().get("/events/rss").has(200, &["<link>https://olio.test/</link>"]);
}
