//! Several hundred statements and what they answer; `tests/nostd` holds SQLite without an operating system to
//! the same answers. `BLESS=1` writes them down anew.

extern crate alloc;

use loadstone_store::vfs::{MemoryVfs, register};
use loadstone_store::{Db, Options};

#[path = "../../../tests/nostd/src/transcript.rs"]
mod transcript;

const ANSWERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/nostd/statements.txt");

#[test]
fn statements_answer_as_written_down() {
    register("statements", MemoryVfs::new()).unwrap();
    let options = Options { vfs: Some("statements".into()), ..Options::memory() };
    let found = transcript::transcript(&Db::open("statements.db", &options).unwrap());
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(ANSWERS, &found).unwrap();
    }
    let written = std::fs::read_to_string(ANSWERS).unwrap();
    for (number, (found, written)) in (1..).zip(found.lines().zip(written.lines())) {
        assert_eq!(found, written, "line {number}");
    }
    assert_eq!(found.lines().count(), written.lines().count());
}
