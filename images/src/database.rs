//! Where a site's database is: on the machine's disk, or in its memory when the command line says
//! `data.disk=none`.

use alloc::format;
use alloc::string::{String, ToString};

use loadstone_appliance::args::Args;
use loadstone_appliance::bare::{Machine, entropy, heap};
use loadstone_appliance::fixed;
use loadstone_sqlite::set_canary;
use loadstone_store::vfs::block::{BlockVfs, FormatOptions, MountError};
use loadstone_store::vfs::{MemoryVfs, provide_entropy, register};
use loadstone_store::{Access, Db, Options, release_memory};

/// The words that are about it, in an image that never loads a data set.
#[cfg(feature = "own-database")]
pub const WORDS: [&str; 2] = ["data.disk", "data.erase"];
/// Name of the VFS, on the disk or in memory.
const VFS: &str = "data";
/// The share of the free heap that a connection's page cache may take, and its bounds in KiB.
const CACHE_SHARE: usize = 16;
const CACHE_KIB: (usize, usize) = (128, 8 * 1024);

/// A site's database, with a data set in it.
pub struct Place {
    /// Its name in the VFS.
    pub name: &'static str,
    /// How connections are opened.
    pub options: Options,
}

impl Place {
    /// Finds the data set `name`, or makes it with `load` when there is none and the command line says
    /// `data.load=SIZE`.
    ///
    /// # Errors
    /// A sentence when there is no disk, or no data set and no word about how large a new one should be.
    pub fn open<T>(
        machine: &mut Machine,
        name: &'static str,
        size: impl FnOnce(&str) -> Option<T>,
        load: impl FnOnce(&Db, T, &dyn Fn(u64, u64)) -> Result<(), String>,
    ) -> Result<Self, String> {
        if const { fixed::is("data.load", "none") } {
            let place = Self { name, options: begin(machine, false)? };
            return match place.is_loaded()? {
                true => Ok(place),
                false => Err("there is no data set on the disk, and the image was built to make none".into()),
            };
        }
        let size = word(&machine.args, "data.load", None, |text| size(text).map(Some))?;
        let place = Self { name, options: begin(machine, size.is_some())? };
        if place.is_loaded()? {
            return Ok(place);
        }
        let Some(size) = size else {
            return Err(
                "there is no data set on the disk; data.load=SIZE on the command line makes one".into()
            );
        };
        loadstone_appliance::log!("{name}: loading a data set");
        let reported = core::cell::Cell::new(0);
        let progress = |done: u64, of: u64| {
            let tenth = (done * 10).checked_div(of).unwrap_or(10);
            if tenth > reported.replace(tenth) {
                loadstone_appliance::log!("{name}: {} %", tenth * 10);
            }
        };
        load(&place.connect(Access::Create)?, size, &progress)?;
        Ok(place)
    }

    /// Whether the database is there and its last table, `meta`, has rows: loading is one transaction.
    fn is_loaded(&self) -> Result<bool, String> {
        let db = self.connect(Access::Create)?;
        let sql = "SELECT count(*) FROM sqlite_schema WHERE name = 'meta'";
        let found = db.query_row(sql, &[], |row| row.int(0)).map_err(|error| self.trouble(&error))?;
        Ok(found.unwrap_or(0) > 0)
    }

    fn connect(&self, access: Access) -> Result<Db, String> {
        let options = Options { access, ..self.options.clone() };
        Db::open(self.name, &options).map_err(|error| self.trouble(&error))
    }

    fn trouble(&self, error: &loadstone_store::Error) -> String {
        format!("{}: {error}", self.name)
    }
}

/// Where databases are, on a disk that is formatted if it is empty. What is there says the word `data.disk`.
///
/// # Errors
/// A sentence when there is no disk, or it cannot be used.
pub fn found(machine: &mut Machine) -> Result<Options, String> {
    begin(machine, true)
}

/// What a word of the command line says.
///
/// # Errors
/// A sentence when `parse` does not understand it.
pub fn word<T>(
    args: &Args,
    key: &str,
    default: T,
    parse: impl FnOnce(&str) -> Option<T>,
) -> Result<T, String> {
    match args.app(key) {
        None => Ok(default),
        Some(text) => parse(text).ok_or_else(|| format!("{key}={text} is not understood")),
    }
}

/// Reads a number such as `12` or `0.005`, to millionths: the standard library's way takes sixteen kilobytes
/// of image.
pub fn decimal(text: &str) -> Option<f64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str| -> Option<u32> {
        let plain = (1..=6).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|_| plain)
    };
    let millionths = digits(part)? * 10_u32.pow(6 - part.len() as u32);
    Some(f64::from(digits(whole)?) + f64::from(millionths) / 1e6)
}

/// Gets SQLite ready, and registers the VFS.
fn begin(machine: &mut Machine, may_format: bool) -> Result<Options, String> {
    provide_entropy(entropy);
    let mut canary = [0; size_of::<usize>()];
    entropy(&mut canary);
    set_canary(usize::from_ne_bytes(canary));
    // What is cached of the disk need not travel: the disk will be there.
    machine.callbacks.on_relocate(|| {
        release_memory();
    });
    mount(machine, may_format)
}

fn mount(machine: &mut Machine, may_format: bool) -> Result<Options, String> {
    let trouble = |error: loadstone_store::Error| error.to_string();
    let base = if is_in_memory(&machine.args)? {
        register(VFS, MemoryVfs::new()).map_err(trouble)?;
        Options::memory()
    } else {
        let mut disk = machine.disk()?.ok_or(
            "there is no disk; data.disk=none on the command line keeps the data in memory, as long as it runs",
        )?;
        if may_format {
            let erase = machine.args.app("data.erase");
            match BlockVfs::format_empty(&mut disk, &FormatOptions::default(), erase) {
                Err(MountError::Held(held)) if held.is_ours() => {}
                formatted => formatted.map_err(|error| no_disk(&error))?,
            }
        }
        register(VFS, BlockVfs::mount(disk).map_err(|error| no_disk(&error))?).map_err(trouble)?;
        Options::block()
    };
    let cache_kib = (heap().free() / 1024 / CACHE_SHARE).clamp(CACHE_KIB.0, CACHE_KIB.1) as u32;
    Ok(Options { vfs: Some(VFS.into()), cache_kib, ..base })
}

fn is_in_memory(args: &Args) -> Result<bool, String> {
    if const { fixed::is("data.disk", "none") } {
        return Ok(true);
    }
    match args.app("data.disk") {
        Some("none") => Ok(true),
        Some(other) => Err(format!("data.disk={other}: it is `none` or not said")),
        None => Ok(false),
    }
}

fn no_disk(error: &MountError) -> String {
    match error {
        MountError::NotFormatted => {
            "the disk was not formatted for databases; on an empty one data.load=SIZE makes a data set".into()
        }
        MountError::Held(held) => {
            format!(
                "{error}; it is left as it is. data.erase={} formats it, and all of that is lost",
                held.name
            )
        }
        _ => format!("the disk cannot be used: {error}"),
    }
}
