//! Parts of forms.

use alloc::string::String;

use crate::html::{Html, html};

/// What is wrong with a form: the field's name and a sentence for the person who filled it in.
pub type Wrong = [(&'static str, String)];

/// An input field with its label.
pub struct Field<'a> {
    /// Short name, as in a [`Wrong`].
    pub name: &'static str,
    /// Name that is sent.
    pub sent_as: &'static str,
    /// Label.
    pub label: &'static str,
    /// Value so far.
    pub value: &'a str,
    /// Most characters.
    pub max: usize,
    /// Whether it must be filled in.
    pub required: bool,
    /// Further attributes, as markup.
    pub extra: &'static str,
}

/// The hidden field that proves that a form came from a page of this site.
pub fn token_field(page: &mut Html, token: &str) {
    html!(page, "<input type=\"hidden\" name=\"authenticity_token\" value=\"", token, "\">\n");
}

/// The hidden field that stands for a method that HTML forms do not have.
pub fn method_field(page: &mut Html, method: &str) {
    html!(page, "<input type=\"hidden\" name=\"_method\" value=\"", method, "\">\n");
}

/// A line of text.
pub fn line(page: &mut Html, field: &Field<'_>, wrong: &Wrong) {
    begin(page, field);
    html!(page, "<input id=\"f-", field.name, "\" name=\"", field.sent_as, "\" value=\"", field.value, "\"");
    attributes(page, field, wrong);
    html!(page, ">\n");
    end(page, field, wrong);
}

/// Several lines of text.
pub fn area(page: &mut Html, field: &Field<'_>, wrong: &Wrong) {
    begin(page, field);
    html!(page, "<textarea id=\"f-", field.name, "\" name=\"", field.sent_as, "\"");
    attributes(page, field, wrong);
    // The first newline after the tag is not part of the value.
    html!(page, ">\n", field.value, "</textarea>\n");
    end(page, field, wrong);
}

/// A file.
pub fn file(page: &mut Html, field: &Field<'_>, hint: &str, wrong: &Wrong) {
    begin(page, field);
    html!(page, "<input type=\"file\" id=\"f-", field.name, "\" name=\"", field.sent_as, "\"");
    described(page, field, wrong);
    html!(page, crate::html::Markup(field.extra), ">\n<p class=\"hint\">", hint, "</p>\n");
    end(page, field, wrong);
}

fn begin(page: &mut Html, field: &Field<'_>) {
    let wide = if field.max > 100 { " wide" } else { "" };
    let required = if field.required { " class=\"required\"" } else { "" };
    html!(page, "<div class=\"field", wide, "\">\n<label for=\"f-", field.name, "\"");
    html!(page, crate::html::Markup(required), ">", field.label, "</label>\n");
}

fn attributes(page: &mut Html, field: &Field<'_>, wrong: &Wrong) {
    html!(page, " maxlength=\"", field.max, "\"");
    if field.required {
        html!(page, " required");
    }
    described(page, field, wrong);
    html!(page, crate::html::Markup(field.extra));
}

fn described(page: &mut Html, field: &Field<'_>, wrong: &Wrong) {
    if wrong.iter().any(|(name, _)| *name == field.name) {
        html!(page, " aria-invalid=\"true\" aria-describedby=\"w-", field.name, "\"");
    }
}

fn end(page: &mut Html, field: &Field<'_>, wrong: &Wrong) {
    complaint(page, field.name, wrong);
    html!(page, "</div>\n");
}

/// What is wrong with a field, if anything.
pub fn complaint(page: &mut Html, name: &str, wrong: &Wrong) {
    if let Some((_, sentence)) = wrong.iter().find(|(wrong, _)| *wrong == name) {
        html!(page, "<p class=\"wrong\" id=\"w-", name, "\">", sentence, "</p>\n");
    }
}
