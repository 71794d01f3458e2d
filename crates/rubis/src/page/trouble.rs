//! Pages for what did not work. The workload's content rules look for their first words.

use loadstone_web::html::{Html, html};

/// Title and sentence of a status.
pub(crate) fn words(status: u16) -> (&'static str, &'static str) {
    match status {
        400 => ("Bad request", "The server did not understand this request."),
        403 => ("Not allowed", "This form was too old. Go back, reload the page and try again."),
        404 => ("Not found", "There is no such page."),
        405 => ("Method not allowed", "This address does not do that."),
        503 => ("Busy", "Too many people are writing at once. Please try again."),
        507 => ("Full", "There is no room left to keep this. Everything else goes on."),
        _ => ("Something broke", "The fault is ours. Please try again."),
    }
}

/// An error: the request could not be served.
pub(crate) fn error(page: &mut Html, title: &str, sentence: &str) {
    html!(
        page,
        "<h1>ERROR: ",
        title,
        "</h1>\n<p>",
        sentence,
        "</p>\n<p><a href=\"/\">To the home page</a></p>\n"
    );
}

/// A refusal: understood, and it cannot be done.
pub(crate) fn sorry(page: &mut Html, sentence: &str) {
    html!(page, "<h1>Sorry</h1>\n<p class=\"bad\">Sorry, ", sentence, "</p>\n");
    html!(page, "<p><a href=\"/browse\">Browse the auctions</a></p>\n");
}
