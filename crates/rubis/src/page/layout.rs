//! What stands around every page: head, navigation, footer.

use loadstone_web::dates::Moment;
use loadstone_web::field::token_field;
use loadstone_web::html::{Html, html};

use crate::model::Viewer;
use crate::statics::PREFIX;

/// What a page needs besides its own content.
pub(crate) struct Frame<'a> {
    /// Title of the page, without the site's name.
    pub title: &'a str,
    /// The state's name in the transition tables, `sorry` or `error`; stands in `data-page`.
    pub kind: &'static str,
    /// Who looks at it.
    pub viewer: Option<&'a Viewer>,
    /// Token of the forms.
    pub token: &'a str,
    /// The minute it is on the site.
    pub now: Moment,
}

/// Lays out a whole page; `content` writes what stands in `<main>`.
pub(crate) fn page(page: &mut Html, frame: &Frame<'_>, content: impl FnOnce(&mut Html)) {
    html!(page, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    html!(page, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    html!(page, "<title>", frame.title, " · RUBiS</title>\n<link rel=\"stylesheet\" href=\"", PREFIX);
    html!(page, "style.css\">\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the content</a>\n");
    header(page, frame);
    html!(page, "<main id=\"main\" data-page=\"", frame.kind, "\">\n");
    content(page);
    html!(page, "</main>\n<footer class=\"foot\"><p>RUBiS auctions: prices in dollars, times of the site: ");
    html!(page, frame.now, "</p></footer>\n</body>\n</html>\n");
}

fn header(page: &mut Html, frame: &Frame<'_>) {
    html!(page, "<header class=\"top\">\n<a class=\"brand\" href=\"/\">");
    picture(page, "hammer.svg", 32);
    html!(page, "RUBiS</a>\n<nav aria-label=\"Main\">\n<a href=\"/browse\">");
    picture(page, "search.svg", 18);
    html!(page, "Browse</a>\n<a href=\"/sell\">");
    picture(page, "tag.svg", 18);
    html!(page, "Sell</a>\n<a href=\"/me\">About me</a>\n");
    match frame.viewer {
        Some(viewer) => {
            html!(page, "</nav>\n<form class=\"who\" action=\"/logout\" method=\"post\">\n");
            token_field(page, frame.token);
            html!(page, "<a href=\"/users/", viewer.id, "\">", viewer.nickname, "</a>\n");
            html!(page, "<button class=\"plain\">Log out</button>\n</form>\n");
        }
        None => html!(page, "<a href=\"/register\">Register</a>\n</nav>\n"),
    }
    html!(page, "</header>\n");
}

/// A decorative picture; words always stand beside it.
fn picture(page: &mut Html, name: &str, size: u32) {
    html!(page, "<img src=\"", PREFIX, name, "\" width=\"", size, "\" height=\"", size, "\" alt=\"\">");
}
