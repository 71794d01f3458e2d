//! The log-in page.

use loadstone_web::field::{Field, line, token_field};
use loadstone_web::html::{Html, html};

/// The form; `username` is what was entered before.
pub(crate) fn content(page: &mut Html, username: &str, token: &str) {
    html!(
        page,
        "<h1>Login</h1>\n<form class=\"panel\" action=\"/users/login\" method=\"post\">\n<p>Login: your user name and password, please.</p>\n"
    );
    token_field(page, token);
    html!(page, "<div class=\"fields\">\n");
    let name = Field {
        name: "username",
        sent_as: "users[username]",
        label: "Username",
        value: username,
        max: 25,
        required: true,
        extra: " autocomplete=\"username\"",
    };
    line(page, &name, &[]);
    let password = Field {
        name: "password",
        sent_as: "users[password]",
        label: "Password",
        value: "",
        extra: " type=\"password\" autocomplete=\"current-password\"",
        ..name
    };
    line(page, &password, &[]);
    html!(page, "</div>\n<p class=\"actions\"><button name=\"submit\" value=\"Login\">Login</button>\n");
    html!(page, "<a href=\"/users/new\">Register instead</a></p>\n</form>\n");
}
