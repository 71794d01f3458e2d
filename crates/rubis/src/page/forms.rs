//! The forms: registering, bidding, buying, commenting, selling.

use alloc::string::{String, ToString};

use loadstone_web::field::{Field, Wrong, area, complaint, line, token_field};
use loadstone_web::html::{Html, Markup, html};
use loadstone_web::params::Params;

use crate::model::{Item, Money, Place, User};
use crate::validate::{DAYS, MAX_QUANTITY, RATINGS};

/// A form with what was entered before and what is wrong with it.
pub(crate) struct Form<'a> {
    pub params: &'a Params<'a>,
    pub wrong: &'a Wrong,
    pub token: &'a str,
}

impl Form<'_> {
    fn open(&self, page: &mut Html, action: &str) {
        if !self.wrong.is_empty() {
            html!(
                page,
                "<p class=\"bad\" role=\"alert\">Sorry, please correct the fields marked below.</p>\n"
            );
        }
        html!(page, "<form class=\"panel\" action=\"", action, "\" method=\"post\">\n");
        token_field(page, self.token);
        html!(page, "<div class=\"fields\">\n");
    }

    fn line(
        &self,
        page: &mut Html,
        name: &'static str,
        label: &'static str,
        max: usize,
        extra: &'static str,
    ) {
        self.filled(page, (name, label), self.params.get(name), max, extra);
    }

    /// A line that holds something before anything was entered.
    fn filled(
        &self,
        page: &mut Html,
        (name, label): (&'static str, &'static str),
        value: &str,
        max: usize,
        extra: &'static str,
    ) {
        let required = !extra.contains("data-optional");
        line(page, &Field { name, sent_as: name, label, value, max, required, extra }, self.wrong);
    }

    fn area(&self, page: &mut Html, name: &'static str, label: &'static str, max: usize) {
        let (value, extra) = (self.params.get(name), " rows=\"6\"");
        area(page, &Field { name, sent_as: name, label, value, max, required: true, extra }, self.wrong);
    }

    /// A choice between values with labels.
    fn select<V: ToString>(
        &self,
        page: &mut Html,
        (name, label): (&str, &str),
        choices: impl Iterator<Item = (V, String)>,
    ) {
        html!(
            page,
            "<div class=\"field\">\n<label class=\"required\" for=\"f-",
            name,
            "\">",
            label,
            "</label>\n"
        );
        html!(page, "<select id=\"f-", name, "\" name=\"", name, "\">\n");
        for (value, label) in choices {
            let value = value.to_string();
            let chosen = if self.params.get(name) == value { " selected" } else { "" };
            html!(page, "<option value=\"", value, "\"", Markup(chosen), ">", label, "</option>\n");
        }
        html!(page, "</select>\n");
        complaint(page, name, self.wrong);
        html!(page, "</div>\n");
    }
}

fn close(page: &mut Html, button: &str) {
    html!(page, "</div>\n<p class=\"actions\"><button>", button, "</button></p>\n</form>\n");
}

/// The number that a quantity begins with.
fn quantity(form: &Form<'_>, page: &mut Html) {
    let entered = form.params.get("quantity");
    let value = if entered.is_empty() { "1" } else { entered };
    form.filled(page, ("quantity", "Quantity"), value, 4, " inputmode=\"numeric\"");
}

pub(crate) fn register(page: &mut Html, form: &Form<'_>, regions: &[Place]) {
    html!(page, "<h1>Register</h1>\n");
    form.open(page, "/register");
    form.line(page, "firstname", "First name", 32, " autocomplete=\"given-name\"");
    form.line(page, "lastname", "Last name", 32, " autocomplete=\"family-name\"");
    form.line(page, "nickname", "Nickname", 20, " autocomplete=\"username\"");
    form.line(page, "email", "Email address", 90, " type=\"email\" autocomplete=\"email\"");
    let secret = " type=\"password\" autocomplete=\"new-password\"";
    form.filled(page, ("password", "Password"), "", 64, secret);
    form.filled(page, ("password_confirmation", "Password once more"), "", 64, secret);
    form.select(page, ("region", "Region"), regions.iter().map(|place| (place.id, place.name.clone())));
    close(page, "Register");
}

pub(crate) fn bid(page: &mut Html, form: &Form<'_>, item: &Item) {
    html!(page, "<h1>Bid on <a href=\"/items/", item.id, "\">", item.name, "</a></h1>\n");
    summary(page, item);
    html!(page, "<dt>Least bid</dt><dd class=\"price\">", item.least_bid(), "</dd>\n</dl>\n");
    form.open(page, &alloc::format!("/items/{}/bid/store", item.id));
    let money = " inputmode=\"decimal\"";
    let least = item.least_bid().plain();
    let entered = form.params.get("bid");
    form.filled(page, ("bid", "Your bid"), if entered.is_empty() { &least } else { entered }, 13, money);
    form.line(
        page,
        "max_bid",
        "The most you would bid (for your records)",
        13,
        " inputmode=\"decimal\" data-optional",
    );
    quantity(form, page);
    close(page, "Bid");
    html!(
        page,
        "<p>See <a href=\"/items/",
        item.id,
        "/bids\">all bids</a>, <a href=\"/users/",
        item.seller,
        "\">the seller</a>"
    );
    html!(page, " or <a href=\"/items/", item.id, "/comment/", item.seller, "\">comment</a>.</p>\n");
}

pub(crate) fn buy(page: &mut Html, form: &Form<'_>, item: &Item) {
    html!(page, "<h1>Buy <a href=\"/items/", item.id, "\">", item.name, "</a></h1>\n");
    summary(page, item);
    html!(page, "<dt>Price of one</dt><dd class=\"price\">", Money(item.buy_now), "</dd>\n</dl>\n");
    form.open(page, &alloc::format!("/items/{}/buy/store", item.id));
    quantity(form, page);
    close(page, "Buy now");
}

fn summary(page: &mut Html, item: &Item) {
    html!(
        page,
        "<dl>\n<dt>Seller</dt><dd><a href=\"/users/",
        item.seller,
        "\">",
        item.seller_name,
        "</a></dd>\n"
    );
    html!(
        page,
        "<dt>Bids so far</dt><dd>",
        item.bids,
        "</dd>\n<dt>Quantity</dt><dd>",
        item.quantity,
        "</dd>\n"
    );
    html!(page, "<dt>Ends</dt><dd>", item.end, "</dd>\n");
}

pub(crate) fn comment(page: &mut Html, form: &Form<'_>, item: &Item, user: &User) {
    html!(
        page,
        "<h1>Comment on ",
        user.nickname,
        "</h1>\n<p>About <a href=\"/items/",
        item.id,
        "\">",
        item.name,
        "</a>.</p>\n"
    );
    form.open(page, &alloc::format!("/items/{}/comment/{}/store", item.id, user.id));
    let labels = ["excellent (5)", "good (3)", "neither good nor bad (0)", "poor (-3)", "bad (-5)"];
    let ratings = RATINGS.iter().rev().zip(labels).map(|(rating, label)| (*rating, label.to_string()));
    form.select(page, ("rating", "Rating"), ratings);
    form.area(page, "comment", "Comment", 2048);
    close(page, "Store the comment");
}

pub(crate) fn sell(page: &mut Html, form: &Form<'_>, category: &Place) {
    html!(page, "<h1>Sell in ", category.name, "</h1>\n");
    form.open(page, &alloc::format!("/sell/{}", category.id));
    form.line(page, "name", "Name", 100, "");
    form.area(page, "description", "Description", 7168);
    let optional = " inputmode=\"decimal\" data-optional";
    form.line(page, "initial_price", "First price", 13, " inputmode=\"decimal\"");
    form.line(page, "reserve_price", "Reserve price (sold for no less), if any", 13, optional);
    form.line(page, "buy_now", "Price to buy at once, if any", 13, optional);
    quantity(form, page);
    form.select(page, ("duration", "Days"), DAYS.map(|days| (days, days.to_string())));
    close(page, "Begin the auction");
    html!(page, "<p class=\"hint\">At most ", MAX_QUANTITY, " of a kind in one auction.</p>\n");
}
