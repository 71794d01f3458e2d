//! Commenting and selling.

use alloc::format;

use loadstone_http::Response;
use loadstone_web::check::Complaints;
use loadstone_web::params::Params;

use super::account::{ask, identify, needs};
use super::browse::{find_category, find_item, find_user};
use crate::data::comments::{self, NewComment};
use crate::data::{catalogue, items};
use crate::failure::Failure;
use crate::model::{Item, Place};
use crate::page::forms::{self, Form};
use crate::page::{browse as pages, done};
use crate::reply::page;
use crate::site::Site;
use crate::validate;
use crate::visit::Visit;

const COMMENT: (&str, &str) = ("Comment", "PutCommentAuth");
const SELL: (&str, &str) = ("Sell", "Sell");

pub(super) fn comment_auth(
    site: &Site,
    visit: &Visit<'_>,
    (item, user): (i64, i64),
    response: &mut Response,
) -> Result<(), Failure> {
    find_item(site, item)?;
    let title = format!("Comment on {}", find_user(site, user)?.nickname);
    ask(site, visit, response, (&title, COMMENT.1), &format!("/items/{item}/comment/{user}"));
    Ok(())
}

pub(super) fn comment(
    site: &Site,
    visit: &mut Visit<'_>,
    (item, user): (i64, i64),
    response: &mut Response,
) -> Result<(), Failure> {
    let action = format!("/items/{item}/comment/{user}");
    if let Some(viewer) = identify(site, visit, response, COMMENT, &action)? {
        if let Some(sold) = sold(site, item)?
            && !comments::is_due(&site.db, &sold, (viewer.id, user), site.now())?
        {
            return Err(no_sale());
        }
        show_comment(site, visit, (item, user), response, (&Params::default(), &Complaints::new()))?;
    }
    Ok(())
}

pub(super) fn store_comment(
    site: &Site,
    visit: &mut Visit<'_>,
    (item, user): (i64, i64),
    response: &mut Response,
) -> Result<(), Failure> {
    let viewer = needs(visit)?;
    let sold = sold(site, item)?;
    let about = find_user(site, user)?;
    if user == viewer.id {
        return Err(Failure::refused("this would be a comment about yourself."));
    }
    match validate::comment(&visit.params) {
        Ok((rating, text)) => {
            let new = NewComment { from: viewer.id, to: user, item, rating, text: &text };
            if !comments::add(&site.db, &new, sold.as_ref(), site.now())? {
                return Err(no_sale());
            }
            page(site, visit, response, ("Comment stored", "StoreComment"), |html| {
                done::commented(html, user, &about.nickname);
            });
        }
        Err(wrong) => {
            show_comment(site, visit, (item, user), response, (&visit.params, &wrong))?;
            response.status(422);
        }
    }
    Ok(())
}

/// The auction that must have been a sale between the two, where the rules want one: the published workload
/// rates sellers of whom nobody has bought.
fn sold(site: &Site, item: i64) -> Result<Option<Item>, Failure> {
    let item = find_item(site, item)?;
    Ok(site.options.rules.are_public().then_some(item))
}

fn no_sale() -> Failure {
    Failure::refused("a comment needs a sale between the two of you, and each sale has one.")
}

fn show_comment(
    site: &Site,
    visit: &Visit<'_>,
    (item, user): (i64, i64),
    response: &mut Response,
    (params, wrong): (&Params<'_>, &Complaints),
) -> Result<(), Failure> {
    let (item, user) = (find_item(site, item)?, find_user(site, user)?);
    page(site, visit, response, ("Comment", "PutComment"), |html| {
        forms::comment(html, &Form { params, wrong, token: &visit.token }, &item, &user);
    });
    Ok(())
}

pub(super) fn sell_auth(site: &Site, visit: &Visit<'_>, response: &mut Response) {
    ask(site, visit, response, SELL, "/sell");
}

/// The categories, to sell in one of them.
pub(super) fn sell_categories(
    site: &Site,
    visit: &mut Visit<'_>,
    response: &mut Response,
) -> Result<(), Failure> {
    if identify(site, visit, response, SELL, "/sell")?.is_some() {
        let list = catalogue::categories(&site.db)?;
        page(site, visit, response, ("Sell", "SelectCategoryToSellItem"), |html| {
            pages::places(html, "In which category?", "/sell", &list);
        });
    }
    Ok(())
}

pub(super) fn sell_form(
    site: &Site,
    visit: &Visit<'_>,
    category: i64,
    response: &mut Response,
) -> Result<(), Failure> {
    needs(visit)?;
    let category = find_category(site, category)?;
    show_sell(site, visit, &category, response, (&Params::default(), &Complaints::new()));
    Ok(())
}

pub(super) fn register_item(
    site: &Site,
    visit: &mut Visit<'_>,
    category: i64,
    response: &mut Response,
) -> Result<(), Failure> {
    let viewer = needs(visit)?;
    let category = find_category(site, category)?;
    match validate::item(&visit.params) {
        Ok(new) => {
            let id = items::add(&site.db, &new, viewer.id, category.id, site.now())?;
            page(site, visit, response, ("Auction begun", "RegisterItem"), |html| {
                done::offered(html, id, &new.name);
            });
        }
        Err(wrong) => {
            show_sell(site, visit, &category, response, (&visit.params, &wrong));
            response.status(422);
        }
    }
    Ok(())
}

fn show_sell(
    site: &Site,
    visit: &Visit<'_>,
    category: &Place,
    response: &mut Response,
    (params, wrong): (&Params<'_>, &Complaints),
) {
    page(site, visit, response, ("Sell", "SellItemForm"), |html| {
        forms::sell(html, &Form { params, wrong, token: &visit.token }, category);
    });
}
