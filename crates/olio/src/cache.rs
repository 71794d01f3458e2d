//! Caching levels: nothing, rows, fragments, whole pages. Each level includes the ones before it.
//!
//! A key names every input of what it keeps: the page number, order, zip code, day, tag, the class of the
//! viewer, and the data set's today. What is kept is dropped when a change makes that cheap. Times to live
//! add up, because a fragment may be made from kept rows and a page from kept fragments: together they stay
//! within 30 s for lists and 300 s for the anonymous home page.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use loadstone_store::Result;
use loadstone_web::html::Html;

use crate::host::Host;
use crate::pack::Pack;

/// What may be kept between requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum CacheLevel {
    /// Nothing.
    #[default]
    None,
    /// Rows of the tag cloud, of lists and of events.
    Query,
    /// Parts of pages that are the same for a class of viewers.
    Fragment,
    /// The home page of people who are not logged in, and the feed.
    Page,
}

impl CacheLevel {
    /// Reads `none`, `query`, `fragment` or `page`.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "none" => Self::None,
            "query" => Self::Query,
            "fragment" => Self::Fragment,
            "page" => Self::Page,
            _ => return None,
        })
    }
}

/// Time to live of rows, in seconds.
const ROWS_TTL_S: u32 = 15;
/// Time to live of fragments, in seconds.
const FRAGMENT_TTL_S: u32 = 15;
/// Time to live of the feed, in seconds.
pub(crate) const FEED_TTL_S: u32 = 15;
/// Time to live of the anonymous home page, in seconds.
pub(crate) const HOME_TTL_S: u32 = 270;

/// Stands in a kept page where each visitor's token goes. Forms are cleaned of control characters, so it
/// cannot occur in content. As long as a token.
pub(crate) const TOKEN_HOLE: &str = match core::str::from_utf8(&[1; 64]) {
    Ok(hole) => hole,
    Err(_) => unreachable!(),
};

/// The shared cache at a level.
#[derive(Clone, Copy)]
pub(crate) struct Cache<'h> {
    host: &'h dyn Host,
    level: CacheLevel,
}

impl<'h> Cache<'h> {
    /// The host's cache, used up to `level`.
    pub(crate) fn new(host: &'h dyn Host, level: CacheLevel) -> Self {
        Self { host, level }
    }

    /// Rows: kept ones, or those that `load` finds.
    pub(crate) fn rows<T: Pack>(self, key: &str, load: impl FnOnce() -> Result<T>) -> Result<T> {
        if self.level < CacheLevel::Query {
            return load();
        }
        let key = alloc::format!("rows:{key}");
        if let Some(rows) = self.host.cache_get(&key).and_then(|bytes| T::unpack(&mut &bytes[..])) {
            return Ok(rows);
        }
        let rows = load()?;
        let mut bytes = Vec::new();
        rows.pack(&mut bytes);
        self.host.cache_put(&key, bytes.into(), ROWS_TTL_S);
        Ok(rows)
    }

    /// A part of a page: appends the kept one, or what `render` appends.
    pub(crate) fn fragment(
        self,
        key: &str,
        page: &mut Html,
        render: impl FnOnce(&mut Html) -> Result<()>,
    ) -> Result<()> {
        if self.level < CacheLevel::Fragment {
            return render(page);
        }
        let key = alloc::format!("fragment:{key}");
        if let Some(bytes) = self.host.cache_get(&key) {
            page.append(&bytes);
            return Ok(());
        }
        let start = page.as_bytes().len();
        render(page)?;
        self.host.cache_put(&key, page.as_bytes()[start..].into(), FRAGMENT_TTL_S);
        Ok(())
    }

    /// A whole page with a hole where the token goes; `None` at lower levels and when none is kept.
    pub(crate) fn page(self, key: &str) -> Option<Arc<[u8]>> {
        if self.level < CacheLevel::Page { None } else { self.host.cache_get(key) }
    }

    /// Whether whole pages are kept.
    pub(crate) fn keeps_pages(self) -> bool {
        self.level >= CacheLevel::Page
    }

    /// Keeps a whole page.
    pub(crate) fn put_page(self, key: &str, page: &[u8], ttl_s: u32) {
        self.host.cache_put(key, page.into(), ttl_s);
    }

    /// Drops a whole page.
    pub(crate) fn drop_page(self, key: &str) {
        if self.keeps_pages() {
            self.host.cache_remove(key);
        }
    }

    /// Drops the rows and the fragment of a key.
    pub(crate) fn drop_key(self, key: &str) {
        if self.level >= CacheLevel::Query {
            self.host.cache_remove(&alloc::format!("rows:{key}"));
            self.host.cache_remove(&alloc::format!("fragment:{key}"));
        }
    }
}

/// Copies a kept page to `out` with the token in its holes.
pub(crate) fn fill_holes(kept: &[u8], token: &str, out: &mut Vec<u8>) {
    let mut rest = kept;
    while let Some(at) = memchr::memchr(1, rest) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(token.as_bytes());
        rest = &rest[(at + TOKEN_HOLE.len()).min(rest.len())..];
    }
    out.extend_from_slice(rest);
}

/// Which viewers a list looks the same for: `own` when it shows the viewer's events, which they can edit.
pub(crate) fn viewer_class(owner: Option<i64>, creators: impl IntoIterator<Item = i64>) -> String {
    match owner {
        Some(owner) if creators.into_iter().any(|creator| creator == owner) => alloc::format!("own={owner}"),
        _ => String::from("other"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_are_filled_wherever_they_are() {
        let mut out = Vec::new();
        let kept = alloc::format!("{TOKEN_HOLE}a{TOKEN_HOLE}{TOKEN_HOLE}b");
        fill_holes(kept.as_bytes(), "T", &mut out);
        assert_eq!(out, b"TaTTb");
    }

    #[test]
    fn levels_are_ordered_as_they_include_each_other() {
        let levels =
            ["none", "query", "fragment", "page"].map(|name| CacheLevel::parse(name).expect("a level"));
        assert!(levels.is_sorted());
        assert_eq!(CacheLevel::parse("all"), None);
    }
}
