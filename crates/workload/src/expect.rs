//! What a right answer looks like, compiled.

use std::collections::BTreeSet;

use memchr::memmem;

use crate::encoding::Encoding;
use crate::error::{Error, Result};
use crate::extract::Answer;
use crate::json_path::JsonPath;
use crate::names::Names;
use crate::state::State;
use crate::template::Template;
use crate::tree::{CssSelector, text_of};
use crate::{Expect, Test};

/// Longest part of a value that a failure shows.
const MOST_SHOWN: usize = 200;

/// A compiled [`Expect`].
#[derive(Debug, Clone)]
pub struct CompiledExpect {
    /// Accepted status codes.
    pub status: Box<[u16]>,
    /// Must stand in the body.
    pub contains: Vec<Template>,
    /// Must not stand in the body.
    pub lacks: Vec<Template>,
    /// Least length.
    pub min_bytes: u64,
    /// Greatest length.
    pub max_bytes: u64,
    /// Most microseconds of the step up to its whole answer.
    pub within_us: Option<u64>,
    json: Vec<(JsonPath, CompiledTest)>,
    css: Vec<(CssSelector, CompiledTest)>,
    headers: Vec<(Box<str>, CompiledTest)>,
}

#[derive(Debug, Clone)]
enum CompiledTest {
    Is(Template),
    Exists(bool),
    Length(u64, u64),
}

impl CompiledExpect {
    pub(crate) fn compile(expect: &Expect, names: &Names) -> Result<Self> {
        if expect.status.is_empty() || expect.status.iter().any(|s| !(200..=599).contains(s)) {
            return Err(Error::Range("expect.status: at least one status from 200 to 599".into()));
        }
        let templates = |field: &str, texts: &[String]| {
            texts
                .iter()
                .map(|text| match text.as_str() {
                    "" => Err(Error::Text(format!("expect.{field}: an empty text stands everywhere"))),
                    _ => Template::parse(text, names, Encoding::Plain)
                        .map_err(|why| why.at(format!("expect.{field}: "))),
                })
                .collect::<Result<Vec<_>, _>>()
        };
        let max_bytes = expect.max_bytes.unwrap_or(u64::MAX);
        if expect.min_bytes > max_bytes {
            return Err(Error::Range(format!(
                "expect: min_bytes {} is over max_bytes {max_bytes}",
                expect.min_bytes
            )));
        }
        if expect.within_s.is_some_and(|within| !(1e-6..=1e8).contains(&within)) {
            return Err(Error::Range("expect.within_s: out of range".into()));
        }
        let test = |test: &Test| match test {
            Test::Is { text } => Ok(CompiledTest::Is(Template::parse(text, names, Encoding::Plain)?)),
            Test::Exists { wanted } => Ok(CompiledTest::Exists(*wanted)),
            Test::Length { min, max } if min <= max => Ok(CompiledTest::Length(*min, *max)),
            Test::Length { min, max } => Err(Error::Range(format!("from {min} to {max} is no range"))),
        };
        let json = expect.json.iter().map(|(path, what)| Ok((JsonPath::parse(path)?, test(what)?)));
        let css = expect.css.iter().map(|(selector, what)| Ok((CssSelector::parse(selector)?, test(what)?)));
        let headers = expect.headers.iter().map(|(name, what)| match what {
            Test::Length { .. } => Err(Error::Conflict(format!("`{name}` is a field and has no length"))),
            _ => Ok((name.as_str().into(), test(what)?)),
        });
        Ok(Self {
            status: expect.status.iter().copied().collect::<BTreeSet<_>>().into_iter().collect(),
            contains: templates("contains", &expect.contains)?,
            lacks: templates("lacks", &expect.lacks)?,
            min_bytes: expect.min_bytes,
            max_bytes,
            within_us: expect.within_s.map(|within| (within * 1e6) as u64),
            json: json.collect::<Result<_>>().map_err(|why| why.at("expect.json: "))?,
            css: css.collect::<Result<_>>().map_err(|why| why.at("expect.css: "))?,
            headers: headers.collect::<Result<_>>().map_err(|why| why.at("expect.headers: "))?,
        })
    }

    /// Whether the body must be looked at.
    pub(crate) fn reads_body(&self) -> bool {
        !(self.contains.is_empty() && self.lacks.is_empty() && self.json.is_empty() && self.css.is_empty())
    }

    /// Whether the length of the content matters.
    pub fn measures(&self) -> bool {
        self.min_bytes > 0 || self.max_bytes < u64::MAX
    }

    /// What is wrong with an answer, its status and time apart, as a sentence's end; `None` when nothing is.
    /// `length` counts the whole body, which is empty when nobody looks at it. `scratch` is any buffer.
    pub fn find_fault(
        &self,
        answer: &impl Answer,
        length: u64,
        state: &State,
        scratch: &mut Vec<u8>,
    ) -> Option<String> {
        let body = answer.body();
        if length < self.min_bytes {
            return Some(format!("the body has {length} bytes, expected at least {}", self.min_bytes));
        }
        if length > self.max_bytes {
            return Some(format!("the body has {length} bytes, expected at most {}", self.max_bytes));
        }
        for (name, test) in &self.headers {
            if let Some(said) = wrong_header(name, answer.header(name), test, state, scratch) {
                return Some(said);
            }
        }
        let mut fault = |texts: &[Template], wanted: bool, said: &str| {
            texts.iter().find_map(|text| {
                scratch.clear();
                text.render(state, scratch);
                let holds = memmem::find(body, scratch).is_some();
                (holds != wanted).then(|| format!("the body {said} `{}`", String::from_utf8_lossy(scratch)))
            })
        };
        fault(&self.contains, true, "does not hold")
            .or_else(|| fault(&self.lacks, false, "holds"))
            .or_else(|| {
                self.json.iter().find_map(|(path, test)| wrong_json(path, test, body, state, scratch))
            })
            .or_else(|| self.css.iter().find_map(|(selector, test)| wrong_css(selector, test, answer, state)))
    }
}

fn wrong_header(
    name: &str,
    found: Option<&[u8]>,
    test: &CompiledTest,
    state: &State,
    scratch: &mut Vec<u8>,
) -> Option<String> {
    match (test, found) {
        (CompiledTest::Exists(true) | CompiledTest::Is(_), None) => {
            Some(format!("there is no header `{name}`"))
        }
        (CompiledTest::Exists(false), Some(value)) => {
            Some(format!("there is a header `{name}`: {}", shown(value)))
        }
        (CompiledTest::Is(text), Some(value)) => {
            scratch.clear();
            text.render(state, scratch);
            let holds = memmem::find(value, scratch).is_some();
            (!holds).then(|| format!("the header `{name}` is {}, expected {}", shown(value), shown(scratch)))
        }
        _ => None,
    }
}

fn wrong_json(
    path: &JsonPath,
    test: &CompiledTest,
    body: &[u8],
    state: &State,
    scratch: &mut Vec<u8>,
) -> Option<String> {
    let Some(node) = path.first(body) else {
        return match test {
            CompiledTest::Exists(false) if path.visit(body, |_| true) => None,
            CompiledTest::Exists(false) => Some("the body is not JSON".into()),
            _ => Some(format!("`{path}` leads to nothing in the body")),
        };
    };
    match test {
        CompiledTest::Exists(wanted) => {
            (!wanted).then(|| format!("`{path}` is {}, expected nothing", shown(node.to_string().as_bytes())))
        }
        CompiledTest::Is(text) => {
            let mut wanted = Vec::new();
            text.render(state, &mut wanted);
            let right = node.says(&wanted, scratch);
            (!right).then(|| format!("`{path}` is {}, expected {}", shown(scratch), shown(&wanted)))
        }
        CompiledTest::Length(min, max) => match node.length() {
            Some(length) if (*min..=*max).contains(&length) => None,
            Some(length) if *max == u64::MAX => {
                Some(format!("`{path}` has a length of {length}, expected at least {min}"))
            }
            Some(length) if min == max => Some(format!("`{path}` has a length of {length}, expected {min}")),
            Some(length) => Some(format!("`{path}` has a length of {length}, expected {min} to {max}")),
            None => Some(format!("`{path}` has no length: {}", shown(node.to_string().as_bytes()))),
        },
    }
}

fn wrong_css(
    selector: &CssSelector,
    test: &CompiledTest,
    answer: &impl Answer,
    state: &State,
) -> Option<String> {
    let mut found = selector.elements(answer.tree().of(answer.body()));
    match test {
        CompiledTest::Exists(wanted) => {
            let there = found.next().is_some();
            let said = if there { "an element, expected none" } else { "nothing on the page" };
            (there != *wanted).then(|| format!("`{selector}` finds {said}"))
        }
        CompiledTest::Is(text) => {
            let (mut said, mut wanted) = (Vec::new(), Vec::new());
            let Some(first) = found.next() else {
                return Some(format!("`{selector}` finds nothing on the page"));
            };
            text_of(first, &mut said);
            text.render(state, &mut wanted);
            (said != wanted).then(|| format!("`{selector}` is {}, expected {}", shown(&said), shown(&wanted)))
        }
        CompiledTest::Length(min, max) => {
            let count = found.count() as u64;
            let expected = match max {
                _ if (*min..=*max).contains(&count) => return None,
                max if min == max => min.to_string(),
                &u64::MAX => format!("at least {min}"),
                max => format!("{min} to {max}"),
            };
            Some(format!("`{selector}` finds {count} elements, expected {expected}"))
        }
    }
}

fn shown(bytes: &[u8]) -> String {
    let more = if bytes.len() > MOST_SHOWN { "…" } else { "" };
    format!("`{}{more}`", String::from_utf8_lossy(&bytes[..bytes.len().min(MOST_SHOWN)]))
}
