//! Pages to look at.

use alloc::format;

use loadstone_http::Response;

use crate::data::{bids, catalogue, comments, items, users};
use crate::failure::Failure;
use crate::model::{Item, Place, User};
use crate::page::{browse as pages, home as front, item as auction, user as person};
use crate::reply::page;
use crate::site::Site;
use crate::visit::Visit;

pub(super) fn home(site: &Site, visit: &Visit<'_>, response: &mut Response) {
    page(site, visit, response, ("Home", "Home"), front::home);
}

pub(super) fn browse(site: &Site, visit: &Visit<'_>, response: &mut Response) {
    page(site, visit, response, ("Browse", "Browse"), front::browse);
}

pub(super) fn categories(site: &Site, visit: &Visit<'_>, response: &mut Response) -> Result<(), Failure> {
    let list = catalogue::categories(&site.db)?;
    page(site, visit, response, ("Categories", "BrowseCategories"), |html| {
        pages::places(html, "Categories", "/categories", &list);
    });
    Ok(())
}

pub(super) fn regions(site: &Site, visit: &Visit<'_>, response: &mut Response) -> Result<(), Failure> {
    let list = catalogue::regions(&site.db)?;
    page(site, visit, response, ("Regions", "BrowseRegions"), |html| {
        pages::places(html, "Regions", "/regions", &list);
    });
    Ok(())
}

/// The categories, to search in one region.
pub(super) fn region(
    site: &Site,
    visit: &Visit<'_>,
    region: i64,
    response: &mut Response,
) -> Result<(), Failure> {
    let region = find_region(site, region)?;
    let list = catalogue::categories(&site.db)?;
    let title = format!("Categories in {}", region.name);
    page(site, visit, response, (&title, "BrowseCategoriesInRegion"), |html| {
        pages::places(html, &title, &format!("/regions/{}/categories", region.id), &list);
    });
    Ok(())
}

pub(super) fn category(
    site: &Site,
    visit: &Visit<'_>,
    category: i64,
    response: &mut Response,
) -> Result<(), Failure> {
    let (at, now) = (visit.params.page(), site.now());
    let category = find_category(site, category)?;
    let found = items::of_category(&site.db, category.id, now, at)?;
    page(site, visit, response, (&category.name, "SearchItemsInCategory"), |html| {
        pages::found(html, &category.name, at, &found, now);
    });
    Ok(())
}

pub(super) fn region_category(
    site: &Site,
    visit: &Visit<'_>,
    (region, category): (i64, i64),
    response: &mut Response,
) -> Result<(), Failure> {
    let (at, now) = (visit.params.page(), site.now());
    let (region, category) = (find_region(site, region)?, find_category(site, category)?);
    let found = items::of_region(&site.db, region.id, category.id, now, at)?;
    let title = format!("{} from {}", category.name, region.name);
    page(site, visit, response, (&title, "SearchItemsInRegion"), |html| {
        pages::found(html, &title, at, &found, now);
    });
    Ok(())
}

pub(super) fn item(site: &Site, visit: &Visit<'_>, id: i64, response: &mut Response) -> Result<(), Failure> {
    let item = find_item(site, id)?;
    let bids = bids::of_item(&site.db, id, 1)?;
    page(site, visit, response, (&item.name, "ViewItem"), |html| {
        auction::item(html, &item, &bids, site.now());
    });
    Ok(())
}

pub(super) fn history(
    site: &Site,
    visit: &Visit<'_>,
    id: i64,
    response: &mut Response,
) -> Result<(), Failure> {
    let (item, at) = (find_item(site, id)?, visit.params.page());
    let bids = bids::of_item(&site.db, id, at)?;
    page(site, visit, response, ("Bids", "ViewBidHistory"), |html| auction::history(html, &item, at, &bids));
    Ok(())
}

pub(super) fn user(site: &Site, visit: &Visit<'_>, id: i64, response: &mut Response) -> Result<(), Failure> {
    let (user, at) = (find_user(site, id)?, visit.params.page());
    let said = comments::about(&site.db, id, at)?;
    page(site, visit, response, (&user.nickname, "ViewUserInfo"), |html| {
        person::user(html, &user, at, &said);
    });
    Ok(())
}

pub(super) fn find_item(site: &Site, id: i64) -> Result<Item, Failure> {
    items::find(&site.db, id)?.ok_or_else(|| Failure::no_such("there is no such item."))
}

pub(super) fn find_user(site: &Site, id: i64) -> Result<User, Failure> {
    users::find(&site.db, id)?.ok_or_else(|| Failure::no_such("there is no such user."))
}

pub(super) fn find_category(site: &Site, id: i64) -> Result<Place, Failure> {
    catalogue::category(&site.db, id)?.ok_or_else(|| Failure::no_such("there is no such category."))
}

fn find_region(site: &Site, id: i64) -> Result<Place, Failure> {
    catalogue::region(&site.db, id)?.ok_or_else(|| Failure::no_such("there is no such region."))
}
