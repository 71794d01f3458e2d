//! What stands around every page: head, navigation, message, side column, footer.

use loadstone_web::dates::Day;
use loadstone_web::field::token_field;
use loadstone_web::html::{Html, Show, html};

use super::assets;
use super::calendar::{self, Month};
use crate::message::Message;
use crate::model::{EventLink, Viewer};

/// What a page needs besides its own content.
pub(crate) struct Frame<'a> {
    /// Title of the page, without the site's name.
    pub title: &'a str,
    /// What kind of page it is; stands in `data-page`.
    pub kind: &'static str,
    /// Names exactly what the page shows; stands in `data-key`, so that a client can check that it got
    /// the list or the thing that it asked for.
    pub key: &'a str,
    /// Who looks at it.
    pub viewer: Option<&'a Viewer>,
    /// Token of the forms.
    pub token: &'a str,
    /// What has just happened.
    pub message: Option<Message>,
    /// The virtual today.
    pub today: Day,
    /// The month that the calendar shows.
    pub month: Month,
}

/// Lays out a whole page; `content` writes what stands in `<main>`.
pub(crate) fn page(page: &mut Html, frame: &Frame<'_>, content: impl FnOnce(&mut Html)) {
    head(page, frame);
    html!(page, "<body>\n<a class=\"skip\" href=\"#main\">Skip to the content</a>\n");
    header(page, frame);
    if let Some(message) = frame.message {
        let class = if message.is_bad() { "message bad" } else { "message" };
        html!(page, "<p class=\"", class, "\" id=\"message\" role=\"status\">", message.text(), "</p>\n");
    }
    html!(page, "<div class=\"page\">\n");
    html!(page, "<main id=\"main\" data-page=\"", frame.kind, "\" data-key=\"", frame.key, "\">\n");
    content(page);
    html!(page, "</main>\n");
    side(page, frame);
    html!(page, "</div>\n<footer class=\"foot\">\n<div class=\"bar\">\n");
    assets::footer(page);
    html!(page, "</div>\n</footer>\n</body>\n</html>\n");
}

fn head(page: &mut Html, frame: &Frame<'_>) {
    html!(page, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    html!(page, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    html!(page, "<title>", frame.title, " · Olio</title>\n");
    html!(
        page,
        "<link rel=\"alternate\" type=\"application/rss+xml\" title=\"Newest events\" href=\"/events/rss\">\n"
    );
    assets::links(page);
    html!(page, "</head>\n");
}

fn header(page: &mut Html, frame: &Frame<'_>) {
    html!(page, "<header class=\"top\">\n<div class=\"bar\">\n<a class=\"brand\" href=\"/\">");
    assets::icon(page, "brand.png", 32);
    html!(page, "Olio</a>\n<nav class=\"nav\" aria-label=\"Main\">\n");
    nav_link(page, frame, "/", "home", "Home");
    if let Some(viewer) = frame.viewer {
        nav_link(page, frame, "/events/new", "event-new", "Add Event");
        nav_link(page, frame, "/users", "people", "Users");
        nav_link(page, frame, &alloc::format!("/users/{}/edit", viewer.id), "profile", "Edit Profile");
    } else {
        nav_link(page, frame, "/users/new", "register", "Register");
    }
    html!(page, "</nav>\n");
    if frame.viewer.is_none() && frame.kind != "login" {
        inline_login(page, frame.token);
    }
    html!(page, "</div>\n</header>\n");
}

fn nav_link(page: &mut Html, frame: &Frame<'_>, path: &str, kind: &str, label: &str) {
    html!(page, "<a href=\"", path, "\"");
    if frame.kind == kind {
        html!(page, " aria-current=\"page\"");
    }
    html!(page, ">", label, "</a>\n");
}

fn inline_login(page: &mut Html, token: &str) {
    html!(page, "<form class=\"login\" action=\"/users/login\" method=\"post\">\n<p>Login:</p>\n");
    token_field(page, token);
    html!(page, "<div class=\"field\"><label for=\"login-name\">Username</label>");
    html!(
        page,
        "<input id=\"login-name\" name=\"users[username]\" maxlength=\"25\" autocomplete=\"username\" required></div>\n"
    );
    html!(page, "<div class=\"field\"><label for=\"login-password\">Password</label>");
    html!(page, "<input id=\"login-password\" name=\"users[password]\" type=\"password\" maxlength=\"25\" ");
    html!(page, "autocomplete=\"current-password\" required></div>\n");
    html!(page, "<button name=\"submit\" value=\"Login\">Login</button>\n</form>\n");
}

fn side(page: &mut Html, frame: &Frame<'_>) {
    html!(page, "<aside aria-label=\"Your Olio\">\n<section class=\"panel\">\n");
    match frame.viewer {
        Some(viewer) => {
            html!(page, "<p>Hello <a href=\"/users/", viewer.id, "\">", viewer.username, "</a> ");
            html!(page, "(<a href=\"/users/logout\">Logout</a>)</p>\n");
            upcoming(page, viewer);
        }
        None => html!(page, "<p>Not logged in</p>\n"),
    }
    html!(page, "</section>\n");
    calendar::section(page, frame.month, frame.today);
    html!(page, "<section class=\"panel\">\n<h2>Search by tag</h2>\n");
    html!(page, "<form class=\"search\" action=\"/events/tag_search\" method=\"get\" role=\"search\">\n");
    html!(page, "<label class=\"unseen\" for=\"tag-search\">Tag</label>\n");
    html!(page, "<input id=\"tag-search\" name=\"tag\" maxlength=\"30\" placeholder=\"Tag\" required>\n");
    html!(
        page,
        "<button class=\"plain\" name=\"submit\" value=\"Search Tags\">Search</button>\n</form>\n</section>\n</aside>\n"
    );
}

fn upcoming(page: &mut Html, viewer: &Viewer) {
    html!(page, "<h2>Your next events</h2>\n");
    if viewer.upcoming.is_empty() {
        html!(page, "<p class=\"quiet\">None yet: find one you like and attend.</p>\n");
    } else {
        html!(page, "<ul class=\"next\">\n");
        for EventLink { id, title, when } in &viewer.upcoming {
            html!(page, "<li><a href=\"/events/", *id, "\">", title, "</a><br><span class=\"quiet\">");
            when.day.show(page);
            html!(page, "</span></li>\n");
        }
        html!(page, "</ul>\n<p><a href=\"/users/", viewer.id, "/upcoming_events\">more</a></p>\n");
    }
    if viewer.requests > 0 {
        html!(page, "<p><a href=\"/users/", viewer.id, "/requests\">friendship requests (");
        html!(page, viewer.requests, ")</a></p>\n");
    }
}
