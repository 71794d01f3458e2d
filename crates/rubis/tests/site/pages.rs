//! Every state of the transition tables, in the order in which somebody would meet them.

use crate::visitor::{ACTIVE, OLD, World, between};

/// A link's target on a page, the first that begins so.
fn link(body: &str, prefix: &str) -> String {
    let rest = between(body, &format!("href=\"{prefix}"), "\"").expect(prefix);
    format!("{prefix}{rest}")
}

#[test]
fn somebody_browses_by_following_links() {
    let world = World::new();
    let mut browser = world.browser();
    let home = browser.get("/");
    assert!(home.is("Home") && home.status == 200);
    let browse = browser.get(&link(&home.body, "/browse"));
    assert!(browse.is("Browse"));
    let categories = browser.get(&link(&browse.body, "/categories"));
    assert!(categories.is("BrowseCategories") && categories.body.matches("href=\"/categories/").count() == 5);
    let found = browser.get(&link(&categories.body, "/categories/"));
    assert!(found.is("SearchItemsInCategory"));
    let regions = browser.get(&link(&browse.body, "/regions"));
    assert!(regions.is("BrowseRegions") && regions.body.matches("href=\"/regions/").count() == 6);
    let region = browser.get(&link(&regions.body, "/regions/"));
    assert!(region.is("BrowseCategoriesInRegion"));
    let in_region = browser.get(&link(&region.body, "/regions/"));
    assert!(in_region.is("SearchItemsInRegion"));
    let item = browser.get(&link(&found.body, "/items/"));
    assert!(item.is("ViewItem") && item.has("Highest bids"));
    let history = browser.get(&format!("{}/bids", link(&found.body, "/items/")));
    assert!(history.is("ViewBidHistory"));
    assert!(browser.get(&link(&item.body, "/users/")).is("ViewUserInfo"));
}

#[test]
fn every_page_is_whole_safe_and_refers_to_what_exists() {
    let world = World::new();
    let mut browser = world.user(7);
    let item = OLD + 1;
    for path in
        ["/", "/browse", "/categories", "/categories/1", "/regions", "/regions/2", "/regions/2/categories/1"]
            .map(String::from)
            .into_iter()
            .chain([format!("/items/{item}"), format!("/items/{item}/bids"), format!("/items/{item}/bid")])
            .chain(["/users/3", "/register", "/sell", "/sell/2", "/me", "/items/1"].map(String::from))
    {
        let page = browser.get(&path);
        assert_eq!(page.status, 200, "{path}");
        assert!(page.body.ends_with("</html>\n"), "{path}");
        assert!(!page.has("ERROR"), "{path}");
        let policy =
            page.headers.iter().find(|(name, _)| name == "Content-Security-Policy").expect("a policy");
        assert!(policy.1.starts_with("default-src 'none'"));
        let files: Vec<_> =
            page.body.split("/static/").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert_eq!(files.len(), 4, "{path}");
        for file in files {
            assert_eq!(browser.get(&format!("/static/{file}")).status, 200, "{file}");
        }
    }
}

#[test]
fn lists_have_twenty_entries_and_lead_on() {
    let world = World::new();
    let mut browser = world.browser();
    // All items of one category, so that there are two pages.
    world.db.execute("UPDATE items SET category = 3", &[]).expect("an update");
    let first = browser.get("/categories/3");
    assert_eq!(first.body.matches(">Bid</a>").count(), 20);
    assert!(first.has("href=\"?page=2\">Next") && !first.has("Previous"));
    let second = browser.get("/categories/3?page=2");
    assert_eq!(second.body.matches(">Bid</a>").count() as i64, ACTIVE - 20);
    assert!(second.has("href=\"?page=1\">Previous") && second.has("href=\"?page=1\">First page"));
    let empty = browser.get("/categories/4");
    assert!(empty.has("Sorry, there are no auctions here") && empty.status == 200);
    let mut ends: Vec<String> = Vec::new();
    world
        .db
        .query("SELECT name FROM items ORDER BY end_date, id", &[], |row| {
            ends.push(row.text(0)?.to_owned());
            Ok(())
        })
        .expect("a query");
    let shown: Vec<_> =
        first.body.split("<tr><td>").skip(1).filter_map(|row| between(row, ">", "<")).collect();
    assert_eq!(shown, ends[..20]);
}

#[test]
fn what_is_not_there_says_so() {
    let world = World::new();
    let mut browser = world.browser();
    for path in ["/items/99999", "/users/99999", "/categories/99", "/regions/99", "/regions/1/categories/99"]
    {
        let page = browser.get(path);
        assert!(page.is("sorry") && page.has("Sorry, ") && page.status == 404, "{path}");
    }
    for (path, status) in
        [("/nothing", 404), ("/items/x", 404), ("/items/01", 404), ("/items/1/bid/store", 405)]
    {
        let page = browser.get(path);
        assert!(page.is("error") && page.has("ERROR") && page.status == status, "{path}");
    }
}

#[test]
fn somebody_registers_and_is_logged_in() {
    let world = World::new();
    let mut browser = world.browser();
    let fields = [
        ("firstname", "Ada"),
        ("lastname", "L<b>"),
        ("nickname", "ada_1"),
        ("email", "ada@example.org"),
        ("password", " secret "),
        ("password_confirmation", " secret "),
        ("region", "2"),
    ];
    let wrong = browser.submit("/register", "/register", &[&fields[..4], &[("region", "9")]].concat());
    assert!(
        wrong.is("Register") && wrong.status == 422 && wrong.has("Sorry, ") && wrong.has("choose a password")
    );
    assert!(wrong.has("value=\"ada_1\""), "what was entered comes back");
    let done = browser.submit("/register", "/register", &fields);
    assert!(done.is("RegisterUser"), "{}", done.body);
    assert!(browser.get("/").has("ada_1"));
    let me = browser.submit("/me", "/me", &[]);
    assert!(me.is("AboutMe") && me.has("L&lt;b&gt;"), "{}", me.body);
    let taken = world.browser().submit("/register", "/register", &fields);
    assert!(taken.status == 422 && taken.has("has this nickname already"));
    let stored = world
        .db
        .query_row("SELECT password FROM users WHERE nickname = 'ada_1'", &[], |row| {
            row.text(0).map(String::from)
        })
        .expect("a query")
        .expect("a row");
    assert!(stored.starts_with("sha256$") && !stored.contains("secret"));
    let out = browser.submit("/", "/logout", &[]);
    assert!(out.is("Home") && !out.has("ada_1"));
    assert!(browser.submit("/me", "/me", &[]).is("AboutMeAuth"));
}

#[test]
fn somebody_sells() {
    let world = World::new();
    let mut browser = world.browser();
    let select = browser.log_in("/sell", 5);
    assert!(select.is("SelectCategoryToSellItem"));
    let form = browser.get(&link(&select.body, "/sell/"));
    assert!(form.is("SellItemForm"));
    let fields = [
        ("name", "A clock"),
        ("description", "It <i>ticks</i>."),
        ("initial_price", "1200.5"),
        ("reserve_price", "1300"),
        ("buy_now", "2000"),
        ("quantity", "2"),
        ("duration", "3"),
    ];
    for (name, value, complaint) in [
        ("initial_price", "much", "An amount such as"),
        ("initial_price", "1,50", "a point before cents"),
        ("quantity", "+2", "A number from 1 to"),
        ("quantity", "1,5", "A number from 1 to"),
        ("duration", "+3", "One to seven days"),
        ("reserve_price", "3", "less than the first price"),
        ("buy_now", "1250", "less than the first or the reserve price"),
        ("quantity", "0", "A number from 1 to"),
        ("duration", "8", "One to seven days"),
        ("name", "", "Please fill this in"),
    ] {
        let changed = fields.map(|field| if field.0 == name { (name, value) } else { field });
        let wrong = browser.submit("/sell/2", "/sell/2", &changed);
        assert!(
            wrong.is("SellItemForm") && wrong.status == 422 && wrong.has(complaint),
            "{name}: {}",
            wrong.body
        );
    }
    let done = browser.submit("/sell/2", "/sell/2", &fields);
    assert!(done.is("RegisterItem"), "{}", done.body);
    let item = browser.get(&link(&done.body, "/items/"));
    assert!(
        item.has("It &lt;i&gt;ticks&lt;/i&gt;.") && item.has("$1,200.50") && item.has("Buy it for $2,000.00")
    );
    assert!(browser.submit("/me", "/me", &[]).has("A clock"));
}

#[test]
fn somebody_comments_and_the_rating_moves() {
    let world = World::new();
    let item = OLD + 3;
    let seller = world.int("SELECT seller FROM items WHERE id = ?", item);
    let writer = if seller == 9 { 10 } else { 9 };
    let before = world.int("SELECT rating FROM users WHERE id = ?", seller);
    let (path, store) =
        (format!("/items/{item}/comment/{seller}"), format!("/items/{item}/comment/{seller}/store"));
    let mut browser = world.browser();
    let form = browser.log_in(&path, writer);
    assert!(form.is("PutComment"), "{}", form.body);
    let wrong = browser.submit(&path, &store, &[("rating", "4"), ("comment", "fine")]);
    assert!(wrong.is("PutComment") && wrong.has("Please choose a rating"));
    let done = browser.submit(&path, &store, &[("rating", "-3"), ("comment", "too <late>")]);
    assert!(done.is("StoreComment"), "{}", done.body);
    assert!(browser.get(&format!("/users/{seller}")).has("too &lt;late&gt;"));
    assert_eq!(world.int("SELECT rating FROM users WHERE id = ?", seller), before - 3);
    let own = world.user(seller).submit("/me", &store, &[("rating", "5"), ("comment", "me")]);
    assert!(own.has("about yourself") && own.status == 422);
}
