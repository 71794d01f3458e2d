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
    /// Reads `12`, `12.5` and `12.50`, from a cent to ten million. None for anything else: a comma parts
    /// thousands for some and cents for others, and a bid binds.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (whole, part) = match text.split_once('.') {
            // A point at the end: what stood behind it is missing.
            Some((_, "")) => return None,
            Some(parts) => parts,
            None => (text, "00"),
        };
        let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
        if whole.is_empty() || whole.len() > 8 || part.len() > 2 || !digits(whole) || !digits(part) {
            return None;
        }
        let cents = part.parse::<i64>().ok()? * if part.len() == 1 { 10 } else { 1 };
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

#[cfg(test)]
mod tests {
    use super::Money;

    #[test]
    fn amounts_are_digits_with_a_point_before_cents() {
        for (text, cents) in [
            ("12", 1200),
            ("12.5", 1250),
            ("12.50", 1250),
            ("0.01", 1),
            ("007", 700),
            ("10000000", 1_000_000_000),
        ] {
            assert_eq!(Money::parse(text), Some(Money(cents)), "{text}");
        }
    }

    #[test]
    fn what_can_be_read_in_two_ways_is_no_amount() {
        for text in [
            "1,50",
            "1,200",
            "1,200.50",
            "1.200,50",
            "1.200",
            "1'200",
            "1 200",
            "1_200",
            "$12",
            "12 $",
            "12.",
            ".5",
            "1.2.3",
            "+1",
            "-1",
            "1e3",
            "0x10",
            "\u{661}\u{662}",
            "\u{ff11}",
            "0",
            "0.00",
            "10000000.01",
            "",
        ] {
            assert_eq!(Money::parse(text), None, "{text}");
        }
    }
}
