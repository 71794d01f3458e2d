//! What the routes do: read, change, and choose the answer.
//!
//! An action that a script asked for (an `Accept` field that names `text/javascript`) answers the changed
//! section of the page; otherwise it sends the browser to the page that shows the change.

mod comments;
mod events;
pub(crate) mod files;
mod friends;
mod home;
mod people;
mod session;

use loadstone_http::Response;

use crate::failure::Failure;
use crate::route::Route;
use crate::site::Site;
use crate::visit::Visit;

/// Answers a request.
pub(crate) fn answer(
    site: &Site,
    visit: &Visit<'_>,
    route: Route<'_>,
    response: &mut Response,
) -> Result<(), Failure> {
    match route {
        Route::Home => home::home(site, visit, response),
        Route::Tagged(path) => home::tagged(site, visit, path, response),
        Route::Calendar => home::calendar(site, visit, response),
        Route::Rss => home::feed(site, visit, response),
        Route::Geocode => home::geocode(visit, response),
        Route::LoginForm => session::form(site, visit, response),
        Route::Login => session::login(site, visit, response),
        Route::Logout => session::logout(site, visit, response),
        Route::Event(id) => events::show(site, visit, id, response),
        Route::EventNew => events::new(site, visit, response),
        Route::EventCreate => events::create(site, visit, response),
        Route::EventEdit(id) => events::edit(site, visit, id, response),
        Route::EventUpdate(id) => events::update(site, visit, id, response),
        Route::EventDelete(id) => events::delete(site, visit, id, response),
        Route::Attend(id) => events::attend(site, visit, id, true, response),
        Route::Unattend(id) => events::attend(site, visit, id, false, response),
        Route::AddTags(id) => events::add_tags(site, visit, id, response),
        Route::CommentCreate(event) => comments::create(site, visit, event, response),
        Route::CommentEdit(event, id) => comments::edit(site, visit, (event, id), response),
        Route::CommentUpdate(event, id) => comments::update(site, visit, (event, id), response),
        Route::CommentDelete(event, id) => comments::delete(site, visit, (event, id), response),
        Route::People => people::search(site, visit, response),
        Route::PersonNew => people::new(site, visit, response),
        Route::PersonCreate => people::create(site, visit, response),
        Route::CheckName => people::check_name(site, visit, response),
        Route::Person(id) => people::show(site, visit, id, response),
        Route::PersonEdit(id) => people::edit(site, visit, id, response),
        Route::PersonUpdate(id) => people::update(site, visit, id, response),
        Route::PersonDelete(id) => people::delete(site, visit, id, response),
        Route::Posted(id) => people::posted(site, visit, id, response),
        Route::Upcoming(id) => people::upcoming(site, visit, id, response),
        Route::Friends(id) => friends::list(site, visit, id, response),
        Route::Requests(id) => friends::requests(site, visit, id, response),
        Route::FriendRequest(id) => friends::request(site, visit, id, response),
        Route::FriendApprove(id, friend) => friends::approve(site, visit, (id, friend), response),
        Route::FriendEnd(id, friend) => friends::end(site, visit, (id, friend), response),
        // Files are answered before there is a visit.
        Route::Media(_) | Route::Static => Err(Failure::NotFound),
    }
}
