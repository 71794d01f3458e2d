//! What the engine looks for in a page. Not a parser of HTML: it finds start tags and their attributes,
//! passes over comments and the text of scripts and styles, and accepts whatever bytes come.

use memchr::memmem;
use memchr::{memchr, memchr3};

use crate::srcset::{Viewport, choose, holds};

/// A start tag.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tag<'a> {
    name: &'a [u8],
    attributes: &'a [u8],
    /// What stands between this tag of a script or style and the end tag.
    text: &'a [u8],
}

/// Start tags of a page, in order.
pub(crate) fn tags(page: &[u8]) -> Tags<'_> {
    Tags { rest: page }
}

/// Iterator of [`tags`].
pub(crate) struct Tags<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Tags<'a> {
    type Item = Tag<'a>;

    fn next(&mut self) -> Option<Tag<'a>> {
        loop {
            let open = memchr(b'<', self.rest)?;
            self.rest = &self.rest[open + 1..];
            if self.rest.starts_with(b"!--") {
                let end = memmem::find(self.rest, b"-->")?;
                self.rest = &self.rest[end + 3..];
                continue;
            }
            let length = self.rest.iter().take_while(|b| b.is_ascii_alphanumeric()).count();
            if length == 0 {
                continue;
            }
            let (name, after) = self.rest.split_at(length);
            let end = tag_end(after)?;
            self.rest = &after[end..];
            let mut text: &[u8] = b"";
            if name.eq_ignore_ascii_case(b"script") || name.eq_ignore_ascii_case(b"style") {
                // What looks like `<img src=` there is not a tag of the page.
                (text, self.rest) = self.rest[1..].split_at(text_end(&self.rest[1..], name));
            }
            return Some(Tag { name, attributes: &after[..end], text });
        }
    }
}

/// Where the text of the element `name` ends, which has no elements.
fn text_end(text: &[u8], name: &[u8]) -> usize {
    let closes = |at: &usize| {
        text.get(at + 2..at + 2 + name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name))
    };
    memmem::find_iter(text, b"</").find(closes).unwrap_or(text.len())
}

/// Where the `>` stands that ends a tag, quoted ones passed over.
fn tag_end(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr3(b'>', b'"', b'\'', &text[at..])?;
        if text[at] == b'>' {
            return Some(at);
        }
        // A quote opens a value only behind `=`; in `title=don't` it is a letter like others.
        let opens = text[..at].trim_ascii_end().ends_with(b"=");
        at += if opens { 2 + memchr(text[at], &text[at + 1..])? } else { 1 };
    }
}

impl<'a> Tag<'a> {
    pub(crate) fn is(&self, name: &[u8]) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// The value of an attribute as it is written.
    pub(crate) fn attribute(&self, name: &[u8]) -> Option<&'a [u8]> {
        let mut rest = self.attributes;
        loop {
            rest = &rest[rest.iter().position(|b| !b.is_ascii_whitespace() && *b != b'/')?..];
            let length = rest
                .iter()
                .position(|b| b.is_ascii_whitespace() || matches!(b, b'=' | b'/'))
                .unwrap_or(rest.len());
            // A stray `=` would otherwise be a name of no length, found again for ever.
            let (found, after) = rest.split_at(length.max(1));
            let (value, after) = attribute_value(after);
            if found.eq_ignore_ascii_case(name) {
                return Some(value);
            }
            rest = after;
        }
    }
}

/// The value that follows an attribute's name, empty when it has none, and what follows the value.
fn attribute_value(after: &[u8]) -> (&[u8], &[u8]) {
    let Some(value) = after.trim_ascii_start().strip_prefix(b"=") else { return (b"", after) };
    let value = value.trim_ascii_start();
    match value.first() {
        Some(&quote @ (b'"' | b'\'')) => {
            let end = memchr(quote, &value[1..]).map_or(value.len(), |end| end + 1);
            (&value[1..end], value.get(end + 1..).unwrap_or_default())
        }
        _ => {
            let end = value.iter().position(u8::is_ascii_whitespace).unwrap_or(value.len());
            value.split_at(end)
        }
    }
}

/// What a page refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reference<'a> {
    /// What for.
    pub kind: ReferenceKind,
    /// The address as it is written.
    pub address: &'a [u8],
}

/// What a reference is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReferenceKind {
    /// `<link rel=stylesheet href>`.
    StyleSheet,
    /// `<script src>`.
    Script,
    /// `<img>`: its `src`, or what `srcset` has for the window.
    Image,
}

/// The style sheets, scripts and images that a browser with this window fetches for a page, in order, repeated ones
/// too.
pub fn references(page: &[u8], window: Viewport) -> impl Iterator<Item = Reference<'_>> {
    // What the `<picture>` around the next image has for the window.
    let mut source = None;
    tags(page).filter_map(move |tag| {
        let (kind, attribute): (_, &[u8]) = if tag.is(b"img") {
            let address = source.take().or_else(|| offered(tag, window)).or(tag.attribute(b"src"))?;
            let address = address.trim_ascii();
            return (!address.is_empty()).then_some(Reference { kind: ReferenceKind::Image, address });
        } else if tag.is(b"picture") {
            source = None;
            return None;
        } else if tag.is(b"source") {
            let fits = holds(tag.attribute(b"media").unwrap_or_default(), window);
            source = source.or_else(|| offered(tag, window).filter(|_| fits));
            return None;
        } else if tag.is(b"script") {
            (ReferenceKind::Script, b"src")
        } else if tag.is(b"link") && is_style_sheet(tag) {
            (ReferenceKind::StyleSheet, b"href")
        } else {
            return None;
        };
        let address = tag.attribute(attribute)?.trim_ascii();
        (!address.is_empty()).then_some(Reference { kind, address })
    })
}

/// A style of the page itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnStyle<'a> {
    /// The text of a `<style>`: a sheet.
    Sheet(&'a [u8]),
    /// The value of a `style` attribute as it is written, with its character references: declarations.
    Attribute(&'a [u8]),
}

/// The styles of a page itself, in order.
pub fn own_styles(page: &[u8]) -> impl Iterator<Item = OwnStyle<'_>> {
    tags(page).flat_map(|tag| {
        let sheet = (tag.is(b"style") && is_css(tag)).then_some(OwnStyle::Sheet(tag.text));
        sheet.into_iter().chain(tag.attribute(b"style").map(OwnStyle::Attribute))
    })
}

/// Whether a `<style>` is one for browsers: there are languages that a script makes styles of.
fn is_css(tag: Tag<'_>) -> bool {
    let kind = tag.attribute(b"type").unwrap_or_default();
    kind.is_empty() || kind.eq_ignore_ascii_case(b"text/css")
}

/// What `srcset` and `sizes` of a tag have for the window.
fn offered<'a>(tag: Tag<'a>, window: Viewport) -> Option<&'a [u8]> {
    choose(tag.attribute(b"srcset")?, tag.attribute(b"sizes"), window)
}

fn is_style_sheet(tag: Tag<'_>) -> bool {
    let kinds = tag.attribute(b"rel").unwrap_or_default();
    kinds.split(u8::is_ascii_whitespace).any(|kind| kind.eq_ignore_ascii_case(b"stylesheet"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const WINDOW: Viewport = Viewport { width: 1280.0, density: 1.0 };

    fn found(page: &str) -> Vec<(ReferenceKind, &str)> {
        references(page.as_bytes(), WINDOW)
            .map(|r| (r.kind, std::str::from_utf8(r.address).unwrap()))
            .collect()
    }

    #[test]
    fn references_of_a_page() {
        use ReferenceKind::{Image, Script, StyleSheet};
        let page = "<link rel='preload stylesheet' href=/a.css><LINK REL=icon href=/i.ico><!-- <img src=/no> -->\
            <script defer src=\"/a.js\"></script><script>'<img src=/no>'</script><img alt=\"a > b\" src='/b.jpg'/>\
            <img data-src=/no><imgx src=/no><img src=\"\"><p title='<img src=/no>'><img\nsrc = /c.jpg >";
        assert_eq!(
            found(page),
            [(StyleSheet, "/a.css"), (Script, "/a.js"), (Image, "/b.jpg"), (Image, "/c.jpg")]
        );
    }

    #[test]
    fn of_several_sizes_the_one_for_the_window() {
        let page = "<img src=/a.png srcset='/a2.png 2x'><img src=/b.png srcset='/b2.png 1x, /b3.png 2x'>\
            <picture><source media='(max-width: 600px)' srcset=/no.png><source srcset=/c.webp><source srcset=/no>\
            <img src=/no.png></picture><video><source src=/no.mp4></video><img src=/d.png>\
            <img srcset='/e.png 320w, /f.png 1280w' sizes=100vw>";
        let images: Vec<_> = found(page).into_iter().map(|(_, address)| address).collect();
        assert_eq!(images, ["/a2.png", "/b2.png", "/c.webp", "/d.png", "/f.png"]);
    }

    #[test]
    fn styles_of_the_page_itself() {
        use OwnStyle::{Attribute, Sheet};
        let page = "<style>a{}</style><p style='b:c' data-style=no><STYLE TYPE=Text/CSS media=print>d{}'<img style=no>'\
            </STYLE><style type='text/less'>no</style><!-- <style>no</style> --><script>'<p style=no>'</script>\
            <svg><path style=\"e:&quot;f&quot;\"/></svg><style></styl></style ><i style><style>g{}";
        let found: Vec<_> = own_styles(page.as_bytes()).collect();
        let last = &page.as_bytes()[page.len() - 3..];
        let expected = [
            Sheet(b"a{}"),
            Attribute(b"b:c"),
            Sheet(b"d{}'<img style=no>'"),
            Attribute(b"e:&quot;f&quot;"),
            Sheet(b"</styl>"),
            Attribute(b""),
            Sheet(last),
        ];
        assert_eq!(found, expected);
        assert_eq!(references(page.as_bytes(), WINDOW).count(), 0);
    }

    #[test]
    fn careless_pages_are_read_as_browsers_do() {
        let page = "<SCRIPT>'<img src=/no>'</SCRIPT><a title=don't><img src=/a.jpg><p title = 'a>b'><img src=\"/b.jpg\"alt='>'>\
            <script>if (a </b/.exec(c)) '<img src=/no>'</script><img src=/c.jpg>";
        let images: Vec<_> = found(page).into_iter().map(|(_, address)| address).collect();
        assert_eq!(images, ["/a.jpg", "/b.jpg", "/c.jpg"]);
    }

    proptest! {
        #[test]
        fn any_bytes_are_scanned(page in proptest::collection::vec(any::<u8>(), 0..200)) {
            references(&page, WINDOW).count();
            own_styles(&page).count();
        }

        #[test]
        fn nearly_markup_is_scanned(page in "[<>/=\"' a!-]{0,40}(<img|<script|<style|style|src|<!--|-->|<link rel=stylesheet){0,4}[<>/=\"' a-]{0,40}") {
            own_styles(page.as_bytes()).count();
            for reference in references(page.as_bytes(), WINDOW) {
                prop_assert!(!reference.address.is_empty());
            }
        }

        #[test]
        fn images_are_found_wherever_they_stand(before in "[a-z >\"']{0,30}", n in 0u32..1000, after in "[a-z<> ]{0,30}") {
            let page = format!("{before}<img class=x src=\"/{n}.jpg\">{after}");
            let address = format!("/{n}.jpg");
            prop_assert_eq!(found(&page), [(ReferenceKind::Image, address.as_str())]);
        }
    }
}
