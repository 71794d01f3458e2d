//! Who are you? The pages before those that need to know.

use loadstone_web::field::{Field, line, token_field};
use loadstone_web::html::{Html, html};

use crate::model::Viewer;

/// A log-in form before something.
pub(crate) struct Auth<'a> {
    /// What comes after it, as a heading.
    pub title: &'a str,
    /// Where the form goes.
    pub action: &'a str,
    /// What was entered before.
    pub nickname: &'a str,
    /// What was wrong with it, as a sentence that goes on from "Sorry, ".
    pub trouble: Option<&'static str>,
}

pub(crate) fn form(page: &mut Html, auth: &Auth<'_>, viewer: Option<&Viewer>, token: &str) {
    html!(page, "<h1>", auth.title, "</h1>\n");
    if let Some(trouble) = auth.trouble {
        html!(page, "<p class=\"bad\" role=\"alert\">Sorry, ", trouble, "</p>\n");
    }
    if let Some(viewer) = viewer {
        html!(page, "<form class=\"panel\" action=\"", auth.action, "\" method=\"post\">\n");
        token_field(page, token);
        html!(page, "<p class=\"actions\"><button>Go on as ", viewer.nickname, "</button></p>\n</form>\n");
    }
    html!(page, "<form class=\"panel\" action=\"", auth.action, "\" method=\"post\">\n");
    html!(page, "<p>Your nickname and password, please.</p>\n");
    token_field(page, token);
    html!(page, "<div class=\"fields\">\n");
    let nickname = Field {
        name: "nickname",
        sent_as: "nickname",
        label: "Nickname",
        value: auth.nickname,
        max: 20,
        required: true,
        extra: " autocomplete=\"username\"",
    };
    line(page, &nickname, &[]);
    let password = Field {
        name: "password",
        sent_as: "password",
        label: "Password",
        value: "",
        max: 64,
        extra: " type=\"password\" autocomplete=\"current-password\"",
        ..nickname
    };
    line(page, &password, &[]);
    html!(page, "</div>\n<p class=\"actions\"><button>Log in</button>\n");
    html!(page, "<a href=\"/register\">Register instead</a></p>\n</form>\n");
}
