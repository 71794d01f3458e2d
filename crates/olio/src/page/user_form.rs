//! Registering, and editing a profile.

use loadstone_web::field::{Field, Wrong, area, file, line, method_field, token_field};
use loadstone_web::html::{Html, html};

use super::event_form::address;
use crate::model::{Address, Person};

/// The form. `person` holds what to show in the fields; its id is 0 while nobody is registered yet.
pub(crate) fn content(page: &mut Html, person: &Person, wrong: &Wrong, token: &str) {
    let registering = person.id == 0;
    html!(page, "<h1>", if registering { "Register" } else { "Edit profile" }, "</h1>\n");
    html!(page, "<form action=\"/users");
    if !registering {
        html!(page, "/", person.id);
    }
    html!(page, "\" method=\"post\" enctype=\"multipart/form-data\">\n");
    if !registering {
        method_field(page, "put");
    }
    token_field(page, token);
    account(page, person, wrong, registering);
    about(page, person, wrong);
    address(page, &person.address, wrong);
    let label = if registering { "Register" } else { "Save" };
    html!(
        page,
        "<p class=\"actions\"><button name=\"submit\" value=\"",
        label,
        "\">",
        label,
        "</button></p>\n</form>\n"
    );
    if !registering {
        html!(
            page,
            "<form class=\"actions\" id=\"delete\" action=\"/users/",
            person.id,
            "\" method=\"post\">\n"
        );
        method_field(page, "delete");
        token_field(page, token);
        html!(
            page,
            "<button class=\"plain\" data-confirm=\"Delete your account with all your events and comments?\">"
        );
        html!(page, "Delete account</button>\n</form>\n");
    }
}

fn account(page: &mut Html, person: &Person, wrong: &Wrong, registering: bool) {
    html!(page, "<fieldset>\n<legend>Account</legend>\n<div class=\"fields\">\n");
    let name = Field {
        name: "username",
        sent_as: "user[username]",
        label: "User name",
        value: &person.username,
        max: 25,
        required: true,
        extra: " autocomplete=\"username\" data-check-name",
    };
    line(page, &name, wrong);
    let password = Field {
        name: "password",
        sent_as: "user[password]",
        label: if registering { "Password" } else { "New password" },
        value: "",
        required: registering,
        extra: " type=\"password\" autocomplete=\"new-password\"",
        ..name
    };
    line(page, &password, wrong);
    let again = Field {
        name: "password_confirmation",
        sent_as: "user[password_confirmation]",
        label: "Password again",
        ..password
    };
    line(page, &again, wrong);
    html!(page, "</div>\n<p class=\"quiet\" id=\"name-check\" role=\"status\"></p>\n</fieldset>\n");
}

fn about(page: &mut Html, person: &Person, wrong: &Wrong) {
    html!(page, "<fieldset>\n<legend>About you</legend>\n<div class=\"fields\">\n");
    let first = Field {
        name: "firstname",
        sent_as: "user[firstname]",
        label: "First name",
        value: &person.firstname,
        max: 25,
        required: true,
        extra: " autocomplete=\"given-name\"",
    };
    line(page, &first, wrong);
    let last = Field {
        name: "lastname",
        sent_as: "user[lastname]",
        label: "Last name",
        value: &person.lastname,
        extra: " autocomplete=\"family-name\"",
        ..first
    };
    line(page, &last, wrong);
    let email = Field {
        name: "email",
        sent_as: "user[email]",
        label: "Email",
        value: &person.email,
        max: 90,
        extra: " type=\"email\" autocomplete=\"email\"",
        ..first
    };
    line(page, &email, wrong);
    let telephone = Field {
        name: "telephone",
        sent_as: "user[telephone]",
        label: "Telephone",
        value: &person.telephone,
        max: 20,
        required: false,
        extra: " type=\"tel\" pattern=\"[0-9\\-]{7,20}\" title=\"7 to 20 digits and dashes\" autocomplete=\"tel\"",
    };
    line(page, &telephone, wrong);
    let timezone = Field {
        name: "timezone",
        sent_as: "user[timezone]",
        label: "Time zone",
        value: if person.timezone.is_empty() { "UTC" } else { &person.timezone },
        max: 100,
        required: true,
        extra: "",
    };
    line(page, &timezone, wrong);
    let picture = Field {
        name: "user_image",
        sent_as: "user_image",
        label: "Picture",
        value: "",
        required: false,
        extra: " accept=\"image/jpeg,image/png,image/gif\" data-thumbnail=\"user_thumbnail\"",
        ..timezone
    };
    file(page, &picture, "JPEG, PNG or GIF, at most 4 MiB.", wrong);
    html!(page, "<input type=\"file\" name=\"user_thumbnail\" hidden>\n");
    let summary = Field {
        name: "summary",
        sent_as: "user[summary]",
        label: "Something about yourself",
        value: &person.summary,
        max: 2500,
        extra: "",
        ..picture
    };
    area(page, &summary, wrong);
    html!(page, "</div>\n</fieldset>\n");
}

/// Nobody yet: what the registration form shows at first.
pub(crate) fn blank() -> Person {
    let empty = alloc::string::String::new;
    Person {
        id: 0,
        username: empty(),
        firstname: empty(),
        lastname: empty(),
        email: empty(),
        telephone: empty(),
        timezone: empty(),
        summary: empty(),
        address: Address::default(),
        has_image: false,
    }
}

/// The answer to whether a user name is free.
pub(crate) fn name_check(page: &mut Html, name: &str, valid: bool, free: bool) {
    html!(page, "<p class=\"quiet\" id=\"name-check\" role=\"status\">");
    match (valid, free) {
        (false, _) => html!(page, "“", name, "” cannot be a user name."),
        (true, true) => html!(page, "“", name, "” is free."),
        (true, false) => html!(page, "“", name, "” is taken."),
    }
    html!(page, "</p>\n");
}
