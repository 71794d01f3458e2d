//! Reading pages: contents, filters, lists and their edges.

use loadstone_http::Method;
use loadstone_olio::CacheLevel;

use crate::browser::{World, between, name};

#[test]
fn the_home_page_shows_ten_coming_events_in_order() {
    let world = World::new(CacheLevel::None);
    let home = world.visitor().get("/");
    home.has(200, &["data-page=\"home\"", "Login:", "Username", "Not logged in", "</html>"]);
    assert_eq!(home.key(), "home:page=1;order=date;zip=;day=");
    let expected = world
        .db
        .query_all(
            "SELECT id FROM event WHERE event_date >= 14174 ORDER BY event_date, id LIMIT 10",
            &[],
            |row| row.int(0),
        )
        .expect("events");
    assert_eq!(home.events(), expected);
    assert_eq!(home.text.matches("<img src=\"/media/e").count(), 10);
    assert_eq!(home.text.matches("<img src=\"/media/").count(), 10);
}

#[test]
fn every_page_refers_to_the_static_files_22_times() {
    let world = World::new(CacheLevel::None);
    let mut member = world.member(3);
    for path in ["/", "/events/1", "/users/1", "/events/new", "/users/new", "/nothing", "/users/3/edit"] {
        let page = member.get(path);
        let mut names: Vec<_> =
            page.text.split("\"/static/").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert_eq!(names.len(), 22, "{path}");
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 19, "{path}");
    }
}

#[test]
fn filters_choose_what_their_key_says() {
    let world = World::new(CacheLevel::None);
    let mut visitor = world.visitor();
    let newest = visitor.get("/?order=created");
    assert_eq!(newest.key(), "home:page=1;order=created;zip=;day=");
    let expected = world
        .db
        .query_all("SELECT id FROM event ORDER BY created_at DESC, id LIMIT 10", &[], |row| row.int(0))
        .expect("events");
    assert_eq!(newest.events(), expected);
    let (id, zip, day) = world
        .db
        .query_row(
            "SELECT e.id, a.zip, e.event_date FROM event e JOIN address a ON a.id = e.address_id ORDER BY e.id",
            &[],
            |row| Ok((row.int(0)?, row.text(1)?.to_owned(), row.int(2)?)),
        )
        .expect("an event")
        .expect("an event");
    for order in ["date", "created"] {
        let by_zip = visitor.get(&format!("/?zip={zip}&order={order}"));
        assert_eq!(by_zip.key(), format!("home:page=1;order={order};zip={zip};day="));
        assert!(by_zip.events().contains(&id));
    }
    let iso = loadstone_olio::dates::Day(day as i32).iso();
    let by_day = visitor.get(&format!("/?day={iso}"));
    assert_eq!(by_day.key(), format!("home:page=1;order=date;zip=;day={iso}"));
    assert!(by_day.events().contains(&id));
    assert_eq!(
        visitor.get("/?day=2008-02-30&zip=0123456789012&page=junk").key(),
        "home:page=1;order=date;zip=;day="
    );
    visitor.get("/?zip=nowhere").has(200, &["No events here."]);
}

#[test]
fn pages_of_a_list_join_without_gap_or_overlap() {
    let world = World::new(CacheLevel::None);
    let mut visitor = world.visitor();
    let mut seen = Vec::new();
    for page in 1..=8 {
        let shown = visitor.get(&format!("/?page={page}"));
        assert_eq!(shown.text.contains("rel=\"next\""), page < 8, "page {page}");
        assert_eq!(shown.text.contains("rel=\"prev\""), page > 1);
        seen.extend(shown.events());
    }
    assert_eq!(seen.len(), 75);
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 75);
    visitor.get("/?page=9").has(200, &["No events here.", "page=9"]);
    visitor.get("/?page=4294967295").has(200, &["No events here."]);
}

#[test]
fn tags_list_their_events() {
    let world = World::new(CacheLevel::None);
    let mut visitor = world.visitor();
    let (tag, uses) = world
        .db
        .query_row("SELECT name, refcount FROM tag ORDER BY refcount DESC, name", &[], |row| {
            Ok((row.text(0)?.to_owned(), row.int(1)?))
        })
        .expect("a tag")
        .expect("a tag");
    assert!(uses > 10, "the most used tag has pages");
    let first = visitor.get(&format!("/events/tag_search?tag={tag}&submit=Search+Tags"));
    first.has(200, &["data-page=\"tag\"", "rel=\"next\""]);
    assert_eq!((first.key(), first.events().len()), (format!("tag:{tag};page=1").as_str(), 10));
    let second = visitor.get(&format!("/events/tagged?tag={tag}&page=2"));
    assert_eq!(second.events().len() as i64, (uses - 10).min(10));
    assert!(second.events().iter().all(|id| !first.events().contains(id)));
    visitor.get("/events/tag_search?tag=no-such-tag").has(200, &["No events here.", "tag:no-such-tag"]);
    let cloud = visitor.get("/");
    assert!(cloud.text.contains(&format!("title=\"{uses} events\">{tag}</a>")));
    assert!(cloud.text.contains("font-size:250%") && cloud.text.contains("font-size:100%"));
}

#[test]
fn an_event_shows_its_lists() {
    let world = World::new(CacheLevel::None);
    let (mut visitor, mut member) = (world.visitor(), world.member(5));
    let page = visitor.get("/events/1");
    page.has(
        200,
        &[
            "data-page=\"event\"",
            "data-key=\"event:1\"",
            "Login to leave a comment",
            "/media/e1l.pdf",
            "<svg",
        ],
    );
    page.lacks("/attend\"").lacks("You are attending");
    let attendees = world.number("SELECT count(*) FROM attendance WHERE event_id = ?", 1);
    let comments = world.number("SELECT count(*) FROM comment WHERE event_id = ?", 1);
    page.has(200, &[&format!("Attendees ({attendees})"), &format!("Comments ({comments})")]);
    let names = between(&page.text, "<ul class=\"names\">", "</ul>").expect("names").matches("<li").count();
    assert_eq!(names as i64, attendees.min(20));
    member.get("/events/1").has(200, &["name=\"rating\"", "tag_list"]);
}

#[test]
fn a_person_shows_friends_and_events() {
    let world = World::new(CacheLevel::None);
    let mut visitor = world.visitor();
    let person = visitor.get("/users/7");
    person.has(200, &["data-page=\"person\"", "data-key=\"person:7\"", &name(7), "/media/p7t.jpg"]);
    let friends = between(&person.text, "id=\"friends\"", "</section>").expect("friends");
    assert_eq!(friends.matches("<img src=\"/media/p").count(), 6);
    assert!(friends.contains("/users/7/friends"));
    visitor.get("/users/7/friends").has(200, &["data-key=\"friends:7;page=1\""]);
    visitor.get("/users/7/posted_events").has(200, &["data-key=\"posted:7;page=1\""]);
    let upcoming = visitor.get("/users/7/upcoming_events");
    let all = world.number("SELECT count(*) FROM attendance WHERE user_id = ?", 7);
    assert_eq!(upcoming.events().len() as i64, all.min(10));
}

#[test]
fn people_are_found_by_the_beginning_of_a_name() {
    let world = World::new(CacheLevel::None);
    let mut visitor = world.visitor();
    visitor.get("/users").has(200, &["rel=\"next\"", &name(1)]);
    let found = visitor.get(&format!("/users/search?query={}", &name(9)[..4]));
    found.has(200, &[&name(9)]);
    visitor.get("/users/search?query=%25").has(200, &["Nobody found."]);
    visitor.get("/users/search?query=%5C").has(200, &["Nobody found."]);
}

#[test]
fn the_calendar_turns() {
    let world = World::new(CacheLevel::None);
    let mut visitor = world.visitor();
    let home = visitor.get("/events/update_calendar?year=2009&month=1");
    home.has(
        200,
        &[
            "January 2009",
            "/?day=2009-01-31",
            "year=2008&amp;month=12",
            "year=2009&amp;month=2",
            "data-page=\"home\"",
        ],
    );
    let part = visitor.send(
        Method::Get,
        "/events/update_calendar?year=2009&month=1",
        &[("Accept", "text/javascript")],
        b"",
    );
    assert!(part.text.starts_with("<section") && home.text.contains(&part.text));
    for odd in [
        "",
        "?year=0&month=1",
        "?year=9999&month=13",
        "?year=x&month=-1",
        "?year=9999&month=12",
        "?year=1&month=1",
    ] {
        assert_eq!(visitor.get(&format!("/events/update_calendar{odd}")).status, 200, "{odd}");
    }
}

#[test]
fn the_feed_holds_the_fifteen_newest() {
    let world = World::new(CacheLevel::None);
    let feed = world.visitor().get("/events/rss");
    assert_eq!(feed.header("Content-Type"), Some("application/rss+xml; charset=utf-8"));
    assert_eq!(feed.text.matches("<item>").count(), 15);
    feed.has(200, &["<link>http://olio.test/events/", " GMT</pubDate>"]);
}

#[test]
fn the_geocoder_echoes_and_knows_one_place() {
    let world = World::new(CacheLevel::None);
    let answer = world.visitor().get("/geocoder/geocode?street=1+A%26B&city=X&state=CA&zip=12345");
    answer.has(200, &["<Latitude>33.0000<", "<Longitude>-177.0000<", "<Address>1 A&amp;B<", "<Zip>12345<"]);
}

#[test]
fn what_is_not_there_has_a_page_that_says_so() {
    let world = World::new(CacheLevel::None);
    let mut member = world.member(2);
    for path in [
        "/events/76",
        "/users/101",
        "/nothing",
        "/events/0",
        "/media/e999.jpg",
        "/static/none.css",
        "/users/101/friends",
    ] {
        member.get(path).has(404, &["data-page=\"error\"", "Hello"]);
    }
    let refused = member.send(Method::Delete, "/events/rss", &[], b"");
    refused.has(405, &["data-key=\"error:405\""]);
    assert_eq!(refused.header("Allow"), Some("GET, HEAD"));
    assert_eq!(member.send(Method::Head, "/", &[], b"").status, 200);
}

#[test]
fn a_database_without_a_data_set_is_refused_in_words() {
    loadstone_store::vfs::register("no-data", loadstone_store::vfs::MemoryVfs::new()).expect("a VFS");
    let store =
        loadstone_store::Options { vfs: Some("no-data".into()), ..loadstone_store::Options::memory() };
    let host = std::sync::Arc::new(loadstone_olio::host::MemoryHost::new(0, 0).expect("entropy"));
    let options = loadstone_olio::Options { store, ..loadstone_olio::Options::new("empty.db") };
    let refused = loadstone_olio::Olio::open(options, host).err().expect("a refusal");
    assert!(refused.starts_with("empty.db: ") && refused.contains("no such table"), "{refused}");
}
