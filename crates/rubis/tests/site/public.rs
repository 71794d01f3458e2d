//! Under the rules for people: wrong passwords are counted, new ones are dear to guess, a log-out ends a
//! session for good; and what the way to the site makes of its answers.

use loadstone_web::origin::Origin;
use loadstone_web::password::Scheme;
use loadstone_web::rules::Rules;

use crate::visitor::{Browser, Page, World};

fn try_password(browser: &mut Browser, nickname: &str, password: &str) -> Page {
    browser.submit("/me", "/me", &[("nickname", nickname), ("password", password)])
}

/// Statuses of so many wrong passwords for a nickname, each from a browser that was never here.
fn guess(world: &World, nickname: &str, times: usize) -> Vec<u16> {
    (0..times).map(|_| try_password(&mut world.browser(), nickname, "wrong").status).collect()
}

#[test]
fn wrong_passwords_are_counted_by_nickname() {
    let world = World::public();
    assert_eq!(guess(&world, "user1", 10), [422; 10]);
    let refused = try_password(&mut world.browser(), "user1", "password1");
    assert!(refused.status == 429 && refused.has("too many wrong passwords"), "{}", refused.body);
    assert_eq!(refused.header("Retry-After"), Some("300"));
    assert!(!refused.has("Log out"));
    // A name that nobody has is no different.
    assert_eq!(guess(&world, "nobody", 11)[9..], [422, 429]);
    assert!(try_password(&mut world.browser(), "user2", "password2").is("AboutMe"));
    world.pass(300);
    assert!(try_password(&mut world.browser(), "user1", "password1").is("AboutMe"));
}

#[test]
fn who_has_been_here_before_is_not_locked_out_by_others() {
    let world = World::public();
    let mut at_home = world.user(1);
    assert!(at_home.submit("/", "/logout", &[]).is("Home"));
    assert_eq!(guess(&world, "user1", 11)[9..], [422, 429]);
    assert!(try_password(&mut at_home, "user1", "password1").is("AboutMe"));
}

#[test]
fn a_benchmark_counts_nothing() {
    let world = World::new();
    assert_eq!(guess(&world, "user1", 30), [422; 30]);
    let mut browser = world.browser();
    assert!(try_password(&mut browser, "user1", "password1").is("AboutMe"));
    assert!(browser.cookies.iter().all(|(name, _)| name != "known"));
    let tables = world.int("SELECT count(*) FROM sqlite_schema WHERE name = 'ended_sessions' AND ?1 = 0", 0);
    assert_eq!(tables, 0);
}

#[test]
fn new_passwords_are_dear_to_guess_and_old_ones_are_still_read() {
    let world = World::with(|options| options.rules = Rules::Public);
    let mut browser = world.browser();
    let fields = [
        ("firstname", "Ada"),
        ("lastname", "L"),
        ("nickname", "ada"),
        ("email", "a@b.example"),
        ("password", "secret"),
        ("password_confirmation", "secret"),
        ("region", "3"),
    ];
    assert!(browser.submit("/register", "/register", &fields).is("RegisterUser"));
    let sql = "SELECT count(*) FROM users WHERE password LIKE 'pbkdf2$600000$%' AND ?1 = 0";
    assert_eq!(world.int(sql, 0), 1);
    let world = World::public();
    assert!(try_password(&mut world.browser(), "user1", "password1").is("AboutMe"), "as it was loaded");
}

#[test]
fn a_log_out_ends_the_session_for_every_copy_of_its_cookies() {
    let world = World::public();
    let (mut ann, mut elsewhere) = (world.user(1), world.user(1));
    let another = world.another();
    let mut thief = Browser::at(&another);
    thief.cookies = ann.cookies.clone();
    assert!(thief.get("/").has("Log out"));
    assert!(ann.submit("/", "/logout", &[]).is("Home"));
    for mut copy in [thief, world.browser()] {
        if copy.cookies.is_empty() {
            copy.cookies = ann.cookies.clone();
        }
        assert!(!copy.get("/").has("Log out"));
        assert!(!copy.get("/nothing").has("Log out"), "nor on an error's page");
        let token = copy.get("/me").token().to_owned();
        assert!(copy.post("/me", &[("authenticity_token", &token)]).is("AboutMeAuth"));
        assert_eq!(copy.post("/sell/1", &[("authenticity_token", &token)]).status, 422);
    }
    // Other sessions of the same user go on, and so does the next.
    assert!(elsewhere.get("/").has("Log out"));
    assert!(ann.log_in("/me", 1).is("AboutMe") && ann.get("/").has("Log out"));
}

#[test]
fn sessions_that_ended_are_forgotten_when_their_time_is_over() {
    let world = World::public();
    for user in 1..4 {
        world.user(user).submit("/", "/logout", &[]);
    }
    let ended = || world.int("SELECT count(*) FROM ended_sessions WHERE ?1 = 0", 0);
    assert_eq!(ended(), 3);
    world.pass(25 * 3600);
    world.user(4).submit("/", "/logout", &[]);
    assert_eq!(ended(), 1);
}

#[test]
fn over_tls_every_cookie_is_secure_and_browsers_are_kept_to_it() {
    let behind = Origin::new(Some("https://rubis.example"), false, Some(86_400)).expect("an origin");
    let world = World::with(|options| {
        (options.rules, options.passwords) = (Rules::Public, Some(Scheme::Pbkdf2(2)));
        options.origin = behind;
    });
    let mut browser = world.browser();
    let pages = [
        browser.get("/"),
        try_password(&mut browser, "user1", "password1"),
        browser.submit("/", "/logout", &[]),
        browser.get("/nothing"),
        browser.get("/static/style.css"),
    ];
    let mut cookies = Vec::new();
    for page in &pages {
        assert_eq!(page.header("Strict-Transport-Security"), Some("max-age=86400"));
        cookies.extend(page.headers.iter().filter(|(name, _)| name == "Set-Cookie").map(|(_, value)| value));
    }
    for name in ["rs=", "who=", "known="] {
        assert!(cookies.iter().any(|cookie| cookie.starts_with(name)), "{name}");
    }
    assert!(cookies.iter().all(|cookie| cookie.contains("; Secure")), "{cookies:?}");
    let plain = World::new().browser().get("/");
    assert_eq!(plain.header("Strict-Transport-Security"), None);
    assert!(!plain.header("Set-Cookie").expect("a cookie").contains("Secure"));
}
