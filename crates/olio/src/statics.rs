//! The site's 19 static files: 268,394 bytes, 238 KB of them scripts, as a browser met them in 2008.
//!
//! Two are written by hand and used (`style.css`, `site.js`), six are drawn icons; the rest are comments of
//! seeded filler under names of their own. Each is made when it is first asked for: a program that starts has
//! other work.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;

use loadstone_stats::Rng;
pub use loadstone_web::files::StaticFile;
use once_cell::race::OnceBox;

mod icon;
mod png;

/// Where static files stand.
pub const PREFIX: &str = "/static/";
/// The date of every static file and master: they never change while a program runs, and their entity tags
/// tell programs apart.
pub const LAST_MODIFIED: &str = "Wed, 22 Oct 2008 00:00:00 GMT";

/// Name and size of every file.
pub const MANIFEST: [(&str, usize); 19] = [
    ("style.css", 18_432),
    ("calendar.css", 3211),
    ("rating.css", 2148),
    ("kit.js", 126_127),
    ("effects.js", 38_916),
    ("drag.js", 30_744),
    ("controls.js", 9873),
    ("site.js", 9216),
    ("slider.js", 8312),
    ("calendar.js", 5402),
    ("rating.js", 4015),
    ("tags.js", 2988),
    ("map.js", 2561),
    ("brand.png", 2903),
    ("star.png", 716),
    ("star-empty.png", 598),
    ("rss.png", 734),
    ("calendar.png", 1086),
    ("footer.png", 412),
];

/// Every static file, in memory from the first time that it is asked for.
#[derive(Default)]
pub struct Statics {
    /// In the order of [`MANIFEST`].
    files: [OnceBox<StaticFile>; MANIFEST.len()],
}

impl Statics {
    /// None is made yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The file at a path such as `/static/style.css`.
    pub fn get(&self, path: &str) -> Option<&StaticFile> {
        let asked = path.strip_prefix(PREFIX)?;
        let (file, (name, size)) = self.files.iter().zip(MANIFEST).find(|(_, (name, _))| *name == asked)?;
        Some(file.get_or_init(|| Box::new(make(name, size))))
    }
}

/// Name and content of every file.
pub fn files() -> impl Iterator<Item = (&'static str, StaticFile)> {
    MANIFEST.into_iter().map(|(name, size)| (name, make(name, size)))
}

fn make(name: &str, size: usize) -> StaticFile {
    let (bytes, content_type) = match name.rsplit_once('.') {
        Some((stem, "png")) => (icon::draw(stem, size), "image/png"),
        Some((_, "css")) => (filled(source(name), size), "text/css; charset=utf-8"),
        _ => (filled(source(name), size), "text/javascript; charset=utf-8"),
    };
    StaticFile::new(format!("{PREFIX}{name}"), content_type, bytes)
}

/// What a file holds before the filler.
fn source(name: &str) -> &'static str {
    match name {
        "style.css" => include_str!("statics/style.css"),
        "site.js" => include_str!("statics/site.js"),
        _ => "/* Filler: what a page of 2008 carried with it. */\n",
    }
}

/// `source` and then comments of seeded letters up to exactly `size` bytes; `source` alone when it is larger.
fn filled(source: &str, size: usize) -> Vec<u8> {
    const OPEN: &str = "/*";
    const CLOSE: &str = "*/\n";
    const LINE: usize = 100;
    const LEAST: usize = OPEN.len() + CLOSE.len();
    let mut out = Vec::with_capacity(size);
    out.extend_from_slice(source.as_bytes());
    let mut rng = Rng::new(size as u64);
    while out.len() + LEAST <= size {
        // The last line is longer rather than leave too little for another.
        let missing = size - out.len();
        let length = if missing < LINE + LEAST { missing } else { LINE };
        out.extend_from_slice(OPEN.as_bytes());
        out.extend((LEAST..length).map(|_| b'a' + rng.below(26) as u8));
        out.extend_from_slice(CLOSE.as_bytes());
    }
    out.resize(out.len().max(size), b'\n');
    out
}

#[cfg(test)]
mod tests {
    use alloc::string::String;

    use super::{MANIFEST, Statics, filled};

    #[test]
    fn sizes_are_those_of_the_manifest() {
        let statics = Statics::new();
        for (name, size) in MANIFEST {
            let path = alloc::format!("/static/{name}");
            let file = statics.get(&path).unwrap();
            assert_eq!((&file.path, file.bytes.len()), (&path, size));
            assert!(core::ptr::eq(file, statics.get(&path).unwrap()));
        }
        let total = |suffix: &str| -> usize {
            MANIFEST.iter().filter(|(name, _)| name.ends_with(suffix)).map(|(_, size)| size).sum()
        };
        assert_eq!((total(""), total(".js") / 1000), (268_394, 238));
        assert_eq!(statics.get("/static/"), None);
    }

    #[test]
    fn filler_is_whole_comments() {
        for size in 0..500 {
            let text = String::from_utf8(filled("body{}\n", size)).unwrap();
            assert_eq!(text.len(), size.max(7));
            let comments = text.strip_prefix("body{}\n").unwrap().lines();
            assert!(comments.filter(|line| !line.is_empty()).all(|line| {
                line.starts_with("/*") && line.ends_with("*/") && line.matches('*').count() == 2
            }));
        }
    }
}
