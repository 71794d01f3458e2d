//! Adding and editing an event.

use loadstone_web::dates::{Day, month_name};
use loadstone_web::field::{Field, Wrong, area, complaint, file, line, method_field, token_field};
use loadstone_web::html::{Html, Two, html};

use crate::model::Address;

/// What the fields show, as text, so that a wrong form comes back as it was entered.
#[derive(Debug, Clone, Default)]
pub(crate) struct Entered<'a> {
    pub title: &'a str,
    pub summary: &'a str,
    pub description: &'a str,
    pub telephone: &'a str,
    pub timezone: &'a str,
    pub tag_list: &'a str,
    /// Year, month, day, hour, minute.
    pub when: [i64; 5],
    pub address: Address,
}

/// The form; `id` is 0 for a new event.
pub(crate) fn content(
    page: &mut Html,
    id: i64,
    entered: &Entered<'_>,
    today: Day,
    wrong: &Wrong,
    token: &str,
) {
    let adding = id == 0;
    html!(
        page,
        "<h1>",
        if adding { "Add an event" } else { "Edit the event" },
        "</h1>\n<form action=\"/events"
    );
    if !adding {
        html!(page, "/", id);
    }
    html!(page, "\" method=\"post\" enctype=\"multipart/form-data\">\n");
    if !adding {
        method_field(page, "put");
    }
    token_field(page, token);
    what(page, entered, wrong);
    when(page, entered, today, wrong);
    address(page, &entered.address, wrong);
    files(page, wrong);
    let label = if adding { "Add event" } else { "Save" };
    html!(
        page,
        "<p class=\"actions\"><button name=\"submit\" value=\"",
        label,
        "\">",
        label,
        "</button></p>\n</form>\n"
    );
    if !adding {
        html!(page, "<form class=\"actions\" id=\"delete\" action=\"/events/", id, "\" method=\"post\">\n");
        method_field(page, "delete");
        token_field(page, token);
        html!(
            page,
            "<button class=\"plain\" data-confirm=\"Delete this event?\">Delete event</button>\n</form>\n"
        );
    }
}

fn what(page: &mut Html, entered: &Entered<'_>, wrong: &Wrong) {
    html!(page, "<fieldset>\n<legend>What</legend>\n<div class=\"fields\">\n");
    let title = Field {
        name: "title",
        sent_as: "event[title]",
        label: "Title",
        value: entered.title,
        max: 100,
        required: true,
        extra: "",
    };
    line(page, &title, wrong);
    let summary = Field {
        name: "summary",
        sent_as: "event[summary]",
        label: "In one sentence",
        value: entered.summary,
        required: false,
        ..title
    };
    line(page, &summary, wrong);
    let description = Field {
        name: "description",
        sent_as: "event[description]",
        label: "Description",
        value: entered.description,
        max: 500,
        ..title
    };
    area(page, &description, wrong);
    let telephone = Field {
        name: "telephone",
        sent_as: "event[telephone]",
        label: "Telephone",
        value: entered.telephone,
        max: 20,
        required: true,
        extra: " type=\"tel\" pattern=\"[0-9\\-]{7,20}\" title=\"7 to 20 digits and dashes\"",
    };
    line(page, &telephone, wrong);
    let tags = Field {
        name: "tag_list",
        sent_as: "tag_list",
        label: "Tags, separated by blanks",
        value: entered.tag_list,
        max: 700,
        ..summary
    };
    line(page, &tags, wrong);
    html!(page, "</div>\n</fieldset>\n");
}

fn when(page: &mut Html, entered: &Entered<'_>, today: Day, wrong: &Wrong) {
    let first_year = i64::from(today.civil().year);
    let [year, month, day, hour, minute] = entered.when;
    html!(page, "<fieldset>\n<legend>When</legend>\n<div class=\"when-fields\">\n");
    // A year from elsewhere stands alone, so that the list stays short.
    let years = (year < first_year).then_some(year).into_iter().chain(first_year..=first_year + 3);
    let years = years.chain((year > first_year + 3).then_some(year));
    select(page, 1, "Year", years, year, |page, n| html!(page, n));
    select(page, 2, "Month", 1..=12, month, |page, n| html!(page, month_name(n as u32)));
    select(page, 3, "Day", 1..=31, day, |page, n| html!(page, n));
    select(page, 4, "Hour", 0..=23, hour, |page, n| html!(page, Two(n as u32)));
    select(page, 5, "Minute", 0..=59, minute, |page, n| html!(page, Two(n as u32)));
    html!(page, "</div>\n");
    complaint(page, "event_timestamp", wrong);
    let timezone = Field {
        name: "timezone",
        sent_as: "event[timezone]",
        label: "Time zone",
        value: if entered.timezone.is_empty() { "UTC" } else { entered.timezone },
        max: 100,
        required: false,
        extra: "",
    };
    line(page, &timezone, wrong);
    html!(page, "</fieldset>\n");
}

fn select(
    page: &mut Html,
    index: i64,
    label: &str,
    values: impl Iterator<Item = i64>,
    chosen: i64,
    show: impl Fn(&mut Html, i64),
) {
    html!(page, "<div class=\"field\"><label for=\"f-when-", index, "\">", label, "</label>");
    html!(page, "<select id=\"f-when-", index, "\" name=\"event[event_timestamp(", index, "i)]\">");
    for value in values {
        html!(page, "<option value=\"", value, "\"");
        if value == chosen {
            html!(page, " selected");
        }
        html!(page, ">");
        show(page, value);
        html!(page, "</option>");
    }
    html!(page, "</select></div>\n");
}

/// The six fields of an address.
pub(crate) fn address(page: &mut Html, address: &Address, wrong: &Wrong) {
    html!(page, "<fieldset>\n<legend>Address</legend>\n<div class=\"fields\">\n");
    let fields: [(&'static str, &'static str, &'static str, &str, usize, bool); 6] = [
        ("street1", "address[street1]", "Street", &address.street1, 55, true),
        ("street2", "address[street2]", "More of the street", &address.street2, 55, false),
        ("city", "address[city]", "City", &address.city, 55, true),
        ("state", "address[state]", "State", &address.state, 25, false),
        ("zip", "address[zip]", "Zip code", &address.zip, 12, true),
        ("country", "address[country]", "Country", &address.country, 55, true),
    ];
    for (name, sent_as, label, value, max, required) in fields {
        line(page, &Field { name, sent_as, label, value, max, required, extra: "" }, wrong);
    }
    html!(page, "</div>\n</fieldset>\n");
}

fn files(page: &mut Html, wrong: &Wrong) {
    html!(page, "<fieldset>\n<legend>Files</legend>\n<div class=\"fields\">\n");
    let picture = Field {
        name: "event_image",
        sent_as: "event_image",
        label: "Picture",
        value: "",
        max: 0,
        required: false,
        extra: " accept=\"image/jpeg,image/png,image/gif\" data-thumbnail=\"event_thumbnail\"",
    };
    file(page, &picture, "JPEG, PNG or GIF, at most 4 MiB.", wrong);
    html!(page, "<input type=\"file\" name=\"event_thumbnail\" hidden>\n");
    let document = Field {
        name: "event_document",
        sent_as: "event_document",
        label: "Document",
        extra: " accept=\"application/pdf\"",
        ..picture
    };
    file(page, &document, "PDF, at most 4 MiB.", wrong);
    html!(page, "</div>\n</fieldset>\n");
}
