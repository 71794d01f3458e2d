//! Writing HTML: literal markup stays as it is, everything else is escaped.
//!
//! Escaping is the default and cannot be forgotten: in `html!` a literal is markup, and any
//! other expression goes through [`Show`], which escapes text. The few values that are markup already
//! say so with [`Markup`].

use alloc::string::String;
use alloc::vec::Vec;

/// A page under construction.
#[derive(Debug, Default)]
pub struct Html {
    out: Vec<u8>,
}

/// Writes string literals as markup and every other expression escaped.
///
/// ```
/// use loadstone_web::html::{Html, html};
/// let (mut out, title) = (Html::default(), "a & b");
/// let page = &mut out;
/// html!(page, "<h1>", title, "</h1>");
/// assert_eq!(out.as_bytes(), b"<h1>a &amp; b</h1>");
/// ```
#[doc(inline)]
pub use crate::__html as html;

#[doc(hidden)]
#[macro_export]
macro_rules! __html {
    (@ $page:ident) => {};
    (@ $page:ident $markup:literal $(, $($rest:tt)*)?) => {
        $page.markup($markup);
        $($crate::__html!(@ $page $($rest)*);)?
    };
    (@ $page:ident $value:expr $(, $($rest:tt)*)?) => {
        $crate::html::Show::show(&$value, $page);
        $($crate::__html!(@ $page $($rest)*);)?
    };
    ($page:ident, $($rest:tt)*) => {{ $crate::__html!(@ $page $($rest)*); }};
}

/// Something that can stand in a page.
pub trait Show {
    /// Appends itself, escaped where it is text.
    fn show(&self, page: &mut Html);
}

/// Markup that was made by this crate and must not be escaped again.
#[derive(Debug, Clone, Copy)]
pub struct Markup<'a>(pub &'a str);

/// A query value in a link: percent-encoded, which leaves nothing to escape.
#[derive(Debug, Clone, Copy)]
pub struct InUrl<'a>(pub &'a str);

/// An integer in two digits.
#[derive(Debug, Clone, Copy)]
pub struct Two(pub u32);

impl Html {
    /// A page that grows in `out`, after what it holds already.
    pub fn new(out: Vec<u8>) -> Self {
        Self { out }
    }

    /// Appends markup as it is.
    pub fn markup(&mut self, markup: &str) {
        self.out.extend_from_slice(markup.as_bytes());
    }

    /// Appends text with exactly `& < > " '` escaped.
    pub fn text(&mut self, text: &str) {
        let mut rest = text.as_bytes();
        while let Some(at) = special(rest) {
            self.out.extend_from_slice(&rest[..at]);
            self.out.extend_from_slice(match rest[at] {
                b'&' => b"&amp;",
                b'<' => b"&lt;",
                b'>' => b"&gt;",
                b'"' => b"&quot;",
                _ => b"&#39;",
            });
            rest = &rest[at + 1..];
        }
        self.out.extend_from_slice(rest);
    }

    /// Appends a part of a page that was made before.
    pub fn append(&mut self, part: &[u8]) {
        self.out.extend_from_slice(part);
    }

    /// Appends an integer in decimal.
    pub fn integer(&mut self, value: i64) {
        let mut digits = [0_u8; 20];
        let (mut at, mut rest) = (digits.len(), value.unsigned_abs());
        loop {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        if value < 0 {
            self.out.push(b'-');
        }
        self.out.extend_from_slice(&digits[at..]);
    }

    /// What has been written so far.
    pub fn as_bytes(&self) -> &[u8] {
        &self.out
    }

    /// The page.
    pub fn into_bytes(self) -> Vec<u8> {
        self.out
    }
}

/// Bytes that are looked at together: compilers turn a loop over so many into a few instructions.
const CHUNK: usize = 32;

/// Where the first character is that must be escaped.
fn special(text: &[u8]) -> Option<usize> {
    let is_special = |byte: &u8| matches!(byte, b'&' | b'<' | b'>' | b'"' | b'\'');
    let has_none = |chunk: &&[u8]| !chunk.iter().fold(false, |any, byte| any | is_special(byte));
    let start = text.chunks_exact(CHUNK).take_while(has_none).count() * CHUNK;
    text[start..].iter().position(is_special).map(|at| start + at)
}

impl Show for str {
    fn show(&self, page: &mut Html) {
        page.text(self);
    }
}

impl Show for String {
    fn show(&self, page: &mut Html) {
        page.text(self);
    }
}

impl<T: Show + ?Sized> Show for &T {
    fn show(&self, page: &mut Html) {
        (**self).show(page);
    }
}

impl Show for i64 {
    fn show(&self, page: &mut Html) {
        page.integer(*self);
    }
}

impl Show for i32 {
    fn show(&self, page: &mut Html) {
        page.integer(i64::from(*self));
    }
}

impl Show for u32 {
    fn show(&self, page: &mut Html) {
        page.integer(i64::from(*self));
    }
}

impl Show for usize {
    fn show(&self, page: &mut Html) {
        page.integer(*self as i64);
    }
}

impl Show for Two {
    fn show(&self, page: &mut Html) {
        page.out.extend_from_slice(&[b'0' + (self.0 / 10 % 10) as u8, b'0' + (self.0 % 10) as u8]);
    }
}

impl Show for Markup<'_> {
    fn show(&self, page: &mut Html) {
        page.markup(self.0);
    }
}

impl Show for InUrl<'_> {
    fn show(&self, page: &mut Html) {
        loadstone_http::percent_encode(self.0, &mut page.out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    fn shown(value: impl Show) -> String {
        let mut page = Html::default();
        value.show(&mut page);
        String::from_utf8(page.into_bytes()).expect("pages are UTF-8")
    }

    #[test]
    fn only_literals_are_markup() {
        let (mut out, title) = (Html::default(), "rock & <roll>");
        let page = &mut out;
        html!(page, "<h1>", title, "</h1>", 3_i64 + 4);
        assert_eq!(out.as_bytes(), b"<h1>rock &amp; &lt;roll&gt;</h1>7");
    }

    #[test]
    fn exactly_five_characters_are_escaped() {
        assert_eq!(shown("a&b<c>d\"e'f/`=é"), "a&amp;b&lt;c&gt;d&quot;e&#39;f/`=é");
        assert_eq!(shown("''"), "&#39;&#39;");
        assert_eq!(shown(""), "");
    }

    #[test]
    fn what_is_escaped_is_found_wherever_it_stands() {
        for length in 0..3 * CHUNK {
            let around = "é".repeat(length / 2) + &"x".repeat(length % 2);
            let text = around.clone() + "<b>" + &around;
            assert_eq!(shown(text), around.clone() + "&lt;b&gt;" + &around);
        }
    }

    #[test]
    fn integers_are_decimal() {
        for value in [0, 7, -7, 10, i64::MAX, i64::MIN] {
            assert_eq!(shown(value), value.to_string());
        }
        assert_eq!(shown(Two(3)) + &shown(Two(12)), "0312");
    }

    #[test]
    fn url_values_keep_only_unreserved_characters() {
        assert_eq!(shown(InUrl("a b&c='\"<é~")), "a%20b%26c%3D%27%22%3C%C3%A9~");
    }
}
