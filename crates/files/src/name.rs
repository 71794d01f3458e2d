//! From the path of a request to the name of a file.

use alloc::vec::Vec;

/// Why a path names no file, whatever the folder holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadName {
    /// It is not percent-encoded as it should be: 400.
    Malformed,
    /// No file may be reached by it: 404.
    Hidden,
}

/// The file that a directory is shown by.
const INDEX: &[u8] = b"index.html";

/// The name, relative to the folder, of the file that `path` asks for; a path that ends in `/` asks for
/// `index.html` there.
///
/// No part of a name is empty or begins with a dot, which rules `..` out as well as hidden files; only
/// `.well-known` (RFC 8615) may come first. An encoded slash or NUL is refused: no name holds one.
///
/// ```
/// use loadstone_files::{BadName, file_name};
/// assert_eq!(file_name("/a%20b/c.css").unwrap(), b"a b/c.css");
/// assert_eq!(file_name("/").unwrap(), b"index.html");
/// assert_eq!(file_name("/a/%2e%2e/b"), Err(BadName::Hidden));
/// ```
///
/// # Errors
/// [`BadName`].
pub fn file_name(path: &str) -> Result<Vec<u8>, BadName> {
    let path = path.strip_prefix('/').ok_or(BadName::Malformed)?;
    let mut name = Vec::with_capacity(path.len() + INDEX.len());
    let mut parts = path.split('/').enumerate().peekable();
    while let Some((at, part)) = parts.next() {
        let start = name.len();
        decode(part, &mut name)?;
        let (part, last) = (&name[start..], parts.peek().is_none());
        if part.is_empty() && last {
            name.extend_from_slice(INDEX);
            break;
        }
        let dotted = part.starts_with(b".") && !(at == 0 && part == b".well-known");
        if part.is_empty() || dotted || part.contains(&b'/') || part.contains(&0) {
            return Err(BadName::Hidden);
        }
        if !last {
            name.push(b'/');
        }
    }
    Ok(name)
}

/// Appends what the percent-encoded `part` stands for.
fn decode(part: &str, name: &mut Vec<u8>) -> Result<(), BadName> {
    let mut bytes = part.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            name.push(byte);
            continue;
        }
        let mut digit =
            || bytes.next().and_then(|byte| char::from(byte).to_digit(16)).ok_or(BadName::Malformed);
        name.push((digit()? << 4 | digit()?) as u8);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_are_found() {
        for (path, name) in [
            ("/", "index.html"),
            ("/a", "a"),
            ("/a/", "a/index.html"),
            ("/a/b.tar.gz", "a/b.tar.gz"),
            ("/%41%2dz", "A-z"),
            ("/a...", "a..."),
            ("/a\\..\\b", "a\\..\\b"),
            ("/.well-known/acme", ".well-known/acme"),
        ] {
            assert_eq!(file_name(path).unwrap(), name.as_bytes(), "{path}");
        }
        assert_eq!(file_name("/%ff").unwrap(), b"\xff");
    }

    #[test]
    fn hostile_paths_name_nothing() {
        for path in [
            "/..",
            "/../etc/passwd",
            "/a/../../b",
            "/%2e%2e/b",
            "/%2e./b",
            "/.%2E/b",
            "/a/.",
            "/./a",
            "/.htaccess",
            "/a/.git/config",
            "/a/.well-known/b",
            "//a",
            "//",
            "/a//b",
            "/a%2fb",
            "/..%2fb",
            "/%2e%2e%2fb",
            "/%2fetc/passwd",
            "/a%00.html",
        ] {
            assert_eq!(file_name(path), Err(BadName::Hidden), "{path}");
        }
        for path in ["*", "", "a", "/%", "/%2", "/%zz", "/a%2", "/%+1", "/%\u{e9}\u{e9}"] {
            assert_eq!(file_name(path), Err(BadName::Malformed), "{path}");
        }
    }

    proptest! {
        #[test]
        fn a_name_stays_in_the_folder(path in "/?((\\.|%2e|%2E|%2f|%00|/|a|%|\\\\){0,4}/?){0,5}") {
            if let Ok(name) = file_name(&path) {
                prop_assert!(!name.contains(&0));
                for part in name.split(|&byte| byte == b'/') {
                    prop_assert!(!part.is_empty() && (part == b".well-known" || part[0] != b'.'), "{path}");
                }
            }
        }
    }
}
