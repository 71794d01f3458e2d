//! Static files, pictures and documents.

use loadstone_http::Method;
use loadstone_olio::CacheLevel;

use crate::browser::World;
use crate::events::EVENT;
use crate::people::PERSON;

#[test]
fn files_are_asked_for_again_only_by_tag_or_date() {
    let world = World::new(CacheLevel::None);
    let mut visitor = world.visitor();
    for path in ["/static/style.css", "/media/e1t.jpg", "/media/p1.jpg", "/media/e1l.pdf"] {
        let first = visitor.get(path);
        assert_eq!(first.status, 200, "{path}");
        assert!(!first.headers.contains("Set-Cookie"));
        let (tag, date) =
            (first.header("ETag").expect("a tag"), first.header("Last-Modified").expect("a date"));
        assert!(first.header("Cache-Control").expect("a rule").starts_with("public"));
        for (name, value, status) in [
            ("If-None-Match", tag, 304),
            ("If-None-Match", "\"other\"", 200),
            ("If-None-Match", "*", 304),
            ("If-Modified-Since", date, 304),
            ("If-Modified-Since", "Thu, 01 Jan 1970 00:00:00 GMT", 200),
        ] {
            let again = visitor.send(Method::Get, path, &[(name, value)], b"");
            assert_eq!(again.status, status, "{path} {name}: {value}");
            assert_eq!(again.text.is_empty(), status == 304);
            assert_eq!(again.header("ETag"), Some(tag));
        }
        assert_eq!(visitor.send(Method::Head, path, &[], b"").status, 200);
        assert!(visitor.cookies.is_empty(), "files need no session");
    }
    assert_eq!(visitor.send(Method::Post, "/media/e1t.jpg", &[], b"").status, 405);
    assert_eq!(visitor.get("/favicon.ico").header("Content-Type"), Some("image/png"));
}

#[test]
fn paths_cannot_leave_the_folder() {
    let world = World::new(CacheLevel::None);
    let mut visitor = world.visitor();
    for path in [
        "/media/../Cargo.toml",
        "/media/%2e%2e/x",
        "/media/e1t.jpg/..",
        "/static/../x",
        "/media/",
        "/media/E1T.JPG",
    ] {
        assert_eq!(visitor.get(path).status, 404, "{path}");
    }
}

#[test]
fn an_event_without_a_picture_shows_the_common_one() {
    let world = World::new(CacheLevel::None);
    let mut member = world.member(3);
    member.get("/events/new");
    assert_eq!(member.upload("/events", &EVENT, &[]).location, "/events/76");
    let page = member.get("/events/76");
    page.has(200, &["/media/e76t.jpg"]).lacks("/media/e76l.pdf");
    let (own, common) = (member.get("/media/e76t.jpg"), member.get("/media/e1t.jpg"));
    assert_eq!((own.status, own.header("ETag")), (200, common.header("ETag")));
}

#[test]
fn uploads_are_asked_for_every_time_and_never_by_date() {
    let world = World::new(CacheLevel::None);
    let mut member = world.member(3);
    let master = member.get("/media/p3t.jpg");
    let date = master.header("Last-Modified").expect("a date").to_owned();
    assert_eq!(master.header("Cache-Control"), Some("public, no-cache"), "it may be replaced at any time");
    assert_eq!(member.get("/static/site.js").header("Cache-Control"), Some("public, max-age=3600"));
    member.get("/users/3/edit");
    let mut fields = PERSON.to_vec();
    fields.push(("_method", "put"));
    member.upload(
        "/users/3",
        &fields,
        &[("user_image", b"GIF89a large"), ("user_thumbnail", b"GIF89a small")],
    );
    let again = member.send(Method::Get, "/media/p3t.jpg", &[("If-Modified-Since", &date)], b"");
    assert_eq!((again.status, again.text.as_str()), (200, "GIF89a small"));
    assert_eq!(again.header("Last-Modified"), None);
    let tag = again.header("ETag").expect("a tag");
    assert_eq!(member.send(Method::Get, "/media/p3t.jpg", &[("If-None-Match", tag)], b"").status, 304);
}

#[test]
fn a_picture_without_a_thumbnail_is_its_own() {
    let world = World::new(CacheLevel::None);
    let mut member = world.member(3);
    member.get("/users/3/edit");
    let mut fields = PERSON.to_vec();
    fields.push(("_method", "put"));
    member.upload(
        "/users/3",
        &fields,
        &[("user_image", b"GIF89a large"), ("user_thumbnail", b"GIF89a small")],
    );
    assert_eq!(member.get("/media/p3t.jpg").text, "GIF89a small");
    member.upload("/users/3", &fields, &[("user_image", b"GIF89a other")]);
    assert_eq!(member.get("/media/p3t.jpg").text, "GIF89a other", "not the thumbnail of the one before");
}

#[test]
fn documents_are_saved_and_pictures_do_nothing() {
    let world = World::new(CacheLevel::None);
    let mut visitor = world.visitor();
    let document = visitor.get("/media/e1l.pdf");
    assert_eq!(document.header("Content-Disposition"), Some("attachment; filename=\"e1l.pdf\""));
    for path in ["/media/e1l.pdf", "/media/e1.jpg", "/media/p1t.jpg"] {
        let file = visitor.get(path);
        assert_eq!(file.header("X-Content-Type-Options"), Some("nosniff"), "{path}");
        assert_eq!(file.header("Content-Security-Policy"), Some("default-src 'none'; sandbox"), "{path}");
    }
    assert_eq!(visitor.get("/media/e1t.jpg").header("Content-Disposition"), None);
}

#[test]
fn full_pictures_are_shown_of_those_who_have_one() {
    let world = World::with(|options| options.full_image = true);
    let mut member = world.member(3);
    member.get("/users/new");
    assert_eq!(member.upload("/users", &PERSON, &[]).location, "/users/101");
    member.get("/events/new");
    assert_eq!(member.upload("/events", &EVENT, &[]).location, "/events/76");
    for (path, picture) in [
        ("/users/101", "/media/p101t.jpg"),
        ("/events/76", "/media/e76t.jpg"),
        ("/users/1", "/media/p1.jpg"),
        ("/events/1", "/media/e1.jpg"),
    ] {
        let page = member.get(path);
        let found = crate::browser::between(&page.text, "hero\">\n<img src=\"", "\"").expect("a picture");
        assert_eq!(found, picture);
        assert_eq!(member.get(picture).status, 200, "{picture}");
    }
}
