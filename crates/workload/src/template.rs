//! Templates: text with `{name}`, `{name.year}`, `{user}`, `{users}` and `{status}` in it; `{{` and `}}` are braces.

use crate::State;
use crate::encoding::Encoding;
use crate::error::{Error, Result};
use crate::names::{Names, is_name};

/// A parsed template.
#[derive(Debug, Clone, PartialEq)]
pub struct Template {
    segments: Vec<Segment>,
    encoding: Encoding,
}

#[derive(Debug, Clone, PartialEq)]
enum Segment {
    /// Already encoded.
    Text(Box<[u8]>),
    Value(usize),
    DatePart(usize, DatePart),
    User,
    Users,
    Status,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum DatePart {
    Year,
    Month,
    Day,
}

impl Template {
    /// Parses `text`. Refuses braces that do not close and names that nothing defines.
    pub(crate) fn parse(text: &str, names: &Names, encoding: Encoding) -> Result<Self> {
        let mut segments = Vec::new();
        let mut literal = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            literal.push_str(&rest[..at]);
            let brace = &rest[at..=at];
            rest = &rest[at + 1..];
            if let Some(after) = rest.strip_prefix(brace) {
                literal.push_str(brace);
                rest = after;
            } else if brace == "}" {
                // A lone closing brace can mean nothing else.
                literal.push('}');
            } else {
                let (name, after) = rest.split_once('}').ok_or_else(|| {
                    Error::Text(format!("`{{{rest}` in the template `{text}` has no `}}`; `{{{{` is a brace"))
                })?;
                push_text(&mut literal, encoding, &mut segments);
                segments
                    .push(placeholder(name, names).map_err(|why| why.at(format!("template `{text}`: ")))?);
                rest = after;
            }
        }
        literal.push_str(rest);
        push_text(&mut literal, encoding, &mut segments);
        Ok(Self { segments, encoding })
    }

    /// The whole text when no user changes it.
    pub fn constant(&self) -> Option<&[u8]> {
        match self.segments.as_slice() {
            [] => Some(b""),
            [Segment::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// Text before the first value.
    pub(crate) fn leading_text(&self) -> &[u8] {
        match self.segments.first() {
            Some(Segment::Text(text)) => text,
            _ => b"",
        }
    }

    /// Appends the text as it stands for a user.
    pub fn render(&self, state: &State, out: &mut Vec<u8>) {
        for segment in &self.segments {
            match segment {
                Segment::Text(text) => out.extend_from_slice(text),
                Segment::Value(slot) => self.encoding.value(state.value(*slot), out),
                Segment::DatePart(slot, part) => out.extend_from_slice(date_part(state.value(*slot), *part)),
                Segment::User => number(u64::from(state.user()), out),
                Segment::Users => number(u64::from(state.users()), out),
                Segment::Status => number(u64::from(state.status), out),
            }
        }
    }
}

fn push_text(literal: &mut String, encoding: Encoding, segments: &mut Vec<Segment>) {
    if !literal.is_empty() {
        let mut encoded = Vec::new();
        encoding.text(literal.as_bytes(), &mut encoded);
        segments.push(Segment::Text(encoded.into()));
        literal.clear();
    }
}

fn placeholder(inside: &str, names: &Names) -> Result<Segment> {
    let (name, part) = inside.split_once('.').map_or((inside, None), |(name, part)| (name, Some(part)));
    match (name, part) {
        ("user", None) => Ok(Segment::User),
        ("users", None) => Ok(Segment::Users),
        // Unless the plan has something else of that name.
        ("status", None) if names.value(name).is_err() => Ok(Segment::Status),
        _ if !is_name(name) => Err(Error::Name(format!("`{{{inside}}}` is not a name; `{{{{` is a brace"))),
        (_, None) => Ok(Segment::Value(names.value(name)?)),
        (_, Some(part)) => {
            let part = match part {
                "year" => DatePart::Year,
                "month" => DatePart::Month,
                "day" => DatePart::Day,
                _ => {
                    return Err(Error::Name(format!(
                        "`{name}` has no part `{part}`, only year, month and day"
                    )));
                }
            };
            Ok(Segment::DatePart(names.value(name)?, part))
        }
    }
}

/// A part of `2008-10-02` as a form's menu has it: `2008`, `10`, `2`. Nothing for what is no date.
fn date_part(date: &[u8], part: DatePart) -> &[u8] {
    let mut fields = date.splitn(3, |b| *b == b'-');
    let field = match part {
        DatePart::Year => fields.next(),
        DatePart::Month => fields.nth(1),
        DatePart::Day => fields.nth(2),
    };
    let field = field.filter(|f| f.iter().all(u8::is_ascii_digit)).unwrap_or_default();
    let zeros = field.iter().take_while(|b| **b == b'0').count();
    &field[zeros.min(field.len().saturating_sub(1))..]
}

/// Appends a number in decimal, without allocating.
pub(crate) fn number(mut value: u64, out: &mut Vec<u8>) {
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tests::program;

    /// A user who drew `name`, with the names of its plan.
    fn rendered(text: &str, drawn: &str) -> Result<String> {
        let plan = crate::tests::plan_drawing("x", serde_json::json!({"kind": "text", "text": drawn}));
        let names = Names::collect(&plan, &plan.operations, Vec::new()).unwrap();
        let template = Template::parse(text, &names, Encoding::Plain)?;
        let program = program(plan);
        let mut state = State::new(&program, 3);
        program.operations[0].draw(&mut state, &mut crate::Scratch::default());
        let mut out = Vec::new();
        template.render(&state, &mut out);
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn values_users_and_braces() {
        assert_eq!(rendered("a{x}b{user}/{users}", "v").unwrap(), "avb3/10");
        assert_eq!(rendered("{{\"k\":\"{x}\"}}", "v").unwrap(), "{\"k\":\"v\"}");
        assert_eq!(rendered("", "v").unwrap(), "");
    }

    #[test]
    fn parts_of_dates() {
        assert_eq!(rendered("{x.day}.{x.month}.{x.year}", "2008-10-02").unwrap(), "2.10.2008");
        assert_eq!(rendered("[{x.month}]", "no date").unwrap(), "[]");
    }

    #[test]
    fn refusals_name_the_trouble() {
        for (text, part) in
            [("{y}", "`y`"), ("{x", "no `}`"), ("{x.hour}", "part `hour`"), ("{a b}", "not a name")]
        {
            let why = rendered(text, "v").unwrap_err().to_string();
            assert!(why.contains(part), "{why}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_or_refused(text in "[{}x.user a-z]{0,24}") {
            let _ = rendered(&text, "v");
        }

        #[test]
        fn text_without_braces_stays(text in "[^{}]{0,24}") {
            prop_assert_eq!(rendered(&text, "v").unwrap(), text);
        }
    }
}
