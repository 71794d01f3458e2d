//! Caches change when something is computed, never what is shown.

use loadstone_olio::CacheLevel;

use crate::browser::{Browser, Page, World};
use crate::events::{EVENT, add_event, but};

const LEVELS: [CacheLevel; 4] = [CacheLevel::None, CacheLevel::Query, CacheLevel::Fragment, CacheLevel::Page];

const READS: [&str; 12] = [
    "/",
    "/?page=2",
    "/?order=created",
    "/?page=2&order=created",
    "/?day=2008-11-07",
    "/?zip=12345",
    "/events/1",
    "/users/1",
    "/events/rss",
    "/events/update_calendar?year=2009&month=5",
    "/events/tagged?tag=none",
    "/events/tag_search?tag=none",
];

/// The page without the token, which is the session's own.
fn masked(browser: &Browser, page: &Page) -> String {
    page.text.replace(&browser.token, "TOKEN")
}

#[test]
fn pages_are_the_same_at_every_level_first_and_again() {
    let mut expected: Vec<String> = Vec::new();
    for level in LEVELS {
        let world = World::new(level);
        let mut shown = Vec::new();
        for mut browser in [world.visitor(), world.member(3)] {
            browser.get("/");
            for path in READS {
                let first = browser.get(path);
                let again = browser.get(path);
                let text = masked(&browser, &first);
                assert_eq!(text, masked(&browser, &again), "{level:?} {path}");
                shown.push(text);
            }
        }
        if expected.is_empty() {
            expected = shown;
        } else {
            assert_eq!(shown, expected, "{level:?}");
        }
    }
}

#[test]
fn kept_pages_carry_each_visitors_own_token() {
    let world = World::new(CacheLevel::Page);
    let (mut one, mut two) = (world.visitor(), world.visitor());
    one.get("/");
    two.get("/");
    assert_ne!(one.token, two.token);
    assert_eq!(two.token.len(), 64);
    assert_eq!(two.log_in(5).status, 200);
    one.get("/").has(200, &["Not logged in"]).lacks("Hello");
}

#[test]
fn lists_never_stand_for_each_other() {
    let world = World::new(CacheLevel::Page);
    let mut browsers = [world.visitor(), world.member(3)];
    for browser in &mut browsers {
        for _ in 0..2 {
            for path in READS.iter().filter(|path| !path.contains("rss")) {
                let page = browser.get(path);
                let key = page.key().to_owned();
                assert!(!key.is_empty(), "{path}");
                let wanted =
                    path.split_once("page=").map_or("1", |(_, rest)| rest.split('&').next().expect("a part"));
                if key.starts_with("home:") {
                    assert!(key.contains(&format!("page={wanted};")), "{path} {key}");
                    assert_eq!(key.contains("order=created"), path.contains("order=created"), "{path} {key}");
                    assert_eq!(page.text.contains("page=3"), wanted == "2", "the pager of {path}");
                }
            }
        }
    }
}

#[test]
fn what_a_member_adds_is_seen_at_once() {
    for level in LEVELS {
        let world = World::new(level);
        let (mut visitor, mut member) = (world.visitor(), world.member(3));
        visitor.get("/");
        member.get("/");
        let today = but(&but(&EVENT, "event[event_timestamp(2i)]", "10"), "event[event_timestamp(3i)]", "22");
        add_event(&mut member, &today);
        visitor.get("/").has(200, &["/events/76"]).lacks("/events/76/edit");
        member.get("/").has(200, &["/events/76\"", "/events/76/edit"]);
        visitor.get("/events/76").has(200, &["Jazz"]);
        let mut changed = but(&today, "event[title]", "Blues");
        changed.push(("_method", "put"));
        member.get("/events/76/edit");
        member.post("/events/76", &changed).has(200, &["Blues"]).lacks("Jazz");
        visitor.get("/events/76").has(200, &["Blues"]).lacks("Jazz");
        visitor.get("/").has(200, &["Blues"]);
        member.get("/events/76/edit");
        member.post("/events/76", &[("_method", "delete")]);
        visitor.get("/events/76").has(404, &[]);
        visitor.get("/").lacks("/events/76");
    }
}
