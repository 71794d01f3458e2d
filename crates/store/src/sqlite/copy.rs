//! Copies of whole databases, from one place for files to another.

use alloc::format;
use alloc::string::String;
use core::ffi::c_int;

use libsqlite3_sys as ffi;

use super::{Connection, Sqlite};
use crate::vfs::RESERVED_MOST;
use crate::{Options, Result, Value};

/// Copies a database, as it was last committed and without the room that it does not use, into a new one in
/// the VFS `vfs`; without, into a file of the operating system, whose path is absolute.
///
/// # Errors
/// As SQLite reports: a source that is damaged or no database, a target that is there already or has no room.
pub fn copy_database(from: &str, options: &Options, to: &str, vfs: Option<&str>) -> Result<()> {
    let connection = Connection::open_with(from, options, ffi::SQLITE_OPEN_URI)?;
    if vfs.is_some() {
        connection.pragma("PRAGMA page_size = 4096")?;
        // Behind that, which forgets it: the new one leaves as much of each page as any VFS of ours wants.
        connection.request_room(RESERVED_MOST.into())?;
    }
    let source = Sqlite::on(connection);
    // The system's files have one name on every kind of Unix.
    let target = format!("file:{}?vfs={}", escaped(to), vfs.unwrap_or("unix"));
    source.execute("VACUUM INTO ?1", &[Value::Text(&target)]).map(drop)
}

/// What has a meaning in a URI, as its code.
fn escaped(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for letter in path.chars() {
        match letter {
            '?' | '#' | '%' => out.push_str(&format!("%{:02x}", u32::from(letter))),
            other => out.push(other),
        }
    }
    out
}

impl Connection {
    /// Has the next database that is made of this one leave so many bytes of each page.
    pub(super) fn request_room(&self, mut bytes: c_int) -> Result<()> {
        let place = (&raw mut bytes).cast();
        // SAFETY: the connection is open; the control takes a place with an int, for the call's time.
        let code = unsafe {
            ffi::sqlite3_file_control(self.raw(), c"main".as_ptr(), ffi::SQLITE_FCNTL_RESERVE_BYTES, place)
        };
        if code == ffi::SQLITE_OK { Ok(()) } else { Err(self.error(code, "")) }
    }
}
