//! Every page in every state, full of markup and foreign letters, byte for byte as it was accepted: see
//! `ledger`.

use std::path::Path;

use loadstone_http::Method;
use loadstone_olio::CacheLevel;

use crate::browser::{Browser, Page, World};
use crate::events::{EVENT, but};
use crate::ledger::Ledger;
use crate::people::PERSON;

/// Who looks.
const VIEWER: i64 = 2;
/// What a script accepts.
const SCRIPT: (&str, &str) = ("Accept", "text/javascript");
/// What may be entered in a form.
const MARKUP: &str = "</p>'é' & \"漢\"";

struct Visitor {
    browser: Browser,
    ledger: Ledger,
}

#[test]
fn every_page_is_as_it_was_accepted() {
    let mut ledger = Ledger::default();
    for (cache, full_image) in [(CacheLevel::None, false), (CacheLevel::Page, true)] {
        let world = World::with(|options| (options.cache, options.full_image) = (cache, full_image));
        if world.is_on_server() {
            return;
        }
        prepare(&world);
        let mut visitor = Visitor { browser: world.visitor(), ledger };
        visitor.looks();
        visitor.registers();
        visitor.browser = world.member(VIEWER);
        visitor.looks();
        visitor.announces();
        visitor.attends_tags_and_comments();
        visitor.makes_friends();
        visitor.changes_their_own();
        ledger = visitor.ledger;
    }
    ledger.compare(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/every-page.txt"));
}

/// Texts that must be escaped, and things with and without everything that they can have.
fn prepare(world: &World) {
    let run = |sql: &'static str| world.db.execute(sql, &[]).expect(sql);
    run("UPDATE user SET firstname = 'O''Neil & Söhne', lastname = '<b>\"' || id || '\"</b> 漢字 🎪'");
    run("UPDATE user SET username = 'us''er<' || id || '>&\"é\"' WHERE id NOT IN (1, 2)");
    run(
        "UPDATE user SET email = '\"' || email || '''&', timezone = 'a''<b>/&\"', summary = '' WHERE id % 2 = 1",
    );
    run("UPDATE user SET summary = summary || '\n</p> & ''é'' \"漢\"', telephone = '' WHERE id % 2 = 0");
    run("UPDATE user SET has_image = id % 4 < 2");
    run("UPDATE address SET street1 = '''1'' <Main> & \"St\" ü', city = city || ' <''&\">' WHERE id % 2 = 1");
    run("UPDATE address SET street2 = 'Flat <''&\">' WHERE id % 3 = 1");
    run("UPDATE address SET state = '', latitude = '-66.5', longitude = 'junk<''&\">' WHERE id % 5 = 1");
    run("UPDATE event SET title = 'A \"gig\" & <b>ball</b>, ''é'' 漢' || id, summary = '' WHERE id % 2 = 1");
    run("UPDATE event SET summary = summary || ' <''&\">' WHERE id % 2 = 0");
    run("UPDATE event SET description = description || '\n</p> & ''é'' \"漢\"', telephone = '<''&\">'");
    run(
        "UPDATE event SET has_image = id % 2, has_document = id % 3 = 1, user_id = CASE id % 9 WHEN 1 THEN 2 ELSE user_id END",
    );
    run("UPDATE event SET event_timestamp = 1440 * 14180, event_date = 14180 WHERE id IN (3, 5)");
    run("UPDATE event SET event_timestamp = 1440 * 14181 + 720, event_date = 14181 WHERE id IN (4, 6)");
    run("DELETE FROM event_tag WHERE event_id = 3");
    run("UPDATE tag SET name = name || '&<''é\">' WHERE id % 3 = 1");
    run("DELETE FROM attendance WHERE event_id = 3");
    run("INSERT OR IGNORE INTO attendance SELECT 1, id FROM user");
    run("INSERT OR IGNORE INTO attendance SELECT 4, id FROM user WHERE id BETWEEN 30 AND 60 AND id <> 2");
    run("DELETE FROM comment WHERE event_id = 3");
    run("UPDATE comment SET comment = comment || '\n</p> & ''é'' \"漢\"', rating = id % 6");
    run("UPDATE comment SET user_id = 2 WHERE id % 4 = 1");
    run("DELETE FROM friendship");
    run("INSERT INTO friendship SELECT 1, id, 1 FROM user WHERE id > 2");
    run("INSERT INTO friendship SELECT id, 1, 1 FROM user WHERE id > 2");
    run("INSERT INTO friendship VALUES (2, 10, 1), (10, 2, 1), (2, 11, 0), (12, 2, 0), (13, 2, 0)");
}

impl Visitor {
    fn enter(&mut self, label: &str, page: &Page) {
        let token = self.browser.token.clone();
        self.ledger.enter(label, page.status, &page.text, &token);
    }

    fn get(&mut self, path: &str) {
        let page = self.browser.get(path);
        self.enter(&format!("GET {path}"), &page);
    }

    fn get_part(&mut self, path: &str) {
        let part = self.browser.send(Method::Get, path, &[SCRIPT], b"");
        self.enter(&format!("GET {path} by a script"), &part);
    }

    fn post(&mut self, path: &str, what: &str, fields: &[(&str, &str)]) {
        let page = self.browser.post(path, fields);
        self.enter(&format!("POST {path} {what}"), &page);
    }

    fn script(&mut self, path: &str, what: &str, fields: &[(&str, &str)]) {
        let part = self.browser.script(path, fields);
        self.enter(&format!("POST {path} {what} by a script"), &part);
    }

    fn looks(&mut self) {
        for query in
            ["", "?page=2", "?page=9", "?order=created", "?zip=nowhere", "?zip=%3C%27%26%22%C3%A9%3E"]
        {
            self.get(&format!("/{query}"));
        }
        for query in
            ["?day=2008-10-28", "?day=2008-10-29&order=created&zip=x&page=2", "?order=created&page=2"]
        {
            self.get(&format!("/{query}"));
        }
        for month in
            ["year=2008&month=12", "year=1&month=1", "year=9999&month=12", "year=2009&month=2", "month=x"]
        {
            self.get(&format!("/events/update_calendar?{month}"));
            self.get_part(&format!("/events/update_calendar?{month}"));
        }
        for tag in ["tag1", "%3C%27%26%22%C3%A9%3E", "", "olio"] {
            self.get(&format!("/events/tagged?tag={tag}"));
            self.get(&format!("/events/tag_search?tag={tag}&page=2"));
        }
        self.tagged();
        for event in 1..=12 {
            self.get(&format!("/events/{event}"));
        }
        self.get("/events/rss");
        self.get("/geocoder/geocode?street=%3C%27%26%22%C3%A9%3E&city=%26&state=&zip=1");
        for path in [
            "",
            "?page=2",
            "/search?query=e",
            "/search?query=%3C%27%26%22%C3%A9%3E",
            "/search?query=us&page=2",
        ] {
            self.get(&format!("/users{path}"));
        }
        for user in [1, 2, 3, 10, 11, 12, 14] {
            for list in ["", "/posted_events", "/upcoming_events", "/friends", "/friends?page=2"] {
                self.get(&format!("/users/{user}{list}"));
            }
        }
        for path in [
            "/users/new",
            "/users/login",
            "/users/2/requests",
            "/users/2/edit",
            "/events/new",
            "/events/1/edit",
        ] {
            self.get(path);
        }
        for path in ["/nothing", "/events/999", "/users/999", "/events/2/attend", "/events/2/edit"] {
            self.get(path);
        }
        for name in ["someone", "taken", "olio-1", "%3Cb%3E'"] {
            self.script("/users/check_name", name, &[("name", name)]);
        }
        self.messages();
    }

    /// A page of the most used tag.
    fn tagged(&mut self) {
        let home = self.browser.get("/").text;
        for link in home.split("/events/tagged?tag=").skip(1).take(3) {
            let tag = link.split('"').next().expect("a tag");
            self.get(&format!("/events/tagged?tag={tag}"));
            self.get(&format!("/events/tagged?tag={tag}&page=2"));
        }
    }

    /// What has just happened, on the page that follows.
    fn messages(&mut self) {
        for code in [
            "user-created",
            "user-updated",
            "user-deleted",
            "event-created",
            "tags-wrong",
            "friend-unchanged",
            "login-wrong",
            "login-later",
            "login-needed",
            "form-wrong",
            "none-of-these",
        ] {
            self.browser.cookies.insert("notice".into(), code.into());
            let page = self.browser.get("/nothing");
            self.enter(code, &page);
        }
    }

    fn registers(&mut self) {
        self.browser.get("/users/new");
        self.post("/users", "nothing", &[]);
        self.post("/users", "wrong", &PERSON.map(|(name, _)| (name, MARKUP)));
        self.post("/users", "right", &PERSON);
        self.post("/users", "taken", &PERSON);
        self.post("/users/login", "wrong", &[("users[username]", MARKUP), ("users[password]", "x")]);
        self.post("/events", "nobody", &EVENT);
        self.post("/events/1/comments", "nobody", &[("comment", "x"), ("rating", "1")]);
    }

    fn announces(&mut self) {
        self.browser.get("/events/new");
        self.post("/events", "nothing", &[]);
        self.post("/events", "wrong", &EVENT.map(|(name, _)| (name, MARKUP)));
        for (part, value) in [("1i", "1999"), ("1i", "2011"), ("1i", "2012"), ("2i", "13"), ("4i", "0")] {
            let fields = but(&EVENT, &format!("event[event_timestamp({part})]"), value);
            self.post("/events", value, &but(&fields, "event[title]", ""));
        }
        self.post("/events", "right", &EVENT);
        self.get("/events/76/edit");
        let put = [&EVENT[..], &[("_method", "put")]].concat();
        self.post("/events/76", "wrong", &but(&put, "event[title]", ""));
        self.post("/events/76", "right", &but(&put, "event[title]", MARKUP));
        self.post("/events/76", "delete", &[("_method", "delete")]);
    }

    fn attends_tags_and_comments(&mut self) {
        for event in [1, 3, 4] {
            for action in ["attend", "attend", "unattend", "attend"] {
                self.script(&format!("/events/{event}/{action}"), "once", &[]);
            }
            self.post(&format!("/events/{event}/unattend"), "once", &[]);
            let tag = format!("/events/{event}/tag");
            self.script(&tag, "right", &[("tag_list", "Zebra_1 yak é-漢")]);
            self.script(&tag, "wrong", &[("tag_list", "<b>'&\"")]);
            let comments = format!("/events/{event}/comments");
            self.post(&comments, "wrong", &[("comment", MARKUP), ("rating", "9")]);
            self.post(&comments, "half", &[("comment", ""), ("rating", "3")]);
            self.script(&comments, "right", &[("comment", MARKUP), ("rating", "3")]);
            let page = self.browser.get(&format!("/events/{event}")).text;
            let rest = page.split(&format!("{comments}/")).last().expect("an own comment");
            let own = format!("{comments}/{}", rest.split('/').next().expect("its number"));
            self.get(&format!("{own}/edit"));
            self.post(&own, "wrong", &[("_method", "put"), ("comment", ""), ("rating", "2")]);
            self.post(&own, "right", &[("_method", "put"), ("comment", MARKUP), ("rating", "2")]);
            self.script(&own, "delete", &[("_method", "delete")]);
        }
        self.get("/");
    }

    fn makes_friends(&mut self) {
        for person in [10, 11, 12, 13, 14] {
            let (asked, own) =
                (format!("/users/{person}/friends"), format!("/users/{VIEWER}/friends/{person}"));
            for action in ["remove", "revoke", "reject"] {
                self.script(&own, action, &[("_method", "delete"), ("friend_action", action)]);
            }
            self.script(&asked, "ask", &[]);
            self.script(&own, "approve", &[("_method", "put")]);
        }
        self.post("/users/15/friends", "ask", &[]);
        self.post("/users/2/friends/15", "junk", &[("_method", "delete"), ("friend_action", "junk")]);
        self.post("/users/2/friends", "oneself", &[]);
        self.get("/users/2/requests");
    }

    fn changes_their_own(&mut self) {
        let put = [&PERSON[..], &[("_method", "put")]].concat();
        let wrong: Vec<_> =
            put.iter().map(|&(name, value)| (name, if name == "_method" { value } else { MARKUP })).collect();
        self.get("/users/2/edit");
        self.post("/users/2", "wrong", &wrong);
        self.post("/users/2", "right", &but(&put, "user[username]", "renamed"));
        self.get("/users/2/edit");
        self.get("/");
        self.post("/users/2", "delete", &[("_method", "delete")]);
        self.get("/users/2");
    }
}
