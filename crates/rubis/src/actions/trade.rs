//! Bidding and buying.

use alloc::format;

use loadstone_http::Response;
use loadstone_web::check::Complaints;
use loadstone_web::dates::Moment;
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

const BID: (&str, &str) = ("Bid", "PutBidAuth");
const BUY: (&str, &str) = ("Buy now", "BuyNowAuth");

pub(super) fn bid_auth(
    site: &Site,
    visit: &Visit<'_>,
    id: i64,
    response: &mut Response,
) -> Result<(), Failure> {
    let item = running(Some(find_item(site, id)?), site.now())?;
    let title = format!("Bid on {}", item.name);
    ask(site, visit, response, (&title, BID.1), &format!("/items/{id}/bid"));
    Ok(())
}

pub(super) fn bid(
    site: &Site,
    visit: &mut Visit<'_>,
    id: i64,
    response: &mut Response,
) -> Result<(), Failure> {
    if identify(site, visit, response, BID, &format!("/items/{id}/bid"))?.is_some() {
        let item = running(Some(find_item(site, id)?), site.now())?;
        show_bid(site, visit, response, &item, (&Params::default(), &Complaints::new()));
    }
    Ok(())
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
            show_bid(site, visit, response, &item, (&visit.params, &wrong));
            response.status(422);
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

pub(super) fn buy_auth(
    site: &Site,
    visit: &Visit<'_>,
    id: i64,
    response: &mut Response,
) -> Result<(), Failure> {
    let item = buyable(Some(find_item(site, id)?), site.now())?;
    let title = format!("Buy {}", item.name);
    ask(site, visit, response, (&title, BUY.1), &format!("/items/{id}/buy"));
    Ok(())
}

pub(super) fn buy(
    site: &Site,
    visit: &mut Visit<'_>,
    id: i64,
    response: &mut Response,
) -> Result<(), Failure> {
    if identify(site, visit, response, BUY, &format!("/items/{id}/buy"))?.is_some() {
        let item = buyable(Some(find_item(site, id)?), site.now())?;
        show_buy(site, visit, response, &item, (&Params::default(), &Complaints::new()));
    }
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
            show_buy(site, visit, response, &item, (&visit.params, &wrong));
            response.status(422);
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

fn show_bid(
    site: &Site,
    visit: &Visit<'_>,
    response: &mut Response,
    item: &Item,
    (params, wrong): (&Params<'_>, &Complaints),
) {
    page(site, visit, response, ("Bid", "PutBid"), |html| {
        forms::bid(html, &Form { params, wrong, token: &visit.token }, item);
    });
}

fn show_buy(
    site: &Site,
    visit: &Visit<'_>,
    response: &mut Response,
    item: &Item,
    (params, wrong): (&Params<'_>, &Complaints),
) {
    page(site, visit, response, ("Buy now", "BuyNow"), |html| {
        forms::buy(html, &Form { params, wrong, token: &visit.token }, item);
    });
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
