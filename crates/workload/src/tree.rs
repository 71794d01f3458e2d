//! Pages as trees, and what CSS selectors find in them. Only what asks for it has a page parsed.

use std::cell::OnceCell;
use std::fmt;

use html5ever::driver::{ParseOpts, parse_document};
use html5ever::tendril::TendrilSink;
use scraper::error::SelectorErrorKind;
use scraper::{ElementRef, Html, HtmlTreeSink, Selector};

use crate::error::{Error, Result};

/// Most bytes of a page that are parsed; what is beyond them is not looked at.
const MOST_PARSED: usize = 4 << 20;
/// Most elements and texts of a page, and how deep they may stand in one another, as in today's browsers. Parsing and
/// matching take time for each element around another one, so a page that only opens elements would take minutes.
const MOST_NODES: usize = 200_000;
const DEEPEST: usize = 512;
/// So much is parsed between two looks at these bounds.
const PIECE: usize = 1_024;
/// Longest selector: matching takes time for each of its parts.
const LONGEST: usize = 4_096;

/// The tree of one page, parsed when it is first asked for.
#[derive(Default)]
pub struct Tree(OnceCell<Html>);

impl Tree {
    /// The tree of `page`, which must be the same each time. Every text is a page: what is wrong with it is mended as
    /// browsers do, and what is not UTF-8 is replaced. What is beyond the bounds is not on it.
    pub(crate) fn of(&self, page: &[u8]) -> &Html {
        self.0.get_or_init(|| parsed(&String::from_utf8_lossy(&page[..page.len().min(MOST_PARSED)])))
    }
}

fn parsed(mut rest: &str) -> Html {
    let mut parser = parse_document(HtmlTreeSink::new(Html::new_document()), ParseOpts::default());
    let mut looked_at = 0;
    while !rest.is_empty() {
        let piece = piece_of(rest);
        parser.process(rest[..piece].into());
        rest = &rest[piece..];
        let tree = &parser.tokenizer.sink.sink.0.borrow().tree;
        let nodes = tree.nodes();
        let (count, fresh) = (nodes.len(), nodes.len() - looked_at);
        looked_at = count;
        let is_deep = |node: ego_tree::NodeRef<'_, scraper::Node>| node.ancestors().nth(DEEPEST).is_some();
        if count > MOST_NODES || nodes.rev().take(fresh).any(is_deep) {
            break;
        }
    }
    parser.finish()
}

/// Length of the next piece: whole characters.
fn piece_of(text: &str) -> usize {
    (0..=PIECE.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default()
}

impl fmt::Debug for Tree {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(if self.0.get().is_some() { "Tree(parsed)" } else { "Tree" })
    }
}

/// A CSS selector (Selectors Level 4, without what depends on the pointer, the focus or the history).
#[derive(Debug, Clone)]
pub struct CssSelector {
    text: Box<str>,
    selector: Box<Selector>,
}

impl CssSelector {
    /// Reads a selector, such as `main a.next`, or several with commas between them.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self> {
        let refuse =
            |why: &str| Error::Text(format!("`{text}` is no CSS selector such as `main a.next`: {why}"));
        if text.len() > LONGEST {
            return Err(Error::Text(format!("a CSS selector has at most {LONGEST} characters")));
        }
        let selector = Selector::parse(text).map_err(|why| refuse(wrong(&why)))?;
        Ok(Self { text: text.into(), selector: Box::new(selector) })
    }

    /// The elements that it finds, in the order of the page.
    pub(crate) fn elements<'t>(&'t self, tree: &'t Html) -> impl Iterator<Item = ElementRef<'t>> {
        tree.select(&self.selector)
    }
}

/// What is wrong with a selector, as a sentence's end.
fn wrong(why: &SelectorErrorKind) -> &'static str {
    let SelectorErrorKind::UnexpectedSelectorParseError(kind) = why else {
        return "a part of it is missing, or out of place";
    };
    // The kinds themselves are of a crate that we do not use.
    match format!("{kind:?}").as_str() {
        "EmptySelector" => "it, or one of several, is empty",
        "DanglingCombinator" => "an element is missing behind its last sign",
        "UnsupportedPseudoClassOrElement" => "its pseudo-class or pseudo-element is not known here",
        _ => "it is not understood",
    }
}

impl fmt::Display for CssSelector {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}

/// Appends the text of an element as it reads: what is only there to lay out the source is one space.
pub(crate) fn text_of(element: ElementRef<'_>, out: &mut Vec<u8>) {
    let from = out.len();
    let mut space = false;
    for character in element.text().flat_map(str::chars) {
        // As HTML has it: a space that does not break is text.
        if character.is_ascii_whitespace() {
            space = true;
            continue;
        }
        if std::mem::take(&mut space) && out.len() > from {
            out.push(b' ');
        }
        out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(selector: &str, page: &str) -> Vec<String> {
        let (selector, tree) = (CssSelector::parse(selector).unwrap(), Tree::default());
        let text = |element| {
            let mut out = Vec::new();
            text_of(element, &mut out);
            String::from_utf8(out).unwrap()
        };
        selector.elements(tree.of(page.as_bytes())).map(text).collect()
    }

    #[test]
    fn elements_are_found_by_what_browsers_make_of_a_page() {
        let page = "<ul id=a><li class='x y'>one<li>two &amp;\n <b>three</b></ul><p title=q>four<p>";
        assert_eq!(texts("#a > li", page), ["one", "two & three"]);
        assert_eq!(texts("li.y, p[title^=q]", page), ["one", "four"]);
        assert_eq!(texts("li:not(.x):has(b)", page), ["two & three"]);
        assert_eq!(texts("li:nth-child(3)", page), [""; 0]);
        assert_eq!(texts("html > body > table > tr > td", "<table><td>cell"), [""; 0]);
        assert_eq!(texts("table > tbody > tr > td", "<table><td>cell"), ["cell"]);
    }

    #[test]
    fn what_is_no_selector_is_refused() {
        for wrong in ["", "li >", "p:hover", "a[", "::before", "li:nth-child(x)", "p,,q"] {
            let said = CssSelector::parse(wrong).unwrap_err().to_string();
            assert!(said.starts_with(&format!("`{wrong}` is no CSS selector")), "{said}");
        }
        assert!(CssSelector::parse(&"a".repeat(LONGEST + 1)).is_err());
    }

    #[test]
    fn deep_and_broken_pages_take_bounded_time() {
        for piece in ["<div>", "<b id=1>", "<p><b id=x>", "<table><tr><td>", "<a><p>", "<br>"] {
            let page = piece.repeat(8_000);
            assert!(texts("div b p + i", &page).is_empty());
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_selector_or_is_refused(text in "[a-z.#:>+~*, \\[\\]()=\"'|^$-]{0,40}", page in "(<[a-z/]{1,4}>|[a-z ]){0,40}") {
            if let Ok(selector) = CssSelector::parse(&text) {
                selector.elements(Tree::default().of(page.as_bytes())).count();
            }
        }
    }
}
