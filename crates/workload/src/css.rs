//! What a style sheet refers to. Not a parser of CSS: it passes over comments and strings, finds `@import` and
//! `url()`, and accepts whatever bytes come.

mod address;

use memchr::memmem;

pub use address::style_decode;

/// What a style sheet refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StyleReference<'a> {
    /// Another style sheet.
    pub is_sheet: bool,
    /// The address as it is written; [`style_decode`] says what it means.
    pub address: &'a [u8],
}

/// The style sheets that a sheet imports, its images, and of each font the first file that a browser takes, in order,
/// repeated ones too.
///
/// Whether a page has anything that a rule applies to is not asked: all rules count. Addresses within the document
/// (`#name`) are left out.
pub fn style_references(sheet: &[u8]) -> impl Iterator<Item = StyleReference<'_>> {
    Sheet { rest: sheet, may_import: true, font: None }
}

/// The same of the declarations that a `style` attribute has, where nothing can be imported.
pub fn declaration_references(declarations: &[u8]) -> impl Iterator<Item = StyleReference<'_>> {
    Sheet { rest: declarations, may_import: false, font: None }
}

struct Sheet<'a> {
    rest: &'a [u8],
    /// No rule came yet; later imports are void.
    may_import: bool,
    /// Inside of `@font-face`: what its latest `src` offers first.
    font: Option<Option<&'a [u8]>>,
}

impl<'a> Iterator for Sheet<'a> {
    type Item = StyleReference<'a>;

    fn next(&mut self) -> Option<StyleReference<'a>> {
        loop {
            let starts =
                |b: &u8| matches!(b, b'/' | b'"' | b'\'' | b'@' | b'{' | b'}') || b.is_ascii_alphabetic();
            let at = self.rest.iter().position(starts)?;
            self.rest = &self.rest[at..];
            match self.rest[0] {
                b'/' => self.rest = after_comment(self.rest),
                b'"' | b'\'' => self.rest = string(self.rest).1,
                b'{' => {
                    self.may_import = false;
                    self.rest = &self.rest[1..];
                }
                b'}' => {
                    self.rest = &self.rest[1..];
                    if let Some(address) = self.font.take().flatten() {
                        return Some(StyleReference { is_sheet: false, address });
                    }
                }
                b'@' => {
                    if let Some(found) = self.at_rule() {
                        return Some(found);
                    }
                }
                _ => {
                    if let Some(found) = self.word() {
                        return Some(found);
                    }
                }
            }
        }
    }
}

impl<'a> Sheet<'a> {
    /// `@import`, `@font-face`, or another one, of which only the name is passed over.
    fn at_rule(&mut self) -> Option<StyleReference<'a>> {
        let (name, rest) = word(&self.rest[1..]);
        self.rest = rest;
        if name.eq_ignore_ascii_case(b"font-face") {
            self.font = Some(None);
        } else if name.eq_ignore_ascii_case(b"namespace") {
            // Its address is a name that nobody asks for.
            self.rest = &rest[memchr::memchr(b';', rest).unwrap_or(rest.len())..];
        } else if name.eq_ignore_ascii_case(b"import") && self.may_import {
            let rest = after_space(rest);
            let (address, rest) = match rest.first()? {
                b'"' | b'\'' => string(rest),
                _ => url(word(rest))?,
            };
            self.rest = rest;
            return sound(address).map(|address| StyleReference { is_sheet: true, address });
        }
        None
    }

    /// A word: `url(…)`, the `src` of a font, or nothing of interest.
    fn word(&mut self) -> Option<StyleReference<'a>> {
        let (name, rest) = word(self.rest);
        self.rest = rest;
        if name.eq_ignore_ascii_case(b"src") && rest.trim_ascii_start().starts_with(b":") {
            self.font = self.font.map(|_| None);
            return None;
        }
        let (address, rest) = url((name, rest))?;
        self.rest = rest;
        let address = sound(address)?;
        match &mut self.font {
            Some(first) => {
                if first.is_none() && is_taken(address, rest) {
                    *first = Some(address);
                }
                None
            }
            None => Some(StyleReference { is_sheet: false, address }),
        }
    }
}

/// What follows a comment, or the slash that begins none.
fn after_comment(text: &[u8]) -> &[u8] {
    if !text.starts_with(b"/*") {
        return &text[1..];
    }
    memmem::find(&text[2..], b"*/").map_or(&[], |end| &text[end + 4..])
}

fn after_space(mut text: &[u8]) -> &[u8] {
    loop {
        text = text.trim_ascii_start();
        if !text.starts_with(b"/*") {
            return text;
        }
        text = after_comment(text);
    }
}

/// The inside of the string at the beginning of `text`, and what follows it. A line end ends it, too.
fn string(text: &[u8]) -> (&[u8], &[u8]) {
    let quote = text[0];
    let mut at = 1;
    while let Some(byte) = text.get(at) {
        match *byte {
            b'\\' => at += if text[at..].starts_with(b"\\\r\n") { 2 } else { 1 },
            byte if byte == quote => return (&text[1..at], &text[at + 1..]),
            b'\n' => break,
            _ => {}
        }
        at += 1;
    }
    let end = at.min(text.len());
    (&text[1..end], &text[end..])
}

/// The letters, digits and hyphens at the beginning of `text`, at least one byte, and what follows them.
fn word(text: &[u8]) -> (&[u8], &[u8]) {
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_') || *b >= 0x80;
    let length = text.iter().position(|b| !is_part(b)).unwrap_or(text.len());
    text.split_at(length.max(1).min(text.len()))
}

/// The address of the `url(` that a word and what follows it are, and what follows that.
fn url<'a>((name, rest): (&'a [u8], &'a [u8])) -> Option<(&'a [u8], &'a [u8])> {
    let inside = rest.strip_prefix(b"(").filter(|_| name.eq_ignore_ascii_case(b"url"))?.trim_ascii_start();
    if matches!(inside.first(), Some(b'"' | b'\'')) {
        return Some(string(inside));
    }
    let end = closing(inside);
    Some((inside[..end].trim_ascii_end(), &inside[end..]))
}

/// Where the `)` stands that ends an address, escaped ones passed over.
fn closing(text: &[u8]) -> usize {
    let mut at = 0;
    while let Some(more) = text.get(at..).and_then(|rest| memchr::memchr2(b')', b'\\', rest)) {
        at += more;
        if text[at] == b')' {
            return at;
        }
        at += 2;
    }
    text.len()
}

/// An address that leads out of the document.
fn sound(address: &[u8]) -> Option<&[u8]> {
    let address = address.trim_ascii();
    (!address.is_empty() && !address.starts_with(b"#")).then_some(address)
}

/// Whether a browser takes a font of this address, followed by `rest`: none takes EOT or SVG any more.
fn is_taken(address: &[u8], rest: &[u8]) -> bool {
    let rest = rest.strip_prefix(b")").unwrap_or(rest).trim_ascii_start();
    let told = rest.get(..7).filter(|word| word.eq_ignore_ascii_case(b"format(")).map(|_| {
        let end = memchr::memchr(b')', rest).unwrap_or(rest.len());
        let name = rest[7..end].trim_ascii();
        name.strip_prefix(b"\"").or(name.strip_prefix(b"'")).unwrap_or(name)
    });
    match told {
        Some(format) => !["embedded-opentype", "svg"].iter().any(|old| format.starts_with(old.as_bytes())),
        None => {
            let end = address.iter().position(|b| matches!(b, b'?' | b'#')).unwrap_or(address.len());
            !address[..end].to_ascii_lowercase().ends_with(b".eot")
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(sheet: &str) -> Vec<(bool, &str)> {
        style_references(sheet.as_bytes())
            .map(|one| (one.is_sheet, std::str::from_utf8(one.address).unwrap()))
            .collect()
    }

    #[test]
    fn imports_and_images() {
        let sheet = "@charset \"utf-8\"; @import 'a.css'; @IMPORT url(b.css) screen;/* @import 'no' */\
            @import url( \"c.css\" ) layer(x);@layer y; body{background:URL(  'x y.png' ) no-repeat, url(z.png)}\
            p::after{content:\"url(no.png)\"} @import 'late.css'; .q{background-image:image-set(url(r.png) 1x)}\
            s{src:url(t.cur)} u{background:url()} v{fill:url(#no);clip-path:url('#no')} my-url(no) curl(no)";
        let (sheets, files) = (["a.css", "b.css", "c.css"], ["x y.png", "z.png", "r.png", "t.cur"]);
        let expected = sheets.iter().map(|one| (true, *one)).chain(files.iter().map(|one| (false, *one)));
        assert_eq!(found(sheet), expected.collect::<Vec<_>>());
    }

    #[test]
    fn of_a_font_the_file_that_a_browser_takes() {
        let sheet = "@font-face{font-family:\"F\";src:url(f.eot);src:url('f.eot?#iefix') \
            format('embedded-opentype'),url(f.woff2) format(\"woff2\"),url(f.woff)format('woff'),url(f.svg#f) \
            format(svg)}@font-face{src:local(X),url(g.eot?x),url(g.ttf)} p{background:url(h.png)}\
            @font-face{src:url(only.eot)}";
        assert_eq!(found(sheet), [(false, "f.woff2"), (false, "g.ttf"), (false, "h.png")]);
    }

    #[test]
    fn a_namespace_and_an_attribute_import_nothing() {
        assert_eq!(
            found("@namespace svg url(http://www.w3.org/2000/svg); a{background:url(a.png)}"),
            [(false, "a.png")]
        );
        let own: Vec<_> = declaration_references(b"@import 'no'; background:url(b.png)").collect();
        assert_eq!(own, [StyleReference { is_sheet: false, address: b"b.png" }]);
    }

    #[test]
    fn escaped_addresses_are_found_and_read() {
        let sheet = "@import \"a\\2e css\"; p{background:url(b\\).png)} q{background:url('c\\'.png')}\
            r{background:url('d\\\n.png') url(\"d\\\r\n.png\")} s{background:url(\"e\\\"f.png\")}\
            t{background:url(\\23no)} u{background:url(g\\";
        let mut meant = Vec::new();
        for one in style_references(sheet.as_bytes()) {
            style_decode(one.address, &mut meant);
            meant.push(b' ');
        }
        let expected = b"a.css b).png c'.png d.png d.png e%22f.png #no g ";
        assert_eq!(meant, expected, "{}", String::from_utf8_lossy(&meant));
    }

    proptest! {
        #[test]
        fn any_bytes_are_scanned(sheet in proptest::collection::vec(any::<u8>(), 0..200)) {
            style_references(&sheet).count();
        }

        #[test]
        fn nearly_css_is_scanned(sheet in "(@import|@font-face|url\\(|src:|format\\(|/\\*|\\*/|[\"'{};)\\\\ a-]){0,40}") {
            for one in style_references(sheet.as_bytes()) {
                prop_assert!(!one.address.is_empty());
            }
        }
    }
}
