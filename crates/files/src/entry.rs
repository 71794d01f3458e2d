//! A file of a folder: opened beneath it, and read when it is small.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, FileType, Mode, OFlags, ResolveFlags, Stat, fstat, open, openat2, statat};
use rustix::io::Errno;

use crate::variant::{Content, Refusal, Variant};

/// A file up to this size is kept as its content, which leaves with the head in one call; a larger one is
/// kept open, and read each time that it is sent.
const KEPT_CONTENT: u64 = 256 * 1024;
/// A file that changed so recently may change again within the same tick of the file system's clock, and look
/// the same.
const YOUNG_NS: i128 = 1_000_000_000;

/// The folder that is served.
#[derive(Debug)]
pub(crate) struct Root {
    folder: OwnedFd,
}

/// What tells a state of a file from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    device: u64,
    inode: u64,
    bytes: i64,
    modified_ns: i128,
    changed_ns: i128,
}

/// A file with its codings, and what it was on the disk.
#[derive(Debug)]
pub(crate) struct Entry {
    pub plain: Variant,
    pub gzip: Option<Variant>,
    pub media_type: String,
    /// Of the file, and of the one compressed beforehand.
    pub stamps: (Stamp, Option<Stamp>),
    /// Whether a later change could not look the same.
    pub settled: bool,
    /// When its file was looked at, milliseconds on the shelf's clock.
    pub checked_ms: AtomicU64,
}

impl Root {
    pub fn open(folder: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = Self { folder: open(folder, flags, Mode::empty())? };
        // Says at the start that the system lacks what every request needs.
        openat2(&root.folder, c".", OFlags::PATH | OFlags::CLOEXEC, Mode::empty(), ResolveFlags::BENEATH)?;
        Ok(root)
    }

    /// Loads the file of this name.
    pub fn load(&self, name: &[u8]) -> Result<Entry, Refusal> {
        let (file, stamp) = self.open_file(name)?;
        let (content, plain_settled) = read(file, stamp)?;
        let zipped = self.open_zipped(name, stamp);
        let stamps = (stamp, zipped.as_ref().map(|(_, stamp)| *stamp));
        let zipped = zipped.map(|(file, stamp)| read(file, stamp).map(|read| (read, stamp))).transpose()?;
        let varies = zipped.is_some();
        let settled = plain_settled && zipped.as_ref().is_none_or(|((_, settled), _)| *settled);
        Ok(Entry {
            plain: Variant::new(content, stamp.modified_ns, plain_settled, false, varies),
            gzip: zipped.map(|((content, settled), stamp)| {
                Variant::new(content, stamp.modified_ns, settled, true, true)
            }),
            media_type: media_type(name),
            stamps,
            settled,
            checked_ms: AtomicU64::new(0),
        })
    }

    /// Whether the file of this name, and the one compressed beforehand, are still those of the entry.
    pub fn is_current(&self, name: &[u8], entry: &Entry) -> bool {
        let look = |name: &[u8]| statat(&self.folder, name, AtFlags::empty()).ok().map(|stat| stamp(&stat));
        let plain = look(name);
        let zipped =
            look(&zipped_name(name)).filter(|zipped| plain.is_some_and(|plain| zipped.follows(plain)));
        (plain, zipped) == (Some(entry.stamps.0), entry.stamps.1)
    }

    /// Opens a regular file. Links are followed as long as they stay beneath the folder; a pipe or a device
    /// does not hold the opener up.
    fn open_file(&self, name: &[u8]) -> Result<(File, Stamp), Refusal> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let beneath = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        let file = openat2(&self.folder, name, flags, Mode::empty(), beneath).map_err(refusal)?;
        let stat = fstat(&file).map_err(refusal)?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Ok((File::from(file), stamp(&stat))),
            FileType::Directory => Err(Refusal::Directory),
            _ => Err(Refusal::Missing),
        }
    }

    /// The same file compressed beforehand, unless it is older.
    fn open_zipped(&self, name: &[u8], of: Stamp) -> Option<(File, Stamp)> {
        self.open_file(&zipped_name(name)).ok().filter(|(_, stamp)| stamp.follows(of))
    }
}

impl Stamp {
    /// Whether the file is no older than another.
    fn follows(&self, other: Self) -> bool {
        self.modified_ns >= other.modified_ns
    }

    /// Whether the file was changed so long ago that another change cannot bear the same time.
    fn is_settled(&self) -> bool {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as i128);
        (now - self.modified_ns).abs() > YOUNG_NS
    }
}

fn zipped_name(name: &[u8]) -> Vec<u8> {
    [name, b".gz"].concat()
}

fn stamp(stat: &Stat) -> Stamp {
    let ns = |s: i64, ns: u64| i128::from(s) * 1_000_000_000 + i128::from(ns);
    Stamp {
        device: stat.st_dev,
        inode: stat.st_ino,
        bytes: stat.st_size,
        modified_ns: ns(stat.st_mtime, stat.st_mtime_nsec),
        changed_ns: ns(stat.st_ctime, stat.st_ctime_nsec),
    }
}

fn refusal(error: Errno) -> Refusal {
    match error {
        // XDEV and LOOP: a link that leaves the folder, or goes round.
        Errno::NOENT | Errno::NOTDIR | Errno::NAMETOOLONG | Errno::XDEV | Errno::LOOP | Errno::NXIO => {
            Refusal::Missing
        }
        Errno::ACCESS | Errno::PERM => Refusal::Forbidden,
        Errno::MFILE | Errno::NFILE | Errno::NOMEM | Errno::AGAIN => Refusal::Busy,
        _ => Refusal::Broken,
    }
}

/// The content of a file, and whether it was read in a state that can be recognised.
fn read(file: File, before: Stamp) -> Result<(Content, bool), Refusal> {
    let bytes = usize::try_from(before.bytes).map_err(|_| Refusal::Broken)?;
    if before.bytes as u64 > KEPT_CONTENT {
        return Ok((Content::Open(Arc::new(file), bytes), before.is_settled()));
    }
    let mut content = vec![0; bytes];
    let mut at = 0;
    while at < bytes {
        match file.read_at(&mut content[at..], at as u64) {
            Ok(0) => break,
            Ok(count) => at += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return Err(Refusal::Broken),
        }
    }
    content.truncate(at);
    let after = fstat(&file).map_err(refusal)?;
    Ok((Content::Kept(content.into()), before.is_settled() && stamp(&after) == before))
}

/// The media type by the name's ending. Text is taken to be UTF-8.
pub fn media_type(name: &[u8]) -> String {
    let guess = mime_guess::from_path(String::from_utf8_lossy(name).as_ref()).first_raw();
    match guess.unwrap_or("application/octet-stream") {
        text if text.starts_with("text/") => format!("{text}; charset=utf-8"),
        other => other.to_owned(),
    }
}
