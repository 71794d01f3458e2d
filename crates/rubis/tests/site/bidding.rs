//! The rules of bidding, buying and ending.

use crate::visitor::{ACTIVE, Browser, DAY_S, OLD, Page, World};

/// Bids on an item as somebody who is logged in.
fn bid(browser: &mut Browser, item: i64, bid: &str, quantity: &str) -> Page {
    let store = format!("/items/{item}/bid/store");
    browser.submit("/me", &store, &[("bid", bid), ("quantity", quantity)])
}

/// An active item with these values, of a seller that no test uses.
fn item(world: &World, quantity: i64, reserve: i64, buy_now: i64) -> i64 {
    let id = OLD + 2;
    let sql = "UPDATE items SET initial_price = 10000, max_bid = 0, nb_of_bids = 0, seller = 900, quantity = ?2, \
               reserve_price = ?3, buy_now = ?4 WHERE id = ?1";
    world.db.execute(sql, &[id.into(), quantity.into(), reserve.into(), buy_now.into()]).expect("an update");
    world.db.execute("DELETE FROM bids WHERE item_id = ?", &[id.into()]).expect("a deletion");
    id
}

#[test]
fn a_bid_must_be_higher_than_the_last() {
    let world = World::new();
    let id = item(&world, 3, 20_000, 0);
    let (mut ann, mut bob) = (world.user(1), world.user(2));
    let form = ann.submit("/me", &format!("/items/{id}/bid"), &[]);
    assert!(form.is("PutBid") && form.has("value=\"100.00\""), "{}", form.body);
    for (amount, quantity, complaint) in [
        ("99.99", "1", "The least bid is $100.00"),
        ("", "1", "Please fill this in"),
        ("-5", "1", "An amount such as"),
        ("1e3", "1", "An amount such as"),
        // Read as 150.00 it would be the highest bid, and bind.
        ("1,50", "1", "a point before cents"),
        ("1,200.50", "1", "a point before cents"),
        ("150", "1,0", "A number from 1 to 3"),
        ("150", "4", "A number from 1 to 3"),
        ("150", "0", "A number from 1 to 3"),
    ] {
        let wrong = bid(&mut ann, id, amount, quantity);
        assert!(wrong.is("PutBid") && wrong.status == 422 && wrong.has(complaint), "{amount} {quantity}");
    }
    let first = bid(&mut ann, id, "100", "1");
    assert!(first.is("StoreBid") && first.has("has not been met"), "{}", first.body);
    assert!(bid(&mut bob, id, "100.99", "1").has("The least bid is $101.00"));
    let second = bid(&mut bob, id, "250", "2");
    assert!(second.is("StoreBid") && !second.has("has not been met"));
    assert_eq!(world.int("SELECT max_bid FROM items WHERE id = ?", id), 25_000);
    assert_eq!(world.int("SELECT nb_of_bids FROM items WHERE id = ?", id), 2);
    assert_eq!(world.int("SELECT count(*) FROM bids WHERE item_id = ?", id), 2);
    let store = format!("/items/{id}/bid/store");
    let low = bob.submit("/me", &store, &[("bid", "300"), ("max_bid", "299"), ("quantity", "1")]);
    assert!(low.has("less than your bid"));
    let page = world.browser().get(&format!("/items/{id}"));
    assert!(page.has("$250.00") && page.has("has been met") && page.has(">user2</a>"));
}

#[test]
fn nobody_bids_on_or_buys_their_own() {
    let world = World::new();
    let id = item(&world, 1, 0, 50_000);
    let mut seller = world.user(900);
    assert!(bid(&mut seller, id, "500", "1").has("this is your own auction"));
    let bought = seller.submit("/me", &format!("/items/{id}/buy/store"), &[("quantity", "1")]);
    assert!(bought.is("sorry") && bought.status == 422);
    assert_eq!(world.int("SELECT quantity FROM items WHERE id = ?", id), 1);
}

#[test]
fn what_is_bought_up_has_ended() {
    let world = World::new();
    let id = item(&world, 3, 0, 50_000);
    let (mut ann, mut bob) = (world.browser(), world.user(2));
    let (path, store) = (format!("/items/{id}/buy"), format!("/items/{id}/buy/store"));
    assert!(bid(&mut world.user(3), id, "400", "1").is("StoreBid"));
    assert!(ann.get(&path).is("BuyNowAuth"));
    assert!(ann.log_in(&path, 1).is("BuyNow"));
    let done = ann.submit("/me", &store, &[("quantity", "2")]);
    assert!(done.is("StoreBuyNow") && done.has("$1,000.00"), "{}", done.body);
    assert!(bob.submit("/me", &store, &[("quantity", "2")]).has("A number from 1 to 1"));
    assert!(bob.submit("/me", &store, &[("quantity", "1")]).is("StoreBuyNow"));
    let late = bid(&mut bob, id, "600", "1");
    assert!(late.has("this auction has ended"), "{}", late.body);
    assert!(bob.get(&format!("/items/{id}")).has("Everything was bought"));
    assert!(ann.submit("/me", "/me", &[]).has(&format!("href=\"/items/{id}\"")));
    assert_eq!(world.int("SELECT sum(qty) FROM buy_now WHERE item_id = ?", id), 3);
    // Who had the highest bid has won nothing.
    world.pass(60);
    let fields =
        [("name", "x"), ("description", "x"), ("initial_price", "1"), ("quantity", "1"), ("duration", "1")];
    assert!(bob.submit("/me", "/sell/1", &fields).is("RegisterItem"));
    let me = world.user(3).submit("/me", "/me", &[]);
    let (_, won) = me.body.split_once("You have won").expect("a section");
    assert!(!won.split("<h2>").next().expect("its text").contains(&format!("/items/{id}\"")));
}

#[test]
fn what_cannot_be_bought_at_once_says_so() {
    let world = World::new();
    let id = item(&world, 1, 0, 0);
    let page = world.browser().get(&format!("/items/{id}/buy"));
    assert!(page.is("sorry") && page.has("only be had by bidding"));
    assert!(!world.browser().get(&format!("/items/{id}")).has("Buy it for"));
}

#[test]
fn auctions_end_and_are_put_away() {
    let world = World::new();
    let id = item(&world, 1, 20_000, 0);
    let mut ann = world.user(1);
    assert!(bid(&mut ann, id, "200", "1").is("StoreBid"));
    let ended = 7 * DAY_S + 60;
    world.pass(ended);
    // Nobody stays logged in for a week.
    assert!(bid(&mut ann, id, "300", "1").has("not logged in any more"));
    let mut ann = world.user(1);
    assert!(bid(&mut ann, id, "300", "1").has("this auction has ended"));
    assert!(world.browser().get("/categories/1").has("Sorry, there are no auctions here"));
    let page = world.browser().get(&format!("/items/{id}"));
    assert!(
        page.has("This auction has ended.")
            && page.has("It went to <a href=\"/users/1\">user1</a> for $200.00")
    );
    // The next auction that begins puts away all that have ended; its id is new.
    let fields =
        [("name", "x"), ("description", "x"), ("initial_price", "1"), ("quantity", "1"), ("duration", "1")];
    assert!(ann.submit("/me", "/sell/1", &fields).is("RegisterItem"));
    assert_eq!(world.int("SELECT count(*) FROM items WHERE id > ?", 0), 1);
    assert_eq!(world.int("SELECT count(*) FROM old_items WHERE id > ?", 0), OLD + ACTIVE);
    assert_eq!(world.int("SELECT max(id) FROM items WHERE id > ?", 0), OLD + ACTIVE + 1);
    let me = ann.submit("/me", "/me", &[]);
    let (_, won) = me.body.split_once("You have won").expect("a section");
    assert!(won.split("<h2>").next().expect("its text").contains(&format!("/items/{id}\"")));
    assert!(world.browser().get(&format!("/items/{id}")).has("It went to"), "from the old items as well");
}

#[test]
fn two_who_bid_the_same_are_not_both_taken() {
    let world = World::new();
    let id = item(&world, 1, 0, 0);
    let pages: Vec<_> = std::thread::scope(|scope| {
        let world = &world;
        let bidders = (1..=4).map(|user| {
            let mut browser = world.user(user);
            scope.spawn(move || bid(&mut browser, id, "500", "1"))
        });
        bidders.collect::<Vec<_>>().into_iter().map(|bidder| bidder.join().expect("a page")).collect()
    });
    assert_eq!(pages.iter().filter(|page| page.is("StoreBid")).count(), 1);
    assert_eq!(pages.iter().filter(|page| page.status == 422).count(), 3);
    assert_eq!(world.int("SELECT nb_of_bids FROM items WHERE id = ?", id), 1);
}
