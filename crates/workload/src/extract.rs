//! What a user takes from an answer: values, lists of links, flags.

use memchr::memmem;
use regex::bytes::Regex;

use crate::encoding::{markup_decode, percent_decode};
use crate::error::{Error, Result};
use crate::html::tags;
use crate::names::Names;
use crate::state::State;
use crate::template::Template;
use crate::{Extract, Source};

/// An answer as an [`Extractor`] needs it.
pub trait Answer {
    /// The body.
    fn body(&self) -> &[u8];
    /// The first field of this name.
    fn header(&self, name: &str) -> Option<&[u8]>;
}

/// A compiled [`Extract`].
#[derive(Debug, Clone)]
pub struct Extractor(Kind);

#[derive(Debug, Clone)]
enum Kind {
    Links { list: usize, pattern: LinkPattern, within: Option<Box<Element>> },
    Hidden { value: usize, field: Box<[u8]> },
    Between { value: usize, ends: Box<[memmem::Finder<'static>; 2]> },
    Regex { value: usize, pattern: Regex },
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
        Ok(Self(match &extract.from {
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
            Source::Regex { pattern } => {
                let compiled = Regex::new(pattern)
                    .map_err(|why| Error::Text(format!("the pattern `{pattern}`: {why}")))?;
                if compiled.captures_len() < 2 {
                    return Err(Error::Text(format!(
                        "the pattern `{pattern}` has no group in parentheses to take"
                    )));
                }
                Kind::Regex { value: names.value(name)?, pattern: compiled }
            }
            Source::Header { header } => {
                Kind::Header { value: names.value(name)?, name: header.as_str().into() }
            }
            Source::Contains { text } => Kind::Contains {
                flag: names.flag(name)?,
                text: Template::parse(text, names, crate::encoding::Encoding::Plain)?,
            },
        }))
    }

    /// Whether the body is needed.
    pub(crate) fn reads_body(&self) -> bool {
        !matches!(self.0, Kind::Header { .. })
    }

    /// Takes what it finds, and says whether there was anything; what is not found leaves the old value or
    /// list. `scratch` is any buffer.
    pub(crate) fn run(
        &self,
        answer: &impl Answer,
        site: &Site,
        state: &mut State,
        scratch: &mut Vec<u8>,
    ) -> bool {
        let body = answer.body();
        let (value, found) = match &self.0 {
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
            Kind::Regex { value, pattern } => {
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
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::tests::{plan_extracting, program};

    struct Page<'a>(&'a [u8]);

    impl Answer for Page<'_> {
        fn body(&self) -> &[u8] {
            self.0
        }

        fn header(&self, name: &str) -> Option<&[u8]> {
            name.eq_ignore_ascii_case("location").then_some(b"/there")
        }
    }

    /// The state of a user after one extraction named `x` from each page.
    fn extracted(from: Json, pages: &[&[u8]]) -> State {
        let program = program(plan_extracting("x", from));
        let mut state = State::new(&program, 0);
        for page in pages {
            let step = &program.operations[0].steps[0];
            program.extract(step, 0, &Page(page), &mut state, &mut Vec::new());
        }
        state
    }

    fn links_of(pattern: &str, pages: &[&[u8]]) -> Vec<String> {
        let state = extracted(json!({"kind": "links", "pattern": pattern}), pages);
        let list = state.list(0);
        (0..list.len()).map(|i| String::from_utf8(list.get(i).to_vec()).unwrap()).collect()
    }

    fn value_of(from: Json, page: &str) -> String {
        String::from_utf8(extracted(from, &[page.as_bytes()]).value(0).to_vec()).unwrap()
    }

    #[test]
    fn distinct_links_in_order() {
        let page = b"<a href=\"/events/7\"><a class=x href='/events/3?page=1#top'><a href=/events/7><a href=\"/events/7/edit\">\
            <a href=\"http://site:80/app/events/12\"><a href=\"http://other/events/9\"><a data-href=\"/events/8\"><a href=\"/app/events/x1\">";
        assert_eq!(links_of("/events/{int}", &[page]), ["7", "3", "12"]);
        assert_eq!(links_of("/events/{segment}", &[page]), ["7", "3", "12", "x1"]);
        assert_eq!(links_of("/events/{int}", &[page, b"none"]), ["7", "3", "12"], "the old list stays");
        assert_eq!(links_of("/events/{int}", &[page, b"<a href='/events/1'>"]), ["1"]);
    }

    #[test]
    fn links_with_queries_and_escapes() {
        let page = b"<a href=\"/view?id=5&amp;tab=1\"> <a href=\"/view?id=6\"> <a href=\"/tag/a%20b\">";
        assert_eq!(links_of("/view?id={int}&tab=1", &[page]), ["5"]);
        assert_eq!(links_of("/tag/{segment}", &[page]), ["a b"]);
    }

    #[test]
    fn links_within_an_element() {
        let page = b"<a href='/events/1'><maine></maine><main class=x><a href='/events/2'></main><a href='/events/3'>";
        let within = |name: &str, page: &[u8]| {
            let from = json!({"kind": "links", "pattern": "/events/{int}", "within": name});
            let state = extracted(from, &[page]);
            let list = state.list(0);
            (0..list.len()).map(|i| String::from_utf8(list.get(i).to_vec()).unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(within("main", page), ["2"]);
        assert_eq!(within("main", &page[..70]), ["2"], "an element that is not closed goes to the end");
        assert!(within("nav", page).is_empty());
    }

    #[test]
    fn a_list_holds_what_a_person_looks_over() {
        let page: String = (0..200).map(|i| format!("<a href=/e/{i}>")).collect();
        assert_eq!(links_of("/e/{int}", &[page.as_bytes()]).len(), 64);
    }

    #[test]
    fn links_that_run_into_each_other_are_looked_at_once() {
        // A search to the end of the page for each of them would take an hour.
        let page = "href=".repeat(4 << 20);
        assert!(links_of("/e/{int}", &[page.as_bytes()]).is_empty());
    }

    #[test]
    fn values_of_every_source() {
        let page =
            "<meta name=csrf content=m1><form><input value=\"a&amp;b\" type=hidden name=token><i>no: 42;</i>";
        assert_eq!(value_of(json!({"kind": "hidden", "field": "token"}), page), "a&b");
        assert_eq!(value_of(json!({"kind": "hidden", "field": "csrf"}), page), "m1");
        assert_eq!(value_of(json!({"kind": "between", "left": "no: ", "right": ";"}), page), "42");
        assert_eq!(value_of(json!({"kind": "regex", "pattern": "no: (\\d)"}), page), "4");
        assert_eq!(value_of(json!({"kind": "header", "header": "Location"}), page), "/there");
        assert_eq!(value_of(json!({"kind": "hidden", "field": "none"}), page), "");
    }

    #[test]
    fn flags_follow_the_last_page() {
        let from = json!({"kind": "contains", "text": "Logout"});
        assert_eq!(extracted(from.clone(), &[b"a Logout b"]).flags, 1);
        assert_eq!(extracted(from, &[b"a Logout b", b"Login"]).flags, 0);
    }

    proptest! {
        #[test]
        fn any_bytes_are_searched(page in proptest::collection::vec(any::<u8>(), 0..120), tail in "[ \"'<>=/0-9a-z%&]{0,40}") {
            let mut bytes = page;
            bytes.extend_from_slice(b" href=");
            bytes.extend_from_slice(tail.as_bytes());
            for pattern in ["/{int}", "/e?x={segment}"] {
                links_of_bytes(pattern, &bytes);
            }
            extracted(json!({"kind": "hidden", "field": "a"}), &[&bytes]);
        }

        #[test]
        fn links_are_found_among_noise(noise in "[a-z<> =\"']{0,30}", ids in proptest::collection::btree_set(0u32..9_999, 0..20)) {
            let page: String = ids.iter().map(|id| format!("<a href=\"/e/{id}\">{noise}</a>")).collect();
            let expected: Vec<String> = ids.iter().map(u32::to_string).collect();
            prop_assert_eq!(links_of("/e/{int}", &[page.as_bytes()]), expected);
        }
    }

    fn links_of_bytes(pattern: &str, page: &[u8]) {
        extracted(json!({"kind": "links", "pattern": pattern}), &[page]);
    }
}
