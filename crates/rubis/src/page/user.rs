//! A user, and what others say about them.

use loadstone_web::html::{Html, html};

use super::list;
use crate::model::{Comment, User};

pub(crate) fn user(page: &mut Html, user: &User, at: u32, comments: &[Comment]) {
    html!(page, "<h1>", user.nickname, "</h1>\n<dl>\n<dt>Rating</dt><dd>", user.rating, "</dd>\n");
    html!(
        page,
        "<dt>Region</dt><dd>",
        user.region,
        "</dd>\n<dt>Member since</dt><dd>",
        user.since.day,
        "</dd>\n"
    );
    html!(page, "</dl>\n<h2>Comments about ", user.nickname, "</h2>\n");
    let (shown, more) = list::split(comments);
    said(page, shown);
    list::pager(page, at, more);
}

/// Comments, one after the other.
pub(super) fn said(page: &mut Html, comments: &[Comment]) {
    if comments.is_empty() {
        html!(page, "<p>There are no comments yet.</p>\n");
    }
    for comment in comments {
        html!(
            page,
            "<article class=\"comment\">\n<p><a href=\"/users/",
            comment.from,
            "\">",
            comment.nickname
        );
        html!(
            page,
            "</a>, ",
            comment.date.day,
            ", about <a href=\"/items/",
            comment.item,
            "\">item ",
            comment.item
        );
        html!(
            page,
            "</a>, rating ",
            comment.rating,
            "</p>\n<p class=\"text\">",
            comment.text,
            "</p>\n</article>\n"
        );
    }
}
