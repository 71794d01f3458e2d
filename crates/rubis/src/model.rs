//! What pages show.

use alloc::string::String;

use loadstone_web::dates::Moment;
use loadstone_web::html::{Html, Show, Two, html};

/// Money in cents, shown as `$1,234.50`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Money(pub i64);

impl Show for Money {
    fn show(&self, page: &mut Html) {
        html!(page, "$");
        thousands(page, self.0 / 100);
        html!(page, ".", Two((self.0 % 100) as u32));
    }
}

/// Digits in groups of three.
fn thousands(page: &mut Html, value: i64) {
    if value >= 1000 {
        thousands(page, value / 1000);
        html!(page, ",");
        let rest = value % 1000;
        html!(page, rest / 100, rest / 10 % 10, rest % 10);
    } else {
        html!(page, value);
    }
}

impl Money {
    /// Reads `12`, `12.5`, `12.50` and `1,200`, from a cent to ten million.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim().trim_start_matches('$').replace(',', "");
        let (whole, part) = text.split_once('.').unwrap_or((&text, ""));
        let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
        if whole.is_empty() || whole.len() > 8 || part.len() > 2 || !digits(whole) || !digits(part) {
            return None;
        }
        let cents = match part.len() {
            0 => 0,
            1 => part.parse::<i64>().ok()? * 10,
            _ => part.parse().ok()?,
        };
        let value = whole.parse::<i64>().ok()? * 100 + cents;
        (1..=1_000_000_000).contains(&value).then_some(Self(value))
    }

    /// As a form takes it back: `1234.50`.
    pub(crate) fn plain(self) -> String {
        alloc::format!("{}.{:02}", self.0 / 100, self.0 % 100)
    }
}

/// Who is logged in.
#[derive(Debug, Clone)]
pub(crate) struct Viewer {
    pub id: i64,
    pub nickname: String,
}

/// A category or region.
pub(crate) struct Place {
    pub id: i64,
    pub name: String,
}

/// An auction.
pub(crate) struct Item {
    pub id: i64,
    pub name: String,
    pub description: String,
    pub initial_price: i64,
    pub quantity: i64,
    /// 0 when there is none.
    pub reserve_price: i64,
    /// 0 when there is none.
    pub buy_now: i64,
    pub bids: i64,
    /// 0 before the first bid.
    pub max_bid: i64,
    pub start: Moment,
    pub end: Moment,
    pub seller: i64,
    pub seller_name: String,
    pub seller_rating: i64,
    pub category: Place,
}

impl Item {
    /// Whether bids and purchases are over.
    pub(crate) fn has_ended(&self, now: Moment) -> bool {
        self.end <= now || self.quantity == 0
    }

    /// What one pays at least: above the highest bid by one, or the first price.
    pub(crate) fn least_bid(&self) -> Money {
        Money(if self.max_bid > 0 { self.max_bid + 100 } else { self.initial_price })
    }

    /// Whether the highest bid is enough for the seller.
    pub(crate) fn meets_reserve(&self) -> bool {
        self.bids > 0 && self.max_bid >= self.reserve_price
    }
}

/// An auction in a list.
pub(crate) struct Listing {
    pub id: i64,
    pub name: String,
    /// The highest bid, or the first price.
    pub price: i64,
    pub bids: i64,
    pub end: Moment,
    /// 0 when there is none.
    pub buy_now: i64,
}

/// A bid with its bidder.
pub(crate) struct Bid {
    pub user: i64,
    pub nickname: String,
    pub quantity: i64,
    pub bid: i64,
    pub date: Moment,
}

/// A user as everybody sees them.
pub(crate) struct User {
    pub id: i64,
    pub nickname: String,
    pub rating: i64,
    pub since: Moment,
    pub region: String,
    /// Shown to nobody else.
    pub firstname: String,
    pub lastname: String,
    pub email: String,
}

/// A comment with its author.
pub(crate) struct Comment {
    pub from: i64,
    pub nickname: String,
    pub item: i64,
    pub rating: i64,
    pub date: Moment,
    pub text: String,
}
