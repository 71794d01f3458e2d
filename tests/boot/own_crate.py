"""A crate of one's own, made up in a test: one service without a database."""

from __future__ import annotations

from pathlib import Path

from loadstone.sources import checkout


def own_crate(folder: Path, handler: str) -> Path:
    """The crate in `folder`, named as that. `handler` is Rust: how `Own` answers, and what that needs."""
    (folder / "src").mkdir(parents=True)
    crates = checkout() / "crates"
    (folder / "Cargo.toml").write_text(
        f'[package]\nname = "{folder.name}"\nversion = "0.1.0"\nedition = "2024"\n'
        "[workspace]\n[dependencies]\n"
        f'loadstone-application = {{ path = "{crates}/application", default-features = false }}\n'
        f'loadstone-http = {{ path = "{crates}/http" }}\n'
    )
    (folder / "src/lib.rs").write_text(_OPENED + handler)
    return folder


_OPENED = """#![no_std]
extern crate alloc;
use alloc::boxed::Box;
use alloc::string::String;
use loadstone_application::Surroundings;
use loadstone_http::{Handler, Request, Response, Service};

struct Own;

pub fn open(_: &mut Surroundings<'_>) -> Result<Box<dyn Service>, String> {
    Ok(Box::new(Own))
}

impl Service for Own {
    fn handler(&self) -> Result<Box<dyn Handler>, String> {
        Ok(Box::new(Own))
    }
}

"""
