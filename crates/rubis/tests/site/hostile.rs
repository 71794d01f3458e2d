//! What no page would send.

use loadstone_http::Method;

use crate::visitor::{OLD, World};

const NASTY: &str = "'\"><script>alert(1)</script>&amp; -- ; DROP TABLE users";

#[test]
fn forms_without_their_token_are_refused() {
    let world = World::new();
    let mut browser = world.user(1);
    let item = OLD + 1;
    for path in [
        "/register".to_owned(),
        "/me".into(),
        "/sell".into(),
        "/sell/1".into(),
        "/logout".into(),
        format!("/items/{item}/bid"),
        format!("/items/{item}/bid/store"),
        format!("/items/{item}/buy"),
        format!("/items/{item}/buy/store"),
        format!("/items/{item}/comment/1"),
        format!("/items/{item}/comment/1/store"),
    ] {
        for fields in [&[][..], &[("authenticity_token", "0".repeat(64).as_str())]] {
            let page = browser.post(&path, fields);
            assert!(page.status == 403 && page.has("ERROR"), "{path}");
        }
    }
    let stranger = world.browser().get("/me").token().to_owned();
    assert_eq!(
        browser.post("/me", &[("authenticity_token", &stranger)]).status,
        403,
        "another session's token"
    );
}

#[test]
fn nobody_becomes_somebody_else_by_a_cookie() {
    let world = World::new();
    let mut browser = world.user(1);
    let who = browser.cookies.iter().position(|(name, _)| name == "who").expect("a cookie");
    let real = browser.cookies[who].1.clone();
    assert!(browser.get("/").has("Log out"));
    for forged in [
        real.replacen("1.user1", "2.user2", 1),
        real.replacen("1.user1", "2.user1", 1),
        real[..real.len() - 1].to_owned(),
        "1.user1.99999999999.".to_owned(),
        "....".to_owned(),
        String::from("x"),
    ] {
        browser.cookies[who].1 = forged;
        assert!(!browser.get("/").has("Log out"));
    }
    // It is worth nothing in another session, nor when its time is over.
    let mut other = world.browser();
    other.get("/");
    other.cookies.push(("who".into(), real.clone()));
    assert!(!other.get("/").has("Log out"));
    browser.cookies[who].1 = real;
    assert!(browser.get("/").has("Log out"));
    world.pass(24 * 3600);
    assert!(!browser.get("/").has("Log out"));
}

#[test]
fn wrong_passwords_are_refused_alike() {
    let world = World::new();
    let mut browser = world.browser();
    for (nickname, password) in [("user1", "password2"), ("nobody", "x"), ("user1", ""), (NASTY, NASTY)] {
        let page = browser.submit("/me", "/me", &[("nickname", nickname), ("password", password)]);
        assert!(page.is("AboutMeAuth") && page.status == 422, "{nickname}");
        assert!(page.has("Sorry, this nickname and password do not belong together") && !page.has("<script"));
    }
    assert!(!browser.get("/").has("Log out"));
}

#[test]
fn text_comes_back_as_text() {
    let world = World::new();
    let mut browser = world.user(3);
    let fields = [
        ("name", NASTY),
        ("description", NASTY),
        ("initial_price", NASTY),
        ("reserve_price", NASTY),
        ("buy_now", NASTY),
        ("quantity", NASTY),
        ("duration", NASTY),
    ];
    let page = browser.submit("/sell/1", "/sell/1", &fields);
    assert!(page.is("SellItemForm") && !page.has("<script") && page.has("&lt;script&gt;"));
    let good = [
        ("name", NASTY),
        ("description", NASTY),
        ("initial_price", "1"),
        ("quantity", "1"),
        ("duration", "1"),
    ];
    assert!(browser.submit("/sell/1", "/sell/1", &good).is("RegisterItem"));
    for path in [format!("/items/{}", OLD + 34), "/categories/1?page=1".into(), "/categories/1?page=2".into()]
    {
        assert!(!browser.get(&path).has("<script"), "{path}");
    }
    assert_eq!(world.int("SELECT count(*) FROM users WHERE id > ?", 0), 1000);
}

#[test]
fn odd_requests_get_an_answer() {
    let world = World::new();
    let mut browser = world.browser();
    for path in [
        "/categories/1?page=-1",
        "/categories/1?page=99999999999999999999",
        "/categories/9223372036854775808",
        "/items/9223372036854775807",
        "/items/1/comment/2/store/6/7",
        "//",
        "*",
        "/%00",
        "/categories/1?%00=%00",
    ] {
        for method in [Method::Get, Method::Head, Method::Post, Method::Delete, Method::Options] {
            let page = browser.send(method, path, b"a=%00&b");
            assert!((200..500).contains(&page.status), "{method:?} {path}: {}", page.status);
        }
    }
    let long = "x".repeat(20_000);
    assert_eq!(browser.submit("/me", "/me", &[("nickname", &long)]).status, 400);
}
