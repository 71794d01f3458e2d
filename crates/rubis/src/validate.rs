//! Checking forms.

use core::ops::RangeInclusive;

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};

use loadstone_web::check::{Check, Complaints};
use loadstone_web::params::Params;

use crate::data::bids::NewBid;
use crate::data::items::NewItem;
use crate::data::users::NewUser;
use crate::model::{Item, Money};

/// Days that an auction can last.
pub(crate) const DAYS: RangeInclusive<i64> = 1..=7;
/// Ratings that a comment can give.
pub(crate) const RATINGS: [i64; 5] = [-5, -3, 0, 3, 5];
/// Most of a kind in one auction.
pub(crate) const MAX_QUANTITY: i64 = 1000;

/// The user of a form and their password in clear, which is not kept.
pub(crate) fn user(params: &Params<'_>) -> Result<(NewUser, String), Complaints> {
    let mut check = Check::new(params);
    let nickname = check.text("nickname", 20, true);
    // It stands in a cookie, between dots.
    let plain = nickname.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
    if !plain {
        check.complain("nickname", "Letters, digits, '-' and '_' only, please.");
    }
    let password = params.raw("password").to_owned();
    if password.is_empty() {
        check.complain("password", "Please choose a password.");
    }
    if password.chars().count() > 64 {
        check.complain("password", "At most 64 characters, please.");
    }
    if password != params.raw("password_confirmation") {
        check.complain("password_confirmation", "The two passwords are not the same.");
    }
    let user = NewUser {
        nickname,
        firstname: check.text("firstname", 32, true),
        lastname: check.text("lastname", 32, true),
        email: check.email("email", 90),
        region: params.whole("region").unwrap_or(0),
    };
    check.finish((user, password))
}

/// The bid of a form on an auction as it was then; whether it is high enough is seen when it is stored.
pub(crate) fn bid(params: &Params<'_>, item: &Item, user: i64) -> Result<NewBid, Complaints> {
    let mut check = Check::new(params);
    let bid = money(&mut check, "bid", true);
    let least = item.least_bid();
    if bid < least.0 {
        check.complain("bid", format!("The least bid is ${}.", least.plain()));
    }
    let max_bid = match money(&mut check, "max_bid", false) {
        0 => bid,
        max_bid => max_bid,
    };
    if max_bid < bid {
        check.complain("max_bid", "The most you would bid is less than your bid.");
    }
    let quantity = quantity(&mut check, item.quantity);
    check.finish(NewBid { user, quantity, bid, max_bid })
}

/// How many of an auction's items a form buys.
pub(crate) fn purchase(params: &Params<'_>, item: &Item) -> Result<i64, Complaints> {
    let mut check = Check::new(params);
    let quantity = quantity(&mut check, item.quantity);
    check.finish(quantity)
}

/// Rating and text of a comment.
pub(crate) fn comment(params: &Params<'_>) -> Result<(i64, String), Complaints> {
    let mut check = Check::new(params);
    let chosen = params.get("rating");
    let rating = RATINGS.into_iter().find(|rating| rating.to_string() == chosen);
    if rating.is_none() {
        check.complain("rating", "Please choose a rating.");
    }
    let text = check.text("comment", 2048, true);
    check.finish((rating.unwrap_or(0), text))
}

/// The auction of a form.
pub(crate) fn item(params: &Params<'_>) -> Result<NewItem, Complaints> {
    let mut check = Check::new(params);
    let initial_price = money(&mut check, "initial_price", true);
    let reserve_price = money(&mut check, "reserve_price", false);
    let buy_now = money(&mut check, "buy_now", false);
    if reserve_price != 0 && reserve_price < initial_price {
        check.complain("reserve_price", "The reserve price is less than the first price.");
    }
    if buy_now != 0 && buy_now < initial_price.max(reserve_price) {
        check.complain("buy_now", "This is less than the first or the reserve price.");
    }
    let days = params.whole("duration").filter(|days| DAYS.contains(days));
    if days.is_none() {
        check.complain("duration", "One to seven days, please.");
    }
    let item = NewItem {
        name: check.text("name", 100, true),
        description: check.text("description", 7168, true),
        initial_price,
        reserve_price,
        buy_now,
        quantity: quantity(&mut check, MAX_QUANTITY),
        days: days.unwrap_or(0),
    };
    check.finish(item)
}

/// Money in cents; 0 when a field that may be empty is.
fn money(check: &mut Check<'_, '_>, name: &'static str, required: bool) -> i64 {
    let text = check.text(name, 13, required);
    let value = Money::parse(&text);
    if value.is_none() && !text.is_empty() {
        check.complain(name, "An amount such as 12 or 12.50, please: digits, and a point before cents.");
    }
    value.map_or(0, |money| money.0)
}

fn quantity(check: &mut Check<'_, '_>, most: i64) -> i64 {
    let value = check.params.whole("quantity").filter(|value| (1..=most).contains(value));
    if value.is_none() {
        check.complain("quantity", format!("A number from 1 to {most}, please."));
    }
    value.unwrap_or(0)
}
