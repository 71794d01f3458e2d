//! Links without an operating system, and writes the folder that the image `files` serves as Rust.

mod link;

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use loadstone_files::{file_name, media_type};

fn main() {
    let here = PathBuf::from(variable("CARGO_MANIFEST_DIR"));
    link::as_image(&here.join("link.ld"));
    println!("cargo:rerun-if-env-changed=LOADSTONE_SITE");
    let site = std::env::var_os("LOADSTONE_SITE").map_or_else(|| here.join("site"), PathBuf::from);
    let mut source = String::from("[\n");
    let site = site.canonicalize().unwrap_or_else(|error| refuse(&site, &error.to_string()));
    embed(&site, &site, "", &mut source);
    source.push(']');
    let target = PathBuf::from(variable("OUT_DIR")).join("files.rs");
    fs::write(&target, source).unwrap_or_else(|error| refuse(&target, &error.to_string()));
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("cargo sets {name}"))
}

/// The build ends, saying why.
fn refuse(path: &Path, why: &str) -> ! {
    eprintln!("error: {}: {why}", path.display());
    std::process::exit(2)
}

/// Writes the files beneath `folder` of the `site`, whose own name there is `prefix`, that can be asked for.
fn embed(site: &Path, folder: &Path, prefix: &str, source: &mut String) {
    println!("cargo:rerun-if-changed={}", folder.display());
    let entries = fs::read_dir(folder).unwrap_or_else(|error| refuse(folder, &error.to_string()));
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap_or_else(|error| refuse(folder, &error.to_string())).path())
        .collect();
    paths.sort();
    for path in &paths {
        let Some(own) = path.file_name().and_then(|name| name.to_str()) else {
            refuse(path, "its name is no UTF-8")
        };
        let name = format!("{prefix}{own}");
        if path.is_symlink() && !is_own_file(site, path) {
            refuse(path, "a link that leads to no file of the folder");
        }
        if path.is_dir() {
            embed(site, path, &format!("{name}/"), source);
        } else if is_reachable(&name) {
            write_file(path, &name, source);
        }
    }
}

/// Whether a link leads to a file of the site: what else it leads to is not meant to be published.
fn is_own_file(site: &Path, link: &Path) -> bool {
    link.canonicalize().is_ok_and(|target| target.is_file() && target.starts_with(site))
}

/// Whether any path leads to this name: none does to a hidden file.
fn is_reachable(name: &str) -> bool {
    let encoded: String =
        name.bytes().map(|byte| if byte == b'/' { "/".into() } else { format!("%{byte:02x}") }).collect();
    file_name(&format!("/{encoded}")).is_ok_and(|found| found == name.as_bytes())
}

fn write_file(path: &Path, name: &str, source: &mut String) {
    println!("cargo:rerun-if-changed={}", path.display());
    let modified = modified_ns(path);
    let zipped = PathBuf::from(format!("{}.gz", path.display()));
    // One that is older is another file's.
    let gzip = match zipped.is_file().then(|| modified_ns(&zipped)).filter(|ns| *ns >= modified) {
        Some(ns) => format!("Some(({ns}, include_bytes!({zipped:?})))"),
        None => "None".into(),
    };
    let media_type = media_type(name.as_bytes());
    // Writing to a string cannot fail.
    let _ = writeln!(
        source,
        "EmbeddedFile {{ name: {name:?}, media_type: {media_type:?}, modified_ns: {modified}, \
         content: include_bytes!({path:?}), gzip: {gzip} }},"
    );
}

fn modified_ns(path: &Path) -> u128 {
    let modified = fs::metadata(path).and_then(|file| file.modified());
    let modified = modified.unwrap_or_else(|error| refuse(path, &error.to_string()));
    modified.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos())
}
