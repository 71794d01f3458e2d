//! Pages for what did not work.

use loadstone_web::html::{Html, html};

/// Title and sentence of a status.
pub(crate) fn words(status: u16) -> (&'static str, &'static str) {
    match status {
        400 => ("Bad request", "The server did not understand this request."),
        403 => (
            "Not allowed",
            "This is not yours to do, or the form was too old. Go back, reload the page and try again.",
        ),
        404 => ("Not found", "There is nothing here. It may have been deleted."),
        405 => ("Method not allowed", "This address does not do that."),
        422 => ("Not possible", "Something in this form cannot be right."),
        503 => ("Busy", "Too many people are writing at once. Please try again."),
        507 => ("Full", "There is no room left to keep this. Everything else goes on."),
        _ => ("Something broke", "The fault is ours. Please try again."),
    }
}

/// The page's content.
pub(crate) fn content(page: &mut Html, status: u16) {
    let (title, sentence) = words(status);
    html!(page, "<h1>", title, "</h1>\n<p>", sentence, "</p>\n<p><a href=\"/\">Back to the events</a></p>\n");
}
