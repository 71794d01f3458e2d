//! What the routes do: read, change, and choose the answer.

mod account;
mod browse;
mod trade;
mod writing;

use loadstone_http::Response;

use crate::failure::Failure;
use crate::route::Route;
use crate::site::Site;
use crate::visit::Visit;

/// Answers a request that changes nothing.
pub(crate) fn show(
    site: &Site,
    visit: &Visit<'_>,
    route: Route,
    response: &mut Response,
) -> Result<(), Failure> {
    match route {
        Route::Home => browse::home(site, visit, response),
        Route::Browse => browse::browse(site, visit, response),
        Route::BrowseCategories => browse::categories(site, visit, response)?,
        Route::SearchItemsInCategory(category) => browse::category(site, visit, category, response)?,
        Route::BrowseRegions => browse::regions(site, visit, response)?,
        Route::BrowseCategoriesInRegion(region) => browse::region(site, visit, region, response)?,
        Route::SearchItemsInRegion(region, category) => {
            browse::region_category(site, visit, (region, category), response)?;
        }
        Route::ViewItem(item) => browse::item(site, visit, item, response)?,
        Route::ViewBidHistory(item) => browse::history(site, visit, item, response)?,
        Route::ViewUserInfo(user) => browse::user(site, visit, user, response)?,
        Route::Register => account::register_form(site, visit, response)?,
        Route::AboutMeAuth => account::about_auth(site, visit, response),
        Route::BuyNowAuth(item) => trade::auth(site, visit, (&trade::BUY, item), response)?,
        Route::PutBidAuth(item) => trade::auth(site, visit, (&trade::BID, item), response)?,
        Route::PutCommentAuth(item, user) => writing::comment_auth(site, visit, (item, user), response)?,
        Route::Sell => writing::sell_auth(site, visit, response),
        Route::SellItemForm(category) => writing::sell_form(site, visit, category, response)?,
        // All others are forms that were sent.
        _ => return Err(Failure::MethodNotAllowed("POST")),
    }
    Ok(())
}

/// Answers a form that was sent with its token.
pub(crate) fn change(
    site: &Site,
    visit: &mut Visit<'_>,
    route: Route,
    response: &mut Response,
) -> Result<(), Failure> {
    match route {
        Route::RegisterUser => account::register(site, visit, response),
        Route::AboutMe => account::about(site, visit, response),
        Route::Logout => account::logout(site, visit, response),
        Route::BuyNow(item) => trade::enter(site, visit, (&trade::BUY, item), response),
        Route::StoreBuyNow(item) => trade::store_buy(site, visit, item, response),
        Route::PutBid(item) => trade::enter(site, visit, (&trade::BID, item), response),
        Route::StoreBid(item) => trade::store_bid(site, visit, item, response),
        Route::PutComment(item, user) => writing::comment(site, visit, (item, user), response),
        Route::StoreComment(item, user) => writing::store_comment(site, visit, (item, user), response),
        Route::SelectCategoryToSellItem => writing::sell_categories(site, visit, response),
        Route::RegisterItem(category) => writing::register_item(site, visit, category, response),
        // All others are pages that are looked at.
        _ => Err(Failure::MethodNotAllowed("GET, HEAD")),
    }
}
