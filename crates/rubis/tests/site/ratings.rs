//! Under the rules for people, a rating needs a sale.

use crate::visitor::{Browser, DAY_S, OLD, World};

/// An active auction of a seller that no test uses: three things, 100.00 each at once, first price 10.00.
fn item(world: &World) -> i64 {
    let id = OLD + 2;
    let sql = "UPDATE items SET initial_price = 1000, max_bid = 0, nb_of_bids = 0, seller = 900, quantity = 3, \
               reserve_price = 2000, buy_now = 10000 WHERE id = ?1";
    world.db.execute(sql, &[id.into()]).expect("an update");
    world.db.execute("DELETE FROM bids WHERE item_id = ?", &[id.into()]).expect("a deletion");
    world.db.execute("DELETE FROM comments WHERE item_id = ?", &[id.into()]).expect("a deletion");
    id
}

/// Whether somebody who is logged in gets the form to rate a user about an auction, and whether the rating is
/// stored.
fn rate(browser: &mut Browser, item: i64, user: i64) -> (bool, bool) {
    let path = format!("/items/{item}/comment/{user}");
    let form = browser.submit("/me", &path, &[]);
    let store = format!("{path}/store");
    let stored = browser.submit("/me", &store, &[("rating", "5"), ("comment", "fine")]);
    assert!(
        stored.is("StoreComment") || stored.status == 422 && stored.has("needs a sale"),
        "{}",
        stored.body
    );
    (form.is("PutComment"), stored.is("StoreComment"))
}

fn buy(browser: &mut Browser, item: i64) {
    let page = browser.submit("/me", &format!("/items/{item}/buy/store"), &[("quantity", "1")]);
    assert!(page.is("StoreBuyNow"), "{}", page.body);
}

fn bid(browser: &mut Browser, item: i64, amount: &str) {
    let fields = [("bid", amount), ("quantity", "1")];
    let page = browser.submit("/me", &format!("/items/{item}/bid/store"), &fields);
    assert!(page.is("StoreBid"), "{}", page.body);
}

#[test]
fn nobody_rates_without_a_sale_and_nobody_twice_for_one() {
    let world = World::public();
    let id = item(&world);
    let rating = || world.int("SELECT rating FROM users WHERE id = ?", 900);
    let before = rating();
    let (mut ann, mut bob, mut seller) = (world.user(1), world.user(2), world.user(900));
    assert_eq!(rate(&mut ann, id, 900), (false, false));
    buy(&mut ann, id);
    assert_eq!(rate(&mut bob, id, 900), (false, false), "another's purchase");
    assert_eq!(rate(&mut ann, id, 2), (false, false), "who has no part in it");
    assert_eq!(rate(&mut ann, id, 900), (true, true));
    assert_eq!(rate(&mut ann, id, 900), (false, false), "once is enough");
    assert_eq!(rating(), before + 5);
    buy(&mut ann, id);
    assert_eq!(rate(&mut ann, id, 900), (true, true), "a second purchase, a second rating");
    // What the seller says about the buyer is another matter, with the same rules.
    assert_eq!(rate(&mut seller, id, 2), (false, false));
    assert_eq!([0; 3].map(|_| rate(&mut seller, id, 1).1), [true, true, false]);
    assert_eq!(rating(), before + 10);
}

#[test]
fn who_has_won_may_rate_once_the_auction_has_ended() {
    let world = World::public();
    let id = item(&world);
    let (mut ann, mut bob) = (world.user(1), world.user(2));
    bid(&mut ann, id, "30");
    bid(&mut bob, id, "40");
    assert_eq!(rate(&mut bob, id, 900), (false, false), "it goes on");
    world.pass(8 * DAY_S);
    let (mut ann, mut bob, mut seller) = (world.user(1), world.user(2), world.user(900));
    assert_eq!(rate(&mut ann, id, 900), (false, false), "who was outbid");
    assert_eq!(rate(&mut bob, id, 900), (true, true));
    assert_eq!(rate(&mut bob, id, 900), (false, false));
    assert_eq!(rate(&mut seller, id, 1), (false, false));
    assert_eq!(rate(&mut seller, id, 2), (true, true));
}

#[test]
fn below_the_reserve_price_nothing_was_sold() {
    let world = World::public();
    let id = item(&world);
    bid(&mut world.user(1), id, "15");
    world.pass(8 * DAY_S);
    assert_eq!(rate(&mut world.user(1), id, 900), (false, false));
}

#[test]
fn under_a_benchmarks_rules_anybody_rates_as_its_workload_does() {
    let world = World::new();
    let id = item(&world);
    let mut ann = world.user(1);
    assert_eq!([0; 3].map(|_| rate(&mut ann, id, 900)), [(true, true); 3]);
}
