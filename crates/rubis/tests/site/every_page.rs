//! Every page in every state, full of markup and foreign letters, byte for byte as it was accepted: see
//! `ledger`.

use std::path::Path;

use loadstone_http::Method;

use crate::ledger::Ledger;
use crate::visitor::{Browser, OLD, Page, World};

/// States of auctions that `prepare` makes, by the id after [`OLD`].
const TO_BUY: i64 = OLD + 2;
const NO_BIDS: i64 = OLD + 3;
const SOLD_OUT: i64 = OLD + 4;
const WON: i64 = OLD + 5;
const BELOW_RESERVE: i64 = OLD + 6;
const LEFT_ALONE: i64 = OLD + 7;
/// Who looks, and whose things are looked at.
const VIEWER: i64 = 7;
const SELLER: i64 = 3;

struct Visitor {
    browser: Browser,
    ledger: Ledger,
}

#[test]
fn every_page_is_as_it_was_accepted() {
    let world = World::new();
    prepare(&world);
    let mut visitor = Visitor { browser: world.browser(), ledger: Ledger::default() };
    visitor.looks();
    visitor.is_asked_to_log_in();
    visitor.registers();
    visitor.browser = world.browser();
    visitor.browser.log_in("/me", VIEWER);
    visitor.looks();
    visitor.is_asked_to_log_in();
    visitor.bids_and_buys();
    visitor.comments();
    visitor.sells();
    visitor.sees_their_own();
    visitor.goes_wrong();
    visitor.ledger.compare(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/every-page.txt"));
}

/// Auctions of one seller in every state, and texts that must be escaped.
fn prepare(world: &World) {
    let run = |sql: &'static str| world.db.execute(sql, &[]).expect(sql);
    run("UPDATE users SET firstname = 'O''Neil & Söhne', lastname = '<b>\"' || id || '\"</b> 漢字 🎪'");
    run("UPDATE users SET nickname = 'us''er<' || id || '>&\"é\"' WHERE id NOT IN (5, 7)");
    run("UPDATE categories SET name = name || ' & \"Co\" <x> ''y'' ü' WHERE id > 1");
    run("UPDATE regions SET name = name || ' & \"Co\" <x> ''y'' ü' WHERE id > 1");
    run("UPDATE items SET seller = 3, category = 3, name = 'A \"clock\" & <b>bell</b>, ''é'' 漢' || id");
    run("UPDATE items SET description = description || ' & <script>\"x\"</script> ''é''\r\nend'");
    run("UPDATE comments SET comment = comment || ' & <script>\"x\"</script> ''é''\r\nend'");
    run("UPDATE items SET buy_now = 123456789, quantity = 9, reserve_price = 0 WHERE id = 502");
    run("UPDATE items SET nb_of_bids = 0, max_bid = 0 WHERE id IN (503, 507)");
    run("DELETE FROM bids WHERE item_id IN (503, 507)");
    run("UPDATE items SET initial_price = 1, reserve_price = 5000, buy_now = 0, quantity = 3 WHERE id = 503");
    run("UPDATE items SET quantity = 0 WHERE id = 504");
    run("UPDATE items SET start_date = 0, end_date = 10 WHERE id IN (505, 506, 507)");
    run("UPDATE items SET reserve_price = 0 WHERE id = 505");
    run("UPDATE items SET reserve_price = 100000000000 WHERE id IN (506, 509)");
    run("UPDATE bids SET user_id = 7 WHERE item_id IN (505, 508)");
    run("UPDATE bids SET user_id = user_id % 3 + 1 WHERE item_id = 501");
    run("UPDATE comments SET to_user_id = 3 WHERE id <= 45");
}

impl Visitor {
    fn enter(&mut self, label: &str, page: &Page) {
        self.ledger.enter(label, page.status, &page.body, page.token());
    }

    fn get(&mut self, path: &str) {
        let page = self.browser.get(path);
        self.enter(&format!("GET {path}"), &page);
    }

    fn submit(&mut self, path: &str, what: &str, fields: &[(&str, &str)]) {
        let page = self.browser.submit("/register", path, fields);
        self.enter(&format!("POST {path} {what}"), &page);
    }

    fn looks(&mut self) {
        for path in ["/", "/browse", "/categories", "/regions", "/regions/2", "/regions/2/categories/3"] {
            self.get(path);
        }
        for path in ["/categories/3", "/categories/3?page=2", "/categories/3?page=9", "/categories/4"] {
            self.get(path);
        }
        for item in [1, OLD + 1, TO_BUY, NO_BIDS, SOLD_OUT, WON, BELOW_RESERVE, LEFT_ALONE] {
            self.get(&format!("/items/{item}"));
            self.get(&format!("/items/{item}/bids"));
        }
        self.get(&format!("/items/{TO_BUY}/bids?page=2"));
        for user in ["1", "3", "3?page=2", "3?page=3", "3?page=99", "7"] {
            self.get(&format!("/users/{user}"));
        }
        self.get("/register");
    }

    fn is_asked_to_log_in(&mut self) {
        self.get("/me");
        self.get("/sell");
        for path in ["bid", "buy"] {
            self.get(&format!("/items/{TO_BUY}/{path}"));
        }
        self.get(&format!("/items/{TO_BUY}/comment/{SELLER}"));
        for path in ["/me", "/sell", &format!("/items/{TO_BUY}/bid")] {
            self.submit(path, "wrong", &[("nickname", "o'<b>&\"é\""), ("password", "wrong")]);
        }
    }

    fn registers(&mut self) {
        self.submit("/register", "nothing", &[]);
        let wrong = [
            ("firstname", "<i>'A' & \"B\"</i> 漢字"),
            ("lastname", "x"),
            ("nickname", "a'<b>"),
            ("email", "\"nobody\""),
            ("password", "a"),
            ("password_confirmation", "b"),
            ("region", "2"),
        ];
        self.submit("/register", "wrong", &wrong);
        let right = [
            ("firstname", "<i>'A' & \"B\"</i> 漢字"),
            ("lastname", "x"),
            ("nickname", "ada-1_"),
            ("email", "ada@example.org"),
            ("password", "a"),
            ("password_confirmation", "a"),
            ("region", "2"),
        ];
        self.submit("/register", "right", &right);
        self.submit("/me", "right", &[]);
        self.submit("/register", "taken", &right);
        self.submit("/logout", "right", &[]);
    }

    fn bids_and_buys(&mut self) {
        for item in [OLD + 1, TO_BUY, NO_BIDS] {
            self.submit(&format!("/items/{item}/bid"), "form", &[]);
            let store = format!("/items/{item}/bid/store");
            self.submit(&store, "nothing", &[]);
            self.submit(&store, "wrong", &[("bid", "'1<"), ("max_bid", "&\"é\""), ("quantity", "x")]);
            self.submit(&store, "right", &[("bid", "1234567"), ("quantity", "1")]);
        }
        self.submit(&format!("/items/{NO_BIDS}/bid/store"), "low", &[("bid", "1.5"), ("quantity", "1")]);
        self.submit(
            &format!("/items/{}/bid/store", OLD + 9),
            "below the reserve",
            &[("bid", "9999999"), ("quantity", "1")],
        );
        self.submit(&format!("/items/{TO_BUY}/buy"), "form", &[]);
        let store = format!("/items/{TO_BUY}/buy/store");
        self.submit(&store, "wrong", &[("quantity", "<'10'>")]);
        self.submit(&store, "right", &[("quantity", "2")]);
        self.submit(&store, "rest", &[("quantity", "7")]);
        for path in ["bid", "buy", "bid/store", "buy/store"] {
            self.submit(&format!("/items/{WON}/{path}"), "over", &[]);
        }
        self.submit(&format!("/items/{NO_BIDS}/buy"), "not to be bought", &[]);
    }

    fn comments(&mut self) {
        let form = format!("/items/{TO_BUY}/comment/{SELLER}");
        let store = format!("{form}/store");
        self.submit(&form, "form", &[]);
        self.submit(&store, "nothing", &[]);
        self.submit(&store, "wrong", &[("rating", "4"), ("comment", "\n</textarea> & 'é' \"漢\"")]);
        self.submit(&store, "chosen", &[("rating", "-3"), ("comment", "")]);
        self.submit(&store, "right", &[("rating", "-5"), ("comment", "</p> & 'é' \"漢\"\nx")]);
        self.submit(
            &format!("/items/{TO_BUY}/comment/{VIEWER}/store"),
            "own",
            &[("rating", "5"), ("comment", "x")],
        );
        self.get(&format!("/users/{SELLER}"));
    }

    fn sells(&mut self) {
        self.submit("/sell", "right", &[]);
        self.get("/sell/1");
        self.get("/sell/2");
        self.submit("/sell/2", "nothing", &[]);
        let fields = [
            ("name", "A <b>'clock'</b> & \"bell\" 漢"),
            ("description", "It <i>ticks</i>, 'quietly' & \"well\"."),
            ("initial_price", "1200.5"),
            ("reserve_price", "1300"),
            ("buy_now", "2000"),
            ("quantity", "2"),
            ("duration", "3"),
        ];
        let wrong = fields.map(|(name, value)| (name, if name == "quantity" { "'<&\">" } else { value }));
        self.submit("/sell/2", "wrong", &wrong);
        self.submit("/sell/2", "right", &fields);
        self.get("/categories/2");
    }

    fn sees_their_own(&mut self) {
        self.submit("/me", "right", &[]);
        self.submit("/logout", "right", &[]);
        self.submit("/me", "seller", &[("nickname", "us'er<3>&\"é\""), ("password", "password3")]);
        self.submit("/logout", "seller", &[]);
        self.submit("/me", "other", &[("nickname", "user5"), ("password", "password5")]);
    }

    fn goes_wrong(&mut self) {
        for path in ["/nothing", "/items/x", "/items/99999", "/users/99999", "/categories/99", "/regions/99"]
        {
            self.get(path);
        }
        self.get("/items/1/bid/store");
        self.get(&format!("/items/{WON}/bid"));
        let page = self.browser.send(Method::Put, "/", b"");
        self.enter("PUT /", &page);
        let page = self.browser.post("/sell/2", &[]);
        self.enter("POST /sell/2 without a token", &page);
        self.submit("/logout", "other", &[]);
        self.get("/sell/2");
        self.submit("/sell/2", "nobody", &[]);
    }
}
