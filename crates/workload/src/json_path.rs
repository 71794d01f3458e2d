//! Values of a JSON text by a path, a subset of RFC 9535: names, indices, wildcards and slices.
//!
//! The text is walked once and no tree is built: what the path leads past is skipped. Filters and descendants
//! (`..`) are left out, so that the time is linear in the text, whatever it is.

use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::error::{Error, Result};

/// Most steps of a path: each is a level of the walk's own stack.
const MOST_SEGMENTS: usize = 32;

/// A parsed path such as `$.items[0].id`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonPath {
    written: Box<str>,
    segments: Box<[Segment]>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Segment {
    Name(Box<str>),
    /// From the end where it is negative.
    Index(i64),
    Slice {
        start: Option<i64>,
        end: Option<i64>,
        step: u64,
    },
    All,
}

impl JsonPath {
    /// Reads a path.
    ///
    /// # Errors
    /// What is not one, or not of the subset.
    pub fn parse(text: &str) -> Result<Self> {
        let mut rest = text.strip_prefix('$').ok_or_else(|| refused(text, "it begins with `$`"))?;
        let mut segments = Vec::new();
        while !rest.is_empty() {
            if segments.len() == MOST_SEGMENTS {
                return Err(refused(text, &format!("it has more than {MOST_SEGMENTS} parts")));
            }
            let (segment, after) = if let Some(after) = rest.strip_prefix('.') {
                dotted(after).map_err(|why| refused(text, why))?
            } else if let Some(after) = rest.strip_prefix('[') {
                bracketed(after).map_err(|why| refused(text, why))?
            } else {
                return Err(refused(text, "after `$` come parts such as `.name` and `[0]`"));
            };
            segments.push(segment);
            rest = after;
        }
        Ok(Self { written: text.into(), segments: segments.into() })
    }

    /// Calls `found` with each value that the path leads to, in the order of the text, until it says false.
    /// Whether the text was JSON as far as it was looked at.
    pub fn visit<'b>(&self, body: &'b [u8], mut found: impl FnMut(Node<'b>) -> bool) -> bool {
        let mut stopped = false;
        let mut each = |raw: &'b RawValue| found(Node(raw.get()));
        let walk = Walk { segments: &self.segments, found: &mut each, stopped: &mut stopped };
        let walked = walk.deserialize(&mut serde_json::Deserializer::from_slice(body));
        walked.is_ok() || stopped
    }

    /// The text of what the path leads to in each of these texts, up to the first that is no JSON or has nothing there;
    /// and what is wrong with that.
    pub fn texts(&self, texts: &[String]) -> (Vec<String>, Option<String>) {
        let mut found = Vec::with_capacity(texts.len());
        for text in texts {
            if let Err(why) = serde_json::from_str::<IgnoredAny>(text) {
                return (found, Some(format!("not JSON: {why}")));
            }
            let Some(node) = self.first(text.as_bytes()).filter(|node| !node.is_null()) else {
                return (found, Some(format!("`{self}` leads to nothing")));
            };
            let mut said = Vec::new();
            node.text(&mut said);
            found.push(String::from_utf8_lossy(&said).into_owned());
        }
        (found, None)
    }

    /// The first value that the path leads to.
    pub fn first<'b>(&self, body: &'b [u8]) -> Option<Node<'b>> {
        let mut first = None;
        self.visit(body, |node| {
            first = Some(node);
            false
        });
        first
    }
}

impl fmt::Display for JsonPath {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.written)
    }
}

fn refused(text: &str, why: &str) -> Error {
    Error::Text(format!("`{text}` is no path such as `$.items[0].id`: {why}"))
}

/// What follows a point: a name, or `*`.
fn dotted(text: &str) -> Result<(Segment, &str), &'static str> {
    if text.starts_with('.') {
        return Err("descendants (`..`) are not known here; write the whole way");
    }
    if let Some(after) = text.strip_prefix('*') {
        return Ok((Segment::All, after));
    }
    let inside = |c: char| c.is_alphanumeric() || c == '_' || !c.is_ascii();
    let end = text.find(|c: char| !inside(c)).unwrap_or(text.len());
    match text.chars().next() {
        Some(first) if inside(first) && !first.is_ascii_digit() => {
            Ok((Segment::Name(text[..end].into()), &text[end..]))
        }
        _ => Err("after `.` comes a name of letters, digits and `_`, or `*`; other names go into `['...']`"),
    }
}

/// What follows a bracket: a quoted name, a number, a slice, or `*`.
fn bracketed(text: &str) -> Result<(Segment, &str), &'static str> {
    if let Some(quote) = text.chars().next().filter(|c| matches!(c, '\'' | '"')) {
        let (name, after) = quoted(&text[1..], quote).ok_or("a name in `['...']` is not closed")?;
        let after = after.strip_prefix(']').ok_or("one name stands in `['...']`, and `]` closes it")?;
        return Ok((Segment::Name(name.into()), after));
    }
    let (inside, after) = text.split_once(']').ok_or("`[` is never closed")?;
    if inside == "*" {
        return Ok((Segment::All, after));
    }
    if inside.starts_with('?') {
        return Err("filters (`[?...]`) are not known here");
    }
    let number = |text: &str| match text.trim() {
        "" => Ok(None),
        digits => digits.parse::<i64>().map(Some).map_err(|_| "in `[...]` stand a number, a slice or `*`"),
    };
    let segment = match *inside.split(':').collect::<Vec<_>>() {
        [index] => Segment::Index(number(index)?.ok_or("in `[...]` stand a number, a slice or `*`")?),
        [start, end] => Segment::Slice { start: number(start)?, end: number(end)?, step: 1 },
        [start, end, step] => {
            let step = u64::try_from(number(step)?.unwrap_or(1)).ok().filter(|step| *step > 0);
            let step = step.ok_or("the step of a slice is a number from 1")?;
            Segment::Slice { start: number(start)?, end: number(end)?, step }
        }
        _ => return Err("a slice is `[start:end:step]`"),
    };
    Ok((segment, after))
}

/// A name up to its closing quote, and what follows; `\` stands before a quote or a `\` of the name.
fn quoted(text: &str, quote: char) -> Option<(String, &str)> {
    let mut name = String::new();
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => {
                name.push(letters.next().map(|(_, next)| next).filter(|c| matches!(c, '\'' | '"' | '\\'))?)
            }
            _ if letter == quote => return Some((name, &text[at + 1..])),
            _ => name.push(letter),
        }
    }
    None
}

/// Bounds of a slice of `length` values, as RFC 9535 §2.3.4 has them.
fn bounds(start: Option<i64>, end: Option<i64>, length: usize) -> (usize, usize) {
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    let absolute = |at: i64| if at < 0 { length.saturating_add(at) } else { at }.clamp(0, length) as usize;
    (absolute(start.unwrap_or(0)), absolute(end.unwrap_or(length)))
}

/// A value in a JSON text, as it is spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node<'b>(&'b str);

impl Node<'_> {
    /// Whether it is `null`.
    pub fn is_null(self) -> bool {
        self.0 == "null"
    }

    /// Appends its text: of a string what it says, of everything else the JSON.
    pub fn text(self, out: &mut Vec<u8>) {
        match self.0.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            Some(inside) if inside.contains('\\') => match serde_json::from_str::<String>(self.0) {
                Ok(said) => out.extend_from_slice(said.as_bytes()),
                // Half a surrogate pair, say: there is no text that it stands for.
                Err(_) => out.extend_from_slice(inside.as_bytes()),
            },
            Some(inside) => out.extend_from_slice(inside.as_bytes()),
            None => out.extend_from_slice(self.0.as_bytes()),
        }
    }

    /// Whether it says `text`, which is its own if there is nothing to decode; numbers are equal by value.
    pub fn says(self, text: &[u8], scratch: &mut Vec<u8>) -> bool {
        scratch.clear();
        self.text(scratch);
        let number = |bytes: &[u8]| std::str::from_utf8(bytes).ok().and_then(|said| said.parse::<f64>().ok());
        scratch.as_slice() == text
            || (self.0.starts_with(|c: char| c == '-' || c.is_ascii_digit())
                && number(scratch).is_some_and(|own| number(text) == Some(own)))
    }

    /// Values of an array, members of an object, characters of a string; nothing for the others.
    pub fn length(self) -> Option<u64> {
        match self.0.as_bytes().first() {
            Some(b'"') => serde_json::from_str::<String>(self.0).ok().map(|said| said.chars().count() as u64),
            Some(b'[' | b'{') => Length.deserialize(&mut serde_json::Deserializer::from_str(self.0)).ok(),
            _ => None,
        }
    }
}

impl fmt::Display for Node<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.0)
    }
}

struct Length;

impl<'de> DeserializeSeed<'de> for Length {
    type Value = u64;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<u64, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Length {
    type Value = u64;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an array or an object")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<u64, A::Error> {
        let mut count = 0;
        while values.next_element::<IgnoredAny>()?.is_some() {
            count += 1;
        }
        Ok(count)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<u64, A::Error> {
        let mut count = 0;
        while members.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {
            count += 1;
        }
        Ok(count)
    }
}

/// Takes a value's part of the way.
struct Walk<'w, 'de> {
    segments: &'w [Segment],
    found: &'w mut dyn FnMut(&'de RawValue) -> bool,
    stopped: &'w mut bool,
}

impl<'de> Walk<'_, 'de> {
    /// The same for a value one step further.
    fn further(&mut self) -> Walk<'_, 'de> {
        Walk { segments: &self.segments[1..], found: &mut *self.found, stopped: &mut *self.stopped }
    }
}

impl<'de> DeserializeSeed<'de> for Walk<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        if !self.segments.is_empty() {
            return from.deserialize_any(self);
        }
        if (self.found)(<&RawValue>::deserialize(from)?) {
            return Ok(());
        }
        *self.stopped = true;
        Err(D::Error::custom("enough"))
    }
}

impl<'de> Visitor<'de> for Walk<'_, 'de> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut values: A) -> Result<(), A::Error> {
        let (start, end, step) = match self.segments[0] {
            Segment::All => (Some(0), None, 1),
            Segment::Index(-1) => (Some(-1), None, 1),
            Segment::Index(at) => (Some(at), Some(at.saturating_add(1)), 1),
            Segment::Slice { start, end, step } => (start, end, step as usize),
            Segment::Name(_) => (Some(0), Some(0), 1),
        };
        let ahead = |at: Option<i64>| at.is_none_or(|at| at >= 0);
        if ahead(start) && ahead(end) {
            let from = usize::try_from(start.unwrap_or(0)).unwrap_or(usize::MAX);
            let to = end.map_or(usize::MAX, |end| usize::try_from(end).unwrap_or(usize::MAX));
            for at in 0.. {
                let wanted = at >= from && at < to && (at - from) % step == 0;
                let more = if wanted {
                    values.next_element_seed(self.further())?.is_some()
                } else {
                    values.next_element::<IgnoredAny>()?.is_some()
                };
                if !more {
                    break;
                }
            }
            return Ok(());
        }
        // Counted from the end: all of them must have been seen.
        let mut all: Vec<&'de RawValue> = Vec::new();
        while let Some(value) = values.next_element()? {
            all.push(value);
        }
        let (from, to) = match self.segments[0] {
            // An index before the first is no place, while a slice begins with the first then.
            Segment::Index(at) if all.len().checked_add_signed(at as isize).is_none() => (0, 0),
            _ => bounds(start, end, all.len()),
        };
        for value in all.get(from..to).unwrap_or_default().iter().step_by(step) {
            let mut inside = serde_json::Deserializer::from_str(value.get());
            self.further().deserialize(&mut inside).map_err(A::Error::custom)?;
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<(), A::Error> {
        let segments = self.segments;
        let wanted = match &segments[0] {
            Segment::Name(name) => Some(&**name),
            _ => None,
        };
        let all = segments[0] == Segment::All;
        while let Some(ours) = members.next_key_seed(Key(wanted))? {
            if ours || all {
                members.next_value_seed(self.further())?;
            } else {
                members.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

/// Whether a member's name is this.
struct Key<'n>(Option<&'n str>);

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<bool, D::Error> {
        from.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Key<'_> {
    type Value = bool;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a name")
    }

    fn visit_str<E>(self, name: &str) -> Result<bool, E> {
        Ok(self.0 == Some(name))
    }
}

#[cfg(test)]
mod tests;
