//! Whole pages as they should be. `UPDATE_GOLDEN=1` writes them anew; the difference is then to be read.

use std::path::Path;

use crate::visitor::{OLD, World};

#[test]
fn pages_are_the_golden_ones() {
    let world = World::new();
    let item = OLD + 1;
    let seller = world.int("SELECT seller FROM items WHERE id = ?", item);
    let mut stranger = world.browser();
    check("home", &stranger.get("/").body);
    check("regions", &stranger.get("/regions").body);
    check("category", &stranger.get("/categories/1").body);
    check("item", &stranger.get(&format!("/items/{item}")).body);
    check("bids", &stranger.get(&format!("/items/{item}/bids")).body);
    check("user", &stranger.get(&format!("/users/{seller}")).body);
    check("register", &stranger.get("/register").body);
    check("not-found", &stranger.get("/nothing").body);
    check("sorry", &stranger.get("/items/99999").body);
    let mut user = world.user(7);
    check("bid-auth", &user.get(&format!("/items/{item}/bid")).body);
    check("bid", &user.submit("/me", &format!("/items/{item}/bid"), &[]).body);
    check("sell", &user.get("/sell/2").body);
    check("comment", &user.submit("/me", &format!("/items/{item}/comment/{seller}"), &[]).body);
    check("about", &user.submit("/me", "/me", &[]).body);
}

fn check(name: &str, page: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(format!("{name}.html"));
    // Descriptions and comments are long and say nothing: their beginnings are enough.
    let mut short = String::new();
    for (at, part) in page.split("<p class=\"text\">").enumerate() {
        let (text, rest) = if at == 0 { ("", part) } else { part.split_once("</p>").expect("an end") };
        if at > 0 {
            short.push_str(&format!("<p class=\"text\">{:.40}…</p>", text));
        }
        short.push_str(rest);
    }
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(&path, &short).expect("a golden page");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(short == expected, "{name} is not {}", path.display());
}
