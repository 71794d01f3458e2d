//! Checking forms: field by field, all complaints at once, in words for the person who filled it in.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use loadstone_web::check::Check;
pub(crate) use loadstone_web::check::Complaints;
use loadstone_web::dates::{Day, Moment};
use loadstone_web::params::Params;

use crate::data::events::NewEvent;
use crate::data::people::NewPerson;
use crate::geocoder;
use crate::model::Address;
use crate::upload::{self, Kind};

/// Most tags of an event.
pub(crate) const MAX_TAGS: usize = 20;
/// Most characters of a user name, and of a first and last name.
pub(crate) const MAX_NAME: usize = 25;

/// 7 to 20 digits and dashes.
fn telephone(check: &mut Check<'_, '_>, required: bool) -> String {
    let value = check.text("telephone", 20, required);
    let good = value.len() >= 7 && value.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    if !good && (required || !value.is_empty()) {
        check.complain("telephone", "7 to 20 digits and dashes, please.");
    }
    value
}

fn address(check: &mut Check<'_, '_>) -> Address {
    let mut address = Address {
        street1: check.text("street1", 55, true),
        street2: check.text("street2", 55, false),
        city: check.text("city", 55, true),
        state: check.text("state", 25, false),
        zip: check.text("zip", 12, true),
        country: check.text("country", 55, true),
        ..Address::default()
    };
    (address.latitude, address.longitude) = geocoder::locate();
    address
}

fn file(check: &mut Check<'_, '_>, name: &'static str, kind: Kind) -> bool {
    let Some(file) = check.params.file(name) else { return false };
    if let Err(sentence) = upload::check(file.data, kind) {
        check.complain(name, sentence);
    }
    true
}

/// The event of a form.
pub(crate) fn event(params: &Params<'_>) -> Result<NewEvent, Complaints> {
    let mut check = Check::new(params);
    let timezone = check.text("timezone", 100, false);
    let event = NewEvent {
        title: check.text("title", 100, true),
        summary: check.text("summary", 100, false),
        description: check.text("description", 500, true),
        telephone: telephone(&mut check, true),
        timezone: if timezone.is_empty() { "UTC".to_owned() } else { timezone },
        when: moment(&mut check),
        address: address(&mut check),
        tags: match tags(params.get("tag_list")) {
            Some(tags) => tags,
            None => {
                check.complain(
                    "tag_list",
                    format!("At most {MAX_TAGS} tags of 1 to 30 letters, digits, '-' or '_'."),
                );
                Vec::new()
            }
        },
        has_image: file(&mut check, "event_image", Kind::Image),
        has_document: file(&mut check, "event_document", Kind::Document),
    };
    file(&mut check, "event_thumbnail", Kind::Thumbnail);
    check.finish(event)
}

/// The five selects of a time.
fn moment(check: &mut Check<'_, '_>) -> Moment {
    let part = |name: &str| u32::try_from(check.params.whole(name)?).ok();
    let read = || {
        let year = i32::try_from(part("event_timestamp(1i)")?).ok()?;
        let day = Day::new(year, part("event_timestamp(2i)")?, part("event_timestamp(3i)")?)?;
        Moment::new(day, part("event_timestamp(4i)")?, part("event_timestamp(5i)")?)
    };
    read().unwrap_or_else(|| {
        check.complain("event_timestamp", "There is no such day and time.");
        Moment { day: Day(0), hour: 0, minute: 0 }
    })
}

/// The tags of a list between blanks or commas: distinct, in byte order. None when one of them is no tag or
/// there are too many.
pub(crate) fn tags(list: &str) -> Option<Vec<String>> {
    let names = list.split(|c: char| c.is_whitespace() || c == ',').filter(|name| !name.is_empty());
    let mut tags: Vec<String> = Vec::new();
    for name in names {
        let letters = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
        if !letters || name.chars().count() > 30 {
            return None;
        }
        tags.push(name.to_owned());
    }
    tags.sort_unstable();
    tags.dedup();
    (tags.len() <= MAX_TAGS).then_some(tags)
}

/// The person of a form; the password in clear is separate, so that it is not kept. `registering` makes the
/// password required.
pub(crate) fn person(params: &Params<'_>, registering: bool) -> Result<(NewPerson, String), Complaints> {
    let mut check = Check::new(params);
    let username = check.text("username", MAX_NAME, true);
    if !username.is_empty() && !is_username(&username) {
        check.complain("username", "Letters, digits, '-', '.' and '_' only, please.");
    }
    let password = params.raw("password").to_owned();
    if registering && password.is_empty() {
        check.complain("password", "Please choose a password.");
    }
    if password.chars().count() > 25 {
        check.complain("password", "At most 25 characters, please.");
    }
    if password != params.raw("password_confirmation") {
        check.complain("password_confirmation", "The two passwords are not the same.");
    }
    let person = NewPerson {
        username,
        password: None,
        firstname: check.text("firstname", MAX_NAME, true),
        lastname: check.text("lastname", MAX_NAME, true),
        email: check.email("email", 90),
        telephone: telephone(&mut check, false),
        timezone: check.text("timezone", 100, true),
        summary: check.text("summary", 2500, false),
        address: address(&mut check),
        has_image: file(&mut check, "user_image", Kind::Image),
    };
    file(&mut check, "user_thumbnail", Kind::Thumbnail);
    check.finish((person, password))
}

/// Whether a name can be a user name: it stands in links and in lists, so it has no blanks and marks.
pub(crate) fn is_username(name: &str) -> bool {
    (1..=MAX_NAME).contains(&name.chars().count())
        && name.chars().all(|c| c.is_alphanumeric() || "-._".contains(c))
}

/// Text and stars of a comment.
pub(crate) fn comment(params: &Params<'_>) -> Result<(String, i64), Complaints> {
    let mut check = Check::new(params);
    let text = check.text("comment", 2500, true);
    let rating = params.whole("rating").unwrap_or(0);
    if !(1..=5).contains(&rating) {
        check.complain("rating", "Please give 1 to 5 stars.");
    }
    check.finish((text, rating))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tag_lists_are_sorted_sets() {
        assert_eq!(tags(" b a_1,  B,a_1 ").as_deref(), Some(&["B".to_owned(), "a_1".into(), "b".into()][..]));
        assert_eq!(tags(""), Some(Vec::new()));
        assert_eq!(tags("ok <script>"), None);
        assert_eq!(tags(&"x".repeat(31)), None);
        assert_eq!(tags(&(0..21).map(|i| format!("t{i} ")).collect::<String>()), None);
    }

    #[test]
    fn user_names() {
        assert!(is_username("a_b") && is_username("Zoë.7"));
        assert!(
            !is_username("") && !is_username("a b") && !is_username("<b>") && !is_username(&"x".repeat(26))
        );
    }
}
