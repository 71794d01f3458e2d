//! Which request means what. A route has the name of its state in RUBiS's transition tables.

use loadstone_http::Method;

use crate::failure::Failure;

/// A page or an action. Numbers are ids from the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Route {
    Home,
    Register,
    RegisterUser,
    Browse,
    BrowseCategories,
    SearchItemsInCategory(i64),
    BrowseRegions,
    BrowseCategoriesInRegion(i64),
    /// Region and category.
    SearchItemsInRegion(i64, i64),
    ViewItem(i64),
    ViewUserInfo(i64),
    ViewBidHistory(i64),
    BuyNowAuth(i64),
    BuyNow(i64),
    StoreBuyNow(i64),
    PutBidAuth(i64),
    PutBid(i64),
    StoreBid(i64),
    /// Item and the user that the comment is about.
    PutCommentAuth(i64, i64),
    PutComment(i64, i64),
    StoreComment(i64, i64),
    Sell,
    SelectCategoryToSellItem,
    SellItemForm(i64),
    RegisterItem(i64),
    AboutMeAuth,
    AboutMe,
    Logout,
}

/// Longest path, in segments.
const SEGMENTS: usize = 5;

impl Route {
    /// The route of a method and a path. HEAD has become GET before.
    pub(crate) fn find(method: Method, path: &str) -> Result<Self, Failure> {
        let mut segments = [""; SEGMENTS];
        let mut count = 0;
        for segment in path.strip_prefix('/').unwrap_or(path).split('/') {
            *segments.get_mut(count).ok_or(Failure::NotFound)? = segment;
            count += 1;
        }
        match segments[..count] {
            [""] => get(method, Self::Home),
            ["register"] => both(method, Self::Register, Self::RegisterUser),
            ["browse"] => get(method, Self::Browse),
            ["categories"] => get(method, Self::BrowseCategories),
            ["categories", category] => get(method, Self::SearchItemsInCategory(id(category)?)),
            ["regions"] => get(method, Self::BrowseRegions),
            ["regions", region] => get(method, Self::BrowseCategoriesInRegion(id(region)?)),
            ["regions", region, "categories", category] => {
                get(method, Self::SearchItemsInRegion(id(region)?, id(category)?))
            }
            ["users", user] => get(method, Self::ViewUserInfo(id(user)?)),
            ["items", item, ..] => Self::item(method, id(item)?, &segments[2..count]),
            ["sell"] => both(method, Self::Sell, Self::SelectCategoryToSellItem),
            ["sell", category] => {
                let category = id(category)?;
                both(method, Self::SellItemForm(category), Self::RegisterItem(category))
            }
            ["me"] => both(method, Self::AboutMeAuth, Self::AboutMe),
            ["logout"] => post(method, Self::Logout),
            _ => Err(Failure::NotFound),
        }
    }

    fn item(method: Method, item: i64, rest: &[&str]) -> Result<Self, Failure> {
        match *rest {
            [] => get(method, Self::ViewItem(item)),
            ["bids"] => get(method, Self::ViewBidHistory(item)),
            ["buy"] => both(method, Self::BuyNowAuth(item), Self::BuyNow(item)),
            ["buy", "store"] => post(method, Self::StoreBuyNow(item)),
            ["bid"] => both(method, Self::PutBidAuth(item), Self::PutBid(item)),
            ["bid", "store"] => post(method, Self::StoreBid(item)),
            ["comment", user] => {
                let user = id(user)?;
                both(method, Self::PutCommentAuth(item, user), Self::PutComment(item, user))
            }
            ["comment", user, "store"] => post(method, Self::StoreComment(item, id(user)?)),
            _ => Err(Failure::NotFound),
        }
    }
}

fn get(method: Method, route: Route) -> Result<Route, Failure> {
    if method == Method::Get { Ok(route) } else { Err(Failure::MethodNotAllowed("GET, HEAD")) }
}

fn post(method: Method, route: Route) -> Result<Route, Failure> {
    if method == Method::Post { Ok(route) } else { Err(Failure::MethodNotAllowed("POST")) }
}

fn both(method: Method, shown: Route, sent: Route) -> Result<Route, Failure> {
    match method {
        Method::Get => Ok(shown),
        Method::Post => Ok(sent),
        _ => Err(Failure::MethodNotAllowed("GET, HEAD, POST")),
    }
}

/// An id as the pages write it.
fn id(text: &str) -> Result<i64, Failure> {
    let plain = !text.starts_with('0') && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|_| plain).ok_or(Failure::NotFound)
}
