//! Compiles the amalgamation of `libsqlite3-sys` without the C library's headers.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The package whose amalgamation and bindings are used.
const SYS: &str = "libsqlite3-sys";

/// No headers but ours and the compiler's own; code for a fixed address, without what a C library's start-up
/// code would have to prepare. `memcpy` and its kin are what the standard says, so short ones need no call.
/// Canaries behind arrays (`src/canary.rs`); and every page of a large frame is touched, so that none skips
/// the guard page below the stack.
const FLAGS: [&str; 10] = [
    "-ffreestanding",
    "-fbuiltin",
    "-nostdinc",
    "-fno-pie",
    "-fstack-protector",
    "-mstack-protector-guard=global",
    "-fstack-clash-protection",
    "-mcmodel=small",
    "-ffunction-sections",
    "-fdata-sections",
];

/// Of GCC: loops stay loops, and become no calls.
const OF_GCC: &str = "-fno-tree-loop-distribute-patterns";

fn main() {
    println!("cargo:rerun-if-changed=include");
    println!("cargo:rerun-if-changed=options.txt");
    println!("cargo:rerun-if-changed=Cargo.toml");
    let mut build = cc::Build::new();
    // Traces read the stack word by word, so frames need no register of their own; without, SQLite is 19 KB smaller.
    build.file(amalgamation()).warnings(false).pic(false).force_frame_pointer(false);
    for flag in FLAGS {
        build.flag(flag);
    }
    // A hardened image has it compiled by clang.
    if !build.get_compiler().is_like_clang() {
        build.flag(OF_GCC);
    }
    for folder in [Path::new("include").into(), compilers_headers(&build)] {
        build.flag("-isystem").flag(folder.to_str().expect("a path in UTF-8"));
    }
    for option in include_str!("options.txt").lines().filter(|line| !line.starts_with(['#', '['])) {
        if let Some((name, value)) = option.split_once('=') {
            build.define(&format!("SQLITE_{name}"), value);
        } else if !option.is_empty() {
            build.define(&format!("SQLITE_{option}"), None);
        }
    }
    // SQLite asks our allocator for the size of a block instead of keeping it a second time.
    build.define("HAVE_MALLOC_H", "1").define("HAVE_MALLOC_USABLE_SIZE", "1");
    build.compile("sqlite3_bare");
    // Our own tests are a program at a fixed address, as an appliance is.
    println!("cargo:rustc-link-arg=-no-pie");
}

/// Where `stddef.h`, `stdarg.h` and `stdint.h` are, which come with the compiler and need no C library.
fn compilers_headers(build: &cc::Build) -> PathBuf {
    let asked = Command::new(build.get_compiler().path()).arg("-print-file-name=include").output();
    let answer = asked.expect("the C compiler starts").stdout;
    PathBuf::from(String::from_utf8(answer).expect("a path in UTF-8").trim())
}

/// The amalgamation, in the copy of `libsqlite3-sys` that Cargo has downloaded for this very build. Cargo
/// tells where that is about a package that needs nothing else, so that nothing else has to be there.
fn amalgamation() -> PathBuf {
    let probe = PathBuf::from(env::var_os("OUT_DIR").expect("set by Cargo")).join("probe");
    fs::create_dir_all(&probe).expect("room for a manifest");
    let manifest = format!(
        "[package]\nname = \"probe\"\nversion = \"0.0.0\"\n[lib]\npath = \"lib.rs\"\n[workspace]\n[dependencies]\n\
         {SYS} = {{ version = \"{}\", default-features = false }}\n",
        version()
    );
    fs::write(probe.join("Cargo.toml"), manifest).expect("room for a manifest");
    fs::write(probe.join("lib.rs"), "").expect("room for a file");
    let told = Command::new(env::var_os("CARGO").expect("set by Cargo"))
        .args(["metadata", "--format-version=1", "--offline", "--manifest-path"])
        .arg(probe.join("Cargo.toml"))
        .output()
        .expect("Cargo starts");
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    let told: serde_json::Value = serde_json::from_slice(&told.stdout).expect("Cargo writes JSON");
    let packages = told["packages"].as_array().expect("a list of packages");
    let sys = packages.iter().find(|package| package["name"] == SYS).expect("its only dependency");
    let manifest = Path::new(sys["manifest_path"].as_str().expect("a path"));
    manifest.with_file_name("sqlite3").join("sqlite3.c")
}

/// The version that our own manifest asks for, such as `=1.2.3`.
fn version() -> String {
    let ours = fs::read_to_string("Cargo.toml").expect("our own manifest");
    let line = ours.lines().find(|line| line.starts_with(SYS)).expect("our own dependency");
    line.split('"').nth(1).expect("a version between quotes").into()
}
