//! Checking forms: field by field, all complaints at once, in words for the person who filled it in.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::params::Params;

/// What is wrong: the field's short name and a sentence.
pub type Complaints = Vec<(&'static str, String)>;

/// Collects complaints while fields are read.
pub struct Check<'p, 'a> {
    /// What is read.
    pub params: &'p Params<'a>,
    wrong: Complaints,
}

impl<'p, 'a> Check<'p, 'a> {
    /// Nothing is wrong yet.
    pub fn new(params: &'p Params<'a>) -> Self {
        Self { params, wrong: Vec::new() }
    }

    /// Notes what is wrong with a field.
    pub fn complain(&mut self, name: &'static str, sentence: impl Into<String>) {
        // One complaint a field: the first says enough.
        if self.wrong.iter().all(|(found, _)| *found != name) {
            self.wrong.push((name, sentence.into()));
        }
    }

    /// A text of at most `max` characters.
    pub fn text(&mut self, name: &'static str, max: usize, required: bool) -> String {
        let value = self.params.get(name);
        if required && value.is_empty() {
            self.complain(name, "Please fill this in.");
        }
        if value.chars().count() > max {
            self.complain(name, format!("At most {max} characters, please."));
        }
        value.to_owned()
    }

    /// An email address of at most `max` characters.
    pub fn email(&mut self, name: &'static str, max: usize) -> String {
        let value = self.text(name, max, true);
        if !is_email(&value) {
            self.complain(name, "This does not look like an email address.");
        }
        value
    }

    /// `value` when there are no complaints, else them.
    ///
    /// # Errors
    /// The complaints.
    pub fn finish<T>(self, value: T) -> Result<T, Complaints> {
        if self.wrong.is_empty() { Ok(value) } else { Err(self.wrong) }
    }
}

/// Something before one `@`, something with a dot after it, no blanks: only sending a mail could tell more.
fn is_email(text: &str) -> bool {
    let Some((name, host)) = text.split_once('@') else { return false };
    let dotted = host.split_once('.').is_some_and(|(left, right)| !left.is_empty() && !right.is_empty());
    !name.is_empty() && dotted && !host.contains('@') && !text.contains(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::is_email;

    #[test]
    fn email_addresses() {
        assert!(is_email("a_b@example.com"));
        for bad in ["", "a", "a@b", "@b.c", "a@.c", "a@b.", "a b@c.d", "a@b@c.d"] {
            assert!(!is_email(bad), "{bad}");
        }
    }
}
