//! Whether a page is well-formed: balanced tags, quoted attributes, unique ids, known entities, one final
//! newline.

/// Elements that have no end tag.
const VOID: [&str; 7] = ["meta", "link", "input", "img", "br", "hr", "circle"];
const ENTITIES: [&str; 5] = ["amp;", "lt;", "gt;", "quot;", "#39;"];

/// Fails with the place when a page or fragment is not well-formed.
#[track_caller]
pub fn check(text: &str) {
    if let Err(error) = balanced(text) {
        panic!("{error} in {text}");
    }
    assert!(text.ends_with(">\n") && !text.ends_with("\n\n"), "one final newline: {text}");
    assert!(!text.contains(" \n") && !text.contains('\r'), "no trailing blanks, plain newlines");
}

fn balanced(text: &str) -> Result<(), String> {
    let mut open: Vec<&str> = Vec::new();
    let mut ids = Vec::new();
    let mut rest = text.strip_prefix("<!DOCTYPE html>\n").unwrap_or(text);
    while let Some(at) = rest.find('<') {
        entities(&rest[..at])?;
        if rest[..at].contains('>') {
            return Err(format!("a bare > before {}", clip(&rest[at..])));
        }
        let tag = &rest[at + 1..];
        let end = tag_end(tag).ok_or_else(|| format!("an open tag at {}", clip(tag)))?;
        let (inner, after) = (&tag[..end], &tag[end + 1..]);
        rest = after;
        if let Some(name) = inner.strip_prefix('/') {
            let last = open.pop();
            if last != Some(name) {
                return Err(format!("</{name}> closes {last:?} before {}", clip(rest)));
            }
            continue;
        }
        let name = inner.split([' ', '/']).next().unwrap_or("");
        if name.is_empty() || !name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()) {
            return Err(format!("a strange tag <{}>", clip(inner)));
        }
        for value in inner.split('"').skip(1).step_by(2) {
            entities(value)?;
        }
        if let Some(id) = inner.split(" id=\"").nth(1).and_then(|id| id.split('"').next()) {
            if ids.contains(&id) {
                return Err(format!("id {id} twice"));
            }
            ids.push(id);
        }
        if !VOID.contains(&name) && !inner.ends_with('/') {
            open.push(name);
        }
    }
    entities(rest)?;
    if rest.contains('>') {
        return Err(format!("a bare > in {}", clip(rest)));
    }
    if open.is_empty() { Ok(()) } else { Err(format!("never closed: {open:?}")) }
}

/// Where a tag ends: the first `>` outside quotes.
fn tag_end(tag: &str) -> Option<usize> {
    let mut quoted = false;
    for (at, byte) in tag.bytes().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b'>' if !quoted => return Some(at),
            b'<' => return None,
            _ => {}
        }
    }
    None
}

fn entities(text: &str) -> Result<(), String> {
    for after in text.split('&').skip(1) {
        if !ENTITIES.iter().any(|entity| after.starts_with(entity)) {
            return Err(format!("an unknown entity &{}", clip(after)));
        }
    }
    Ok(())
}

fn clip(text: &str) -> String {
    text.chars().take(60).collect()
}

#[test]
fn the_checker_finds_what_is_wrong() {
    for good in ["<p>a</p>\n", "<p title=\"a&gt;b\">a &amp; b<br></p>\n", "<svg><path d=\"M0\"/></svg>\n"] {
        assert_eq!(balanced(good), Ok(()), "{good}");
    }
    for bad in [
        "<p>",
        "</p>",
        "<p><b></p></b>",
        "a & b",
        "<p id=\"a\"></p><b id=\"a\"></b>",
        "a > b",
        "<p",
        "<P></P>",
    ] {
        assert!(balanced(bad).is_err(), "{bad}");
    }
}
