//! Whole pages against the files in `tests/golden`, byte for byte, but for the token.
//!
//! After a wanted change: `GOLDEN=write cargo test -p loadstone-olio --test site golden`, and read the diff.

use std::path::Path;

use loadstone_olio::CacheLevel;

use crate::browser::{Browser, World};

fn compare(browser: &mut Browser, path: &str, file: &str) {
    let page = browser.get(path);
    let text = page.text.replace(&browser.token, "TOKEN");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(file);
    if std::env::var_os("GOLDEN").is_some_and(|value| value == "write") {
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("the folder");
        std::fs::write(&file, &text).expect("the golden file");
    }
    let golden = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let differing = golden.lines().zip(text.lines()).enumerate().find(|(_, (old, new))| old != new);
    assert!(golden == text, "{path} differs from {}: {differing:?}", file.display());
}

#[test]
fn pages_are_as_they_were_accepted() {
    let world = World::new(CacheLevel::None);
    let mut visitor = world.visitor();
    visitor.get("/");
    compare(&mut visitor, "/", "home.html");
    compare(&mut visitor, "/events/2", "event.html");
    compare(&mut visitor, "/users/2", "person.html");
    compare(&mut visitor, "/users/new", "register.html");
    compare(&mut visitor, "/events/rss", "feed.xml");
    compare(&mut visitor, "/nothing", "not-found.html");
    let mut member = world.member(2);
    compare(&mut member, "/events/2", "event-member.html");
    compare(&mut member, "/users/2", "person-self.html");
    compare(&mut member, "/events/new", "add-event.html");
    compare(&mut member, "/users/2/requests", "requests.html");
}
