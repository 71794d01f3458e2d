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

/// What is different where there is no PVH: the first instruction is the program's entry. Before it, QEMU's `virt`
/// has a device tree at the beginning of RAM.
const ON_AARCH64: [&str; 2] = ["-Wl,--defsym=image_base=0x40200000", "-Wl,--entry=first_instruction"];

/// Has the programs of the package linked as images, with the layout in the file.
pub fn as_image(layout: &Path) {
    let aarch64 = std::env::var_os("CARGO_CFG_TARGET_ARCH").is_some_and(|name| name == "aarch64");
    for argument in LINKED.into_iter().chain(ON_AARCH64.into_iter().filter(|_| aarch64)) {
        println!("cargo:rustc-link-arg-bins={argument}");
    }
    println!("cargo:rustc-link-arg-bins=-Wl,-T,{}", layout.display());
    println!("cargo:rerun-if-changed={}", layout.display());
}
