//! The sections of an event page that answer Ajax requests on their own.

use loadstone_web::field::{method_field, token_field};
use loadstone_web::html::{Html, InUrl, html};

use super::event_list::size_percent;
use crate::model::{Attendees, Comment, TagCount, Viewer};

const STARS: [&str; 6] = ["☆☆☆☆☆", "★☆☆☆☆", "★★☆☆☆", "★★★☆☆", "★★★★☆", "★★★★★"];

/// Who attends, and the button that joins or leaves.
pub(crate) fn attendees(page: &mut Html, event: i64, list: &Attendees, viewer: Option<&Viewer>, token: &str) {
    html!(page, "<section class=\"panel\" id=\"attendees\">\n<h2>Attendees (", list.count, ")</h2>\n");
    let own = usize::from(list.viewer_attends);
    if list.count == 0 {
        html!(page, "<p class=\"quiet\">Nobody yet.</p>\n");
    } else {
        html!(page, "<ul class=\"names\">\n");
        if let (true, Some(viewer)) = (list.viewer_attends, viewer) {
            html!(
                page,
                "<li class=\"self\"><a href=\"/users/",
                viewer.id,
                "\">",
                viewer.username,
                "</a></li>\n"
            );
        }
        for person in list.others.iter().take(Attendees::SHOWN - own) {
            html!(page, "<li><a href=\"/users/", person.id, "\">", person.username, "</a></li>\n");
        }
        html!(page, "</ul>\n");
        let shown = own + list.others.len().min(Attendees::SHOWN - own);
        if list.count > shown as i64 {
            html!(page, "<p class=\"quiet\">and ", list.count - shown as i64, " more</p>\n");
        }
    }
    if viewer.is_some() {
        let (verb, label) = if list.viewer_attends { ("unattend", "Unattend") } else { ("attend", "Attend") };
        html!(
            page,
            "<form action=\"/events/",
            event,
            "/",
            verb,
            "\" method=\"post\" data-fragment=\"attendees\">\n"
        );
        token_field(page, token);
        if list.viewer_attends {
            html!(
                page,
                "<p>You are attending. <button class=\"plain small\">",
                label,
                "</button></p>\n</form>\n"
            );
        } else {
            html!(page, "<p><button>", label, "</button></p>\n</form>\n");
        }
    }
    html!(page, "</section>\n");
}

/// The tags, sized by use, and a form for more.
pub(crate) fn tags(page: &mut Html, event: i64, tags: &[TagCount], viewer: Option<&Viewer>, token: &str) {
    html!(page, "<section class=\"panel\" id=\"tags\">\n<h2>Tags</h2>\n");
    if tags.is_empty() {
        html!(page, "<p class=\"quiet\">No tags yet.</p>\n");
    } else {
        let least = tags.iter().map(|tag| tag.count).min().unwrap_or(0);
        let most = tags.iter().map(|tag| tag.count).max().unwrap_or(0);
        html!(page, "<ul class=\"cloud\">\n");
        for TagCount { name, count } in tags {
            html!(page, "<li style=\"font-size:", size_percent(*count, least, most), "%\">");
            html!(page, "<a href=\"/events/tagged?tag=", InUrl(name), "\">", name, "</a></li>\n");
        }
        html!(page, "</ul>\n");
    }
    if viewer.is_some() {
        html!(
            page,
            "<form class=\"search actions\" action=\"/events/",
            event,
            "/tag\" method=\"post\" data-fragment=\"tags\">\n"
        );
        method_field(page, "put");
        token_field(page, token);
        html!(page, "<label class=\"unseen\" for=\"tag-list\">More tags</label>\n");
        html!(
            page,
            "<input id=\"tag-list\" name=\"tag_list\" maxlength=\"250\" placeholder=\"More tags\" required>\n"
        );
        html!(page, "<button class=\"plain\">Add</button>\n</form>\n");
    }
    html!(page, "</section>\n");
}

/// All comments, and a form for another.
pub(crate) fn comments(page: &mut Html, event: i64, list: &[Comment], viewer: Option<&Viewer>, token: &str) {
    html!(page, "<section class=\"panel\" id=\"comments\">\n<h2>Comments (", list.len(), ")</h2>\n");
    if list.is_empty() {
        html!(page, "<p class=\"quiet\">No comments yet.</p>\n");
    } else {
        html!(page, "<ol class=\"comments\">\n");
        for comment in list {
            self::comment(page, event, comment, viewer, token);
        }
        html!(page, "</ol>\n");
    }
    if viewer.is_some() {
        html!(
            page,
            "<form action=\"/events/",
            event,
            "/comments\" method=\"post\" data-fragment=\"comments\">\n"
        );
        token_field(page, token);
        comment_fields(page, "", 0);
        html!(page, "<button>Add comment</button>\n</form>\n");
    } else {
        html!(page, "<p><a href=\"/users/login\">Login to leave a comment</a></p>\n");
    }
    html!(page, "</section>\n");
}

fn comment(page: &mut Html, event: i64, comment: &Comment, viewer: Option<&Viewer>, token: &str) {
    let rating = comment.rating.clamp(0, 5);
    html!(
        page,
        "<li id=\"comment-",
        comment.id,
        "\">\n<p class=\"by\"><a href=\"/users/",
        comment.author_id,
        "\">"
    );
    html!(
        page,
        comment.author,
        "</a> <span class=\"stars\" role=\"img\" aria-label=\"",
        rating,
        " of 5 stars\">"
    );
    html!(page, STARS[rating as usize], "</span> <span class=\"quiet\">", comment.created, "</span></p>\n");
    html!(page, "<p class=\"text\">", comment.text, "</p>\n");
    if viewer.is_some_and(|viewer| viewer.id == comment.author_id) {
        let target = (event, comment.id);
        html!(page, "<form class=\"actions\" action=\"/events/", target.0, "/comments/", target.1);
        html!(page, "\" method=\"post\" data-fragment=\"comments\">\n");
        method_field(page, "delete");
        token_field(page, token);
        html!(
            page,
            "<a class=\"button plain small\" href=\"/events/",
            target.0,
            "/comments/",
            target.1,
            "/edit\">Edit</a>\n"
        );
        html!(
            page,
            "<button class=\"plain small\" data-confirm=\"Delete this comment?\">Delete</button>\n</form>\n"
        );
    }
    html!(page, "</li>\n");
}

/// Stars and text of a comment; `rating` 0 leaves the stars open.
pub(crate) fn comment_fields(page: &mut Html, text: &str, rating: i64) {
    html!(page, "<fieldset class=\"rate\">\n<legend>Your rating</legend>\n<div>\n");
    // From five to one, so that style sheets can light every star up to the one that is chosen.
    for star in (1..=5_i64).rev() {
        html!(page, "<input type=\"radio\" name=\"rating\" id=\"star-", star, "\" value=\"", star, "\"");
        if star == rating {
            html!(page, " checked");
        }
        html!(
            page,
            " required><label for=\"star-",
            star,
            "\">★<span class=\"unseen\">",
            star,
            " of 5</span></label>\n"
        );
    }
    html!(
        page,
        "</div>\n</fieldset>\n<div class=\"field\">\n<label for=\"f-comment\">Your comment</label>\n"
    );
    html!(
        page,
        "<textarea id=\"f-comment\" name=\"comment\" maxlength=\"2500\" required>\n",
        text,
        "</textarea>\n</div>\n"
    );
}
