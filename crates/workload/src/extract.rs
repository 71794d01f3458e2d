//! What a user takes from an answer: values, lists of links, flags.

use memchr::memmem;
use regex::bytes::Regex;

use crate::encoding::{markup_decode, percent_decode};
use crate::error::{Error, Result};
use crate::html::tags;
use crate::json_path::JsonPath;
use crate::names::Names;
use crate::state::State;
use crate::template::Template;
use crate::tree::{CssSelector, Tree, text_of};
use crate::{Extract, Source};

/// An answer as an [`Extractor`] needs it.
pub trait Answer {
    /// The body.
    fn body(&self) -> &[u8];
    /// The body as a page.
    fn tree(&self) -> &Tree;
    /// The first field of this name.
    fn header(&self, name: &str) -> Option<&[u8]>;
    /// The value of a cookie that the browser holds now.
    fn cookie(&self, name: &str) -> Option<&[u8]>;
}

/// A compiled [`Extract`].
#[derive(Debug, Clone)]
pub struct Extractor {
    name: Box<str>,
    kind: Kind,
    required: bool,
    /// Of which value, and what.
    default: Option<(usize, Template)>,
}

/// What the extractions of a step came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Taken<'p> {
    /// A bit for each of the first 64 that found something.
    pub found: u64,
    /// Name of the first that had to find something and did not.
    pub missing: Option<&'p str>,
}

/// Where a value or the values of a list go.
#[derive(Debug, Clone, Copy)]
enum Place {
    Value(usize),
    List(usize),
}

impl Place {
    fn of(name: &str, all: bool, names: &Names) -> Result<Self> {
        Ok(if all { Self::List(names.list(name)?) } else { Self::Value(names.value(name)?) })
    }
}

#[derive(Debug, Clone)]
enum Kind {
    Links { list: usize, pattern: LinkPattern, within: Option<Box<Element>> },
    Hidden { value: usize, field: Box<[u8]> },
    Between { value: usize, ends: Box<[memmem::Finder<'static>; 2]> },
    Regex { place: Place, pattern: Regex },
    Json { place: Place, path: JsonPath },
    Css { place: Place, selector: CssSelector, attribute: Option<Box<str>> },
    Cookie { value: usize, name: Box<str> },
    Header { value: usize, name: Box<str> },
    Contains { flag: u64, text: Template },
}

/// A path with one `{int}` or `{segment}` in it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LinkPattern {
    before: Box<[u8]>,
    after: Box<[u8]>,
    digits: bool,
    /// The pattern speaks of the query too.
    query: bool,
}

/// An element of a page, by its name.
#[derive(Debug, Clone)]
struct Element {
    opens: memmem::Finder<'static>,
    closes: memmem::Finder<'static>,
}

impl Element {
    fn parse(name: &str) -> Result<Self> {
        if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') {
            return Err(Error::Name(format!("`{name}` is not the name of an element")));
        }
        let finder = |text: String| memmem::Finder::new(text.as_bytes()).into_owned();
        Ok(Self { opens: finder(format!("<{name}")), closes: finder(format!("</{name}>")) })
    }

    /// What stands in the first such element of `page`; nothing where there is none.
    fn content<'b>(&self, page: &'b [u8]) -> &'b [u8] {
        let ends_name = |at: &usize| {
            page.get(at + self.opens.needle().len()).is_some_and(|b| b.is_ascii_whitespace() || *b == b'>')
        };
        let Some(start) = self.opens.find_iter(page).find(ends_name) else { return &[] };
        let rest = &page[start..];
        &rest[..self.closes.find(rest).unwrap_or(rest.len())]
    }
}

/// What an address must begin with to be on our site.
#[derive(Debug, Clone, Default)]
pub(crate) struct Site {
    /// `http://authority`.
    pub origin: Box<[u8]>,
    /// Prefix of every path.
    pub base_path: Box<[u8]>,
}

impl Extractor {
    pub(crate) fn compile(extract: &Extract, names: &Names) -> Result<Self> {
        let name = &extract.name;
        let kind = match &extract.from {
            Source::Links { pattern, within } => Kind::Links {
                list: names.list(name)?,
                pattern: LinkPattern::parse(pattern)?,
                within: within.as_deref().map(Element::parse).transpose()?.map(Box::new),
            },
            Source::Hidden { field } => {
                Kind::Hidden { value: names.value(name)?, field: field.as_bytes().into() }
            }
            Source::Between { left, right } => {
                if left.is_empty() || right.is_empty() {
                    return Err(Error::Text("`left` and `right` must not be empty".into()));
                }
                let finder = |text: &String| memmem::Finder::new(text.as_bytes()).into_owned();
                Kind::Between { value: names.value(name)?, ends: Box::new([finder(left), finder(right)]) }
            }
            Source::Regex { pattern, all } => {
                let compiled = Regex::new(pattern)
                    .map_err(|why| Error::Text(format!("the pattern `{pattern}`: {why}")))?;
                if compiled.captures_len() < 2 {
                    return Err(Error::Text(format!(
                        "the pattern `{pattern}` has no group in parentheses to take"
                    )));
                }
                Kind::Regex { place: Place::of(name, *all, names)?, pattern: compiled }
            }
            Source::Header { header } => {
                Kind::Header { value: names.value(name)?, name: header.as_str().into() }
            }
            Source::Json { path, all } => {
                Kind::Json { place: Place::of(name, *all, names)?, path: JsonPath::parse(path)? }
            }
            Source::Css { selector, attribute, all } => Kind::Css {
                place: Place::of(name, *all, names)?,
                selector: CssSelector::parse(selector)?,
                // As parsers of HTML have them.
                attribute: attribute.as_ref().map(|name| name.to_ascii_lowercase().into()),
            },
            Source::Cookie { cookie } => {
                Kind::Cookie { value: names.value(name)?, name: cookie.as_str().into() }
            }
            Source::Contains { text } => Kind::Contains {
                flag: names.flag(name)?,
                text: Template::parse(text, names, crate::encoding::Encoding::Plain)?,
            },
        };
        let default = extract.default.as_ref().map(|text| {
            let text = Template::parse(text, names, crate::encoding::Encoding::Plain)?;
            Ok((names.value(name)?, text))
        });
        Ok(Self {
            name: name.as_str().into(),
            kind,
            required: extract.required,
            default: default.transpose().map_err(|why: Error| why.at("default: "))?,
        })
    }

    /// Whether the body is needed.
    pub(crate) fn reads_body(&self) -> bool {
        !matches!(self.kind, Kind::Header { .. } | Kind::Cookie { .. })
    }

    /// Its name, if it had to find something.
    pub(crate) fn required(&self) -> Option<&str> {
        self.required.then_some(&*self.name)
    }

    /// Takes what it finds, and says whether there was anything; what is not found leaves the old value or
    /// list, or the default. `scratch` is any buffer.
    pub(crate) fn run(
        &self,
        answer: &impl Answer,
        site: &Site,
        state: &mut State,
        scratch: &mut Vec<u8>,
    ) -> bool {
        let found = self.look(answer, site, state, scratch);
        if let (false, Some((value, default))) = (found, &self.default) {
            scratch.clear();
            default.render(state, scratch);
            state.set_value(*value, scratch);
        }
        found
    }

    fn look(&self, answer: &impl Answer, site: &Site, state: &mut State, scratch: &mut Vec<u8>) -> bool {
        let body = answer.body();
        let (value, found) = match &self.kind {
            Kind::Links { list, pattern, within } => {
                let part = within.as_ref().map_or(body, |element| element.content(body));
                return links(part, pattern, site, state, *list, scratch);
            }
            Kind::Contains { flag, text } => {
                scratch.clear();
                text.render(state, scratch);
                let holds = memmem::find(body, scratch).is_some();
                state.flags = if holds { state.flags | flag } else { state.flags & !flag };
                return true;
            }
            Kind::Hidden { value, field } => {
                let found = hidden(body, field).map(|found| {
                    scratch.clear();
                    markup_decode(found, scratch);
                    &scratch[..]
                });
                (value, found)
            }
            Kind::Between { value, ends } => {
                let [left, right] = &**ends;
                let found = left.find(body).and_then(|at| {
                    let rest = &body[at + left.needle().len()..];
                    right.find(rest).map(|end| &rest[..end])
                });
                (value, found)
            }
            Kind::Regex { place: Place::List(list), pattern } => {
                let mut all = pattern.captures_iter(body).filter_map(|groups| groups.get(1));
                return refill(state, *list, |add| all.by_ref().all(|found| add(found.as_bytes())));
            }
            Kind::Json { place: Place::List(list), path } => {
                return refill(state, *list, |add| {
                    path.visit(body, |node| {
                        scratch.clear();
                        node.text(scratch);
                        node.is_null() || add(scratch)
                    })
                });
            }
            Kind::Json { place: Place::Value(value), path } => {
                let found = path.first(body).filter(|node| !node.is_null()).map(|node| {
                    scratch.clear();
                    node.text(scratch);
                    &scratch[..]
                });
                (value, found)
            }
            Kind::Css { place, selector, attribute } => {
                let mut found = selector.elements(answer.tree().of(body));
                let mut next = |out: &mut Vec<u8>| {
                    out.clear();
                    let Some(name) = attribute else { return found.next().map(|one| text_of(one, out)) };
                    let value = found.find_map(|one| one.attr(name))?;
                    out.extend_from_slice(value.as_bytes());
                    Some(())
                };
                match place {
                    Place::List(list) => {
                        return refill(state, *list, |add| {
                            std::iter::from_fn(|| next(scratch).map(|()| add(scratch))).all(|more| more)
                        });
                    }
                    Place::Value(value) => (value, next(scratch).map(|()| &scratch[..])),
                }
            }
            Kind::Cookie { value, name } => (value, answer.cookie(name)),
            Kind::Regex { place: Place::Value(value), pattern } => {
                let group = pattern.captures(body).and_then(|groups| groups.get(1));
                (value, group.map(|found| found.as_bytes()))
            }
            Kind::Header { value, name } => (value, answer.header(name)),
        };
        if let Some(found) = found {
            state.set_value(*value, found);
        }
        found.is_some()
    }
}

impl LinkPattern {
    fn parse(pattern: &str) -> Result<Self> {
        let whole = |place: &str, digits| {
            pattern.split_once(place).map(|(before, after)| Self {
                before: before.as_bytes().into(),
                after: after.as_bytes().into(),
                digits,
                query: pattern.contains('?'),
            })
        };
        let parsed = whole("{int}", true).or_else(|| whole("{segment}", false));
        let parsed = parsed.filter(|p| !p.before.contains(&b'{') && !p.after.contains(&b'{'));
        let parsed = parsed.filter(|p| p.before.starts_with(b"/"));
        parsed.ok_or_else(|| {
            Error::Text(format!(
                "the pattern `{pattern}` must be a path from `/` on with one `{{int}}` or `{{segment}}` in it"
            ))
        })
    }

    /// What stands for the place holder in a path.
    fn matches<'a>(&self, path: &'a [u8]) -> Option<&'a [u8]> {
        let found = path.strip_prefix(&*self.before)?.strip_suffix(&*self.after)?;
        let right =
            |b: &u8| if self.digits { b.is_ascii_digit() } else { !matches!(b, b'/' | b'?' | b'#' | b'&') };
        (!found.is_empty() && found.iter().all(right)).then_some(found)
    }
}

/// Replaces a list by the distinct matches among the page's links, unless there is none; whether there was
/// one. When the page has more than a list holds, the first ones stay.
fn links(
    page: &[u8],
    pattern: &LinkPattern,
    site: &Site,
    state: &mut State,
    list: usize,
    scratch: &mut Vec<u8>,
) -> bool {
    let mut fresh = true;
    for at in memmem::find_iter(page, b"href=") {
        // Looked at first: the search for the end of each `href=` in `href=href=href=...` goes to the end of
        // the page.
        if at == 0 || !page[at - 1].is_ascii_whitespace() {
            continue;
        }
        let Some(address) = quoted(&page[at + 5..]) else { continue };
        let path = site.local(address);
        let cut =
            path.iter().position(|b| *b == b'#' || (*b == b'?' && !pattern.query)).unwrap_or(path.len());
        // Only a query holds `&amp;`; a plain path is matched where it stands.
        let Some(found) = (if pattern.query {
            scratch.clear();
            markup_decode(&path[..cut], scratch);
            pattern.matches(scratch)
        } else {
            pattern.matches(&path[..cut])
        }) else {
            continue;
        };
        if std::mem::take(&mut fresh) {
            state.list_mut(list).clear();
        }
        if found.contains(&b'%') {
            let mut decoded = Vec::new();
            percent_decode(found, &mut decoded);
            state.list_mut(list).insert(&decoded);
        } else {
            state.list_mut(list).insert(found);
        }
    }
    !fresh
}

/// Replaces a list by what `each` adds, unless that is nothing; whether it was something. `add` says whether
/// the list has room for more.
fn refill(state: &mut State, list: usize, each: impl FnOnce(&mut dyn FnMut(&[u8]) -> bool) -> bool) -> bool {
    let mut fresh = true;
    let list = state.list_mut(list);
    each(&mut |found| {
        if std::mem::take(&mut fresh) {
            list.clear();
        }
        list.insert(found);
        list.has_room()
    });
    !fresh
}

/// The attribute value that `text` begins with.
fn quoted(text: &[u8]) -> Option<&[u8]> {
    let (open, rest) = text.split_first()?;
    match open {
        b'"' | b'\'' => memchr::memchr(*open, rest).map(|end| &rest[..end]),
        _ => {
            let end = text.iter().position(|b| b.is_ascii_whitespace() || *b == b'>')?;
            Some(&text[..end])
        }
    }
}

impl Site {
    /// An address without our own origin and base path.
    fn local<'a>(&self, address: &'a [u8]) -> &'a [u8] {
        let path = address.strip_prefix(&*self.origin).unwrap_or(address);
        path.strip_prefix(&*self.base_path).unwrap_or(path)
    }
}

/// Value of the input field, or content of the meta tag, of this name.
fn hidden<'a>(page: &'a [u8], field: &[u8]) -> Option<&'a [u8]> {
    tags(page).find_map(|tag| {
        let value: &[u8] = if tag.is(b"input") {
            b"value"
        } else if tag.is(b"meta") {
            b"content"
        } else {
            return None;
        };
        tag.attribute(b"name").filter(|name| *name == field).and_then(|_| tag.attribute(value))
    })
}

#[cfg(test)]
mod tests;
