//! Bidding and buying.

use alloc::format;

use loadstone_http::Response;
use loadstone_web::check::Complaints;
use loadstone_web::dates::Moment;
use loadstone_web::html::Html;
use loadstone_web::params::Params;

use super::account::{ask, identify, needs};
use super::browse::find_item;
use crate::data::{bids, purchases};
use crate::failure::Failure;
use crate::model::Item;
use crate::page::done;
use crate::page::forms::{self, Form};
use crate::reply::page;
use crate::site::Site;
use crate::validate;
use crate::visit::Visit;

/// What bidding and buying have in common: a log-in form, and a form behind it.
pub(super) struct Deal {
    /// Title of the log-in form, before the auction's name.
    verb: &'static str,
    /// Title of the form behind it.
    title: &'static str,
    /// The states of the two.
    states: (&'static str, &'static str),
    /// Last part of their path.
    path: &'static str,
    /// Lets auctions through that this can be done with.
    allows: fn(Option<Item>, Moment) -> Result<Item, Failure>,
    /// Writes the form.
    form: fn(&mut Html, &Form<'_>, &Item),
}

pub(super) const BID: Deal = Deal {
    verb: "Bid on",
    title: "Bid",
    states: ("PutBidAuth", "PutBid"),
    path: "bid",
    allows: running,
    form: forms::bid,
};

pub(super) const BUY: Deal = Deal {
    verb: "Buy",
    title: "Buy now",
    states: ("BuyNowAuth", "BuyNow"),
    path: "buy",
    allows: buyable,
    form: forms::buy,
};

/// The log-in form before a deal.
pub(super) fn auth(
    site: &Site,
    visit: &Visit<'_>,
    (deal, id): (&Deal, i64),
    response: &mut Response,
) -> Result<(), Failure> {
    let item = (deal.allows)(Some(find_item(site, id)?), site.now())?;
    let title = format!("{} {}", deal.verb, item.name);
    ask(site, visit, response, (&title, deal.states.0), &format!("/items/{id}/{}", deal.path));
    Ok(())
}

/// The deal's form, for who has logged in.
pub(super) fn enter(
    site: &Site,
    visit: &mut Visit<'_>,
    (deal, id): (&Deal, i64),
    response: &mut Response,
) -> Result<(), Failure> {
    let action = format!("/items/{id}/{}", deal.path);
    if identify(site, visit, response, (deal.title, deal.states.0), &action)?.is_some() {
        let item = (deal.allows)(Some(find_item(site, id)?), site.now())?;
        show(site, visit, response, (deal, &item), (&Params::default(), &Complaints::new()));
    }
    Ok(())
}

/// The deal's form with what was entered and what is wrong with it.
fn show(
    site: &Site,
    visit: &Visit<'_>,
    response: &mut Response,
    (deal, item): (&Deal, &Item),
    (params, wrong): (&Params<'_>, &Complaints),
) {
    page(site, visit, response, (deal.title, deal.states.1), |html| {
        (deal.form)(html, &Form { params, wrong, token: &visit.token }, item);
    });
    if !wrong.is_empty() {
        response.status(422);
    }
}

pub(super) fn store_bid(
    site: &Site,
    visit: &mut Visit<'_>,
    id: i64,
    response: &mut Response,
) -> Result<(), Failure> {
    let (viewer, now) = (needs(visit)?, site.now());
    let item = foreign(running(Some(find_item(site, id)?), now)?, viewer.id)?;
    let new = match validate::bid(&visit.params, &item, viewer.id) {
        Ok(new) => new,
        Err(wrong) => {
            show(site, visit, response, (&BID, &item), (&visit.params, &wrong));
            return Ok(());
        }
    };
    let stored = bids::add(&site.db, id, &new, now, |found| {
        let found = running(found, now)?;
        // Somebody may have been quicker.
        if new.bid < found.least_bid().0 || new.quantity > found.quantity {
            return Err(Failure::refused(format!(
                "somebody was quicker: the least bid is now ${}.",
                found.least_bid().plain()
            )));
        }
        Ok(found)
    })??;
    page(site, visit, response, ("Bid stored", "StoreBid"), |html| done::bid(html, &stored));
    Ok(())
}

pub(super) fn store_buy(
    site: &Site,
    visit: &mut Visit<'_>,
    id: i64,
    response: &mut Response,
) -> Result<(), Failure> {
    let (viewer, now) = (needs(visit)?, site.now());
    let item = foreign(buyable(Some(find_item(site, id)?), now)?, viewer.id)?;
    let quantity = match validate::purchase(&visit.params, &item) {
        Ok(quantity) => quantity,
        Err(wrong) => {
            show(site, visit, response, (&BUY, &item), (&visit.params, &wrong));
            return Ok(());
        }
    };
    let bought = purchases::add(&site.db, id, (viewer.id, quantity), now, |found| {
        let found = buyable(found, now)?;
        // Somebody may have been quicker.
        if quantity > found.quantity {
            return Err(Failure::refused(format!("somebody was quicker: {} are left.", found.quantity)));
        }
        Ok(found)
    })??;
    page(site, visit, response, ("Bought", "StoreBuyNow"), |html| done::bought(html, &bought, quantity));
    Ok(())
}

/// An auction that has not ended.
fn running(item: Option<Item>, now: Moment) -> Result<Item, Failure> {
    item.filter(|item| !item.has_ended(now)).ok_or_else(|| Failure::refused("this auction has ended."))
}

/// An auction whose things can be bought without bidding.
fn buyable(item: Option<Item>, now: Moment) -> Result<Item, Failure> {
    let item = running(item, now)?;
    if item.buy_now > 0 { Ok(item) } else { Err(Failure::refused("this can only be had by bidding.")) }
}

/// An auction of somebody else.
fn foreign(item: Item, user: i64) -> Result<Item, Failure> {
    if item.seller == user { Err(Failure::refused("this is your own auction.")) } else { Ok(item) }
}
