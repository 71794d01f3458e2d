//! How an image is linked: no start files, no C library, the memory layout of `link.ld`. For build scripts.

use std::path::Path;

const LINKED: [&str; 9] = [
    "-nostartfiles",
    "-nostdlib",
    "-static",
    "-no-pie",
    "-Wl,--gc-sections",
    "-Wl,--build-id=none",
    "-Wl,-z,norelro",
    "-Wl,-n",
    "-Wl,--no-eh-frame-hdr",
];

/// Has the programs of the package linked as images, with the layout in the file.
pub fn as_image(layout: &Path) {
    for argument in LINKED {
        println!("cargo:rustc-link-arg-bins={argument}");
    }
    println!("cargo:rustc-link-arg-bins=-Wl,-T,{}", layout.display());
    println!("cargo:rerun-if-changed={}", layout.display());
}
