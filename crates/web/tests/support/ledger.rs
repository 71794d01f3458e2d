//! A ledger of pages: a line for each with its status, size and hash, against the lines that were accepted
//! before.
//!
//! `GOLDEN=write` accepts what there is now; `PAGES=FOLDER` also writes every page to a file, for `diff -r`
//! between two versions.

use std::fmt::Write;
use std::path::Path;

use twox_hash::XxHash3_64;

/// What the pages of one test were.
#[derive(Default)]
pub struct Ledger {
    lines: String,
}

impl Ledger {
    /// Enters a page; `token` is the one of its forms, which is another one in each run.
    pub fn enter(&mut self, label: &str, status: u16, page: &str, token: &str) {
        let page = if token.is_empty() { page.to_owned() } else { page.replace(token, "TOKEN") };
        let hash = XxHash3_64::oneshot(page.as_bytes());
        writeln!(self.lines, "{status} {:6} {hash:016x} {label}", page.len()).expect("a string takes it");
        if let Some(folder) = std::env::var_os("PAGES") {
            let number = self.lines.lines().count();
            let file = Path::new(&folder).join(format!("{number:03}-{}.html", label.replace('/', "_")));
            std::fs::write(&file, page).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        }
    }

    /// Fails unless all pages are those in the file of accepted lines.
    #[track_caller]
    pub fn compare(&self, accepted: &Path) {
        if std::env::var_os("GOLDEN").is_some_and(|value| value == "write") {
            std::fs::write(accepted, &self.lines).expect("the accepted pages");
        }
        let expected = std::fs::read_to_string(accepted).expect("the accepted pages");
        let (old, new) = (expected.lines(), self.lines.lines());
        let differing: Vec<_> = old.zip(new).filter(|(old, new)| old != new).collect();
        assert!(expected == self.lines, "not as in {}: {differing:#?}", accepted.display());
    }
}
