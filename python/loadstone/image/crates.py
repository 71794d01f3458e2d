"""Crates of one's own that become images: a folder with a Cargo.toml, whose function `open` opens a service.

Cargo builds a program around such a crate, in a workspace that is written for it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.image.sources import kept, tool
from loadstone.intake import Kind, read_text
from loadstone.sources import checkout

Json = dict[str, Any]

SHOWN = "`loadstone image new NAME` makes one that can"
_APPLICATION = "loadstone-application"
_OPEN = "pub fn open(surroundings: &mut Surroundings<'_>) -> Result<Box<dyn Service>, String>"
_LOCKED = re.compile(r'^name = "(.*)"', re.MULTILINE)
_LOCK = Kind("image-crate", "file of locked versions", 16 << 20)
_FIRST_ERROR = re.compile(r"^error: (.*(?:\n(?! *$).*)*)", re.MULTILINE)

_MANIFEST = """# Written by `loadstone image build`.
[workspace]
exclude = [{name}]

[package]
name = {package}
version = "0.0.0"
edition = "2024"
publish = false

[dependencies]
images = {{ path = {images}, default-features = false, features = {features} }}
loadstone-appliance = {{ path = {appliance}, features = ["bare"] }}
loadstone-http = {{ path = {http} }}
own = {{ package = {name}, path = {name}, default-features = false }}

[[bin]]
name = {name}
path = "main.rs"
test = false
bench = false

[patch.crates-io]
getrandom = {{ path = {entropy} }}

[profile.release]
{profile}
"""
_PROGRAM = """//! Written by `loadstone image build`.
#![no_std]
#![no_main]

extern crate alloc;

use alloc::boxed::Box;
use alloc::string::String;

use loadstone_appliance::bare::Machine;
use loadstone_http::Service;

loadstone_appliance::image!(open);

fn open(machine: &mut Machine) -> Result<Box<dyn Service>, String> {{
    images::own::open(machine, {name}, own::open)
}}
"""
_BUILD = """//! Written by `loadstone image build`.

#[path = {link}]
mod link;

fn main() {{
    link::as_image(std::path::Path::new({layout}));
}}
"""


@dataclass(frozen=True)
class Crate:
    """A crate that can become an image."""

    name: str
    library: str
    folder: Path
    features: list[str]
    """Of the package `images`: what it needs there."""

    def refusal(self, compiled: bool) -> LoadstoneError:
        """Why Cargo could not build the image, when the crate itself was or was not compiled."""
        if compiled:
            return LoadstoneError(
                "image-crate",
                f"{self.folder}: no image can be made of `{self.name}`, see above",
                hint=f"it needs `{_OPEN}`, and must not use the standard library. {SHOWN}",
            )
        return LoadstoneError(
            "image-crate",
            f"{self.folder}: `{self.name}` could not be compiled for a machine without an operating system,"
            " see above",
            hint="what needs the standard library belongs behind its feature `std`",
        )


def folder_of(what: str) -> Path | None:
    """The folder of a crate that is meant by what was typed; none where there is no Cargo.toml."""
    folder = Path(what)
    return folder if (folder / "Cargo.toml").is_file() else None


def read_crate(folder: Path, target: str = "x86_64-unknown-linux-gnu") -> Crate:
    """Asks Cargo about the crate, as it is for a target.

    LoadstoneError `image-crate`, `image-source`, `program-missing`.
    """
    folder = folder.resolve()
    manifest = folder / "Cargo.toml"
    told = _metadata(manifest, target)
    packages = {one["id"]: one for one in told["packages"]}
    own = next((one for one in packages.values() if Path(one["manifest_path"]) == manifest), None)
    if own is None:
        raise _no_image(
            folder, "it has no package of its own", "name the folder of one member of the workspace"
        )
    library = next((one for one in own["targets"] if "lib" in one["kind"]), None)
    if library is None:
        raise _no_image(folder, f"`{own['name']}` is no library", "move what it does into src/lib.rs")
    used = {packages[node["id"]]["name"]: node["features"] for node in told["resolve"]["nodes"]}
    if _APPLICATION not in used:
        raise _no_image(folder, f"`{own['name']}` does not use {_APPLICATION}, so it has no Service to open")
    _check_checkout(folder, packages.values())
    features = ["own-database"] if "store" in used[_APPLICATION] else ["own"]
    if "loadstone-store" in used:
        features.append("database")
    return Crate(own["name"], library["name"], folder, features)


def staged(crate: Crate, parts: Sequence[str], profile: Json) -> Path:
    """Writes the workspace in which the image is built; returns its folder.

    The crate is a link in it: Cargo hashes paths beneath a workspace's folder as they are from there, so the
    image is the same wherever the crate is.
    """
    digest = hashlib.sha256(str(crate.folder).encode()).hexdigest()[:12]
    folder = kept() / "own" / f"{crate.name}-{digest}"
    folder.mkdir(parents=True, exist_ok=True)
    images = checkout() / "images"
    manifest = _MANIFEST.format(
        name=json.dumps(crate.name),
        package=json.dumps(f"{crate.name}-image"),
        images=json.dumps(str(images)),
        features=json.dumps([*crate.features, *parts]),
        appliance=json.dumps(str(checkout() / "crates" / "appliance")),
        entropy=json.dumps(str(images / "getrandom")),
        http=json.dumps(str(checkout() / "crates" / "http")),
        profile="\n".join(f"{key} = {json.dumps(profile[key])}" for key in profile if key != "package"),
    )
    _write(folder / "Cargo.toml", manifest)
    _write(folder / "main.rs", _PROGRAM.format(name=json.dumps(crate.name)))
    _write(
        folder / "build.rs",
        _BUILD.format(link=json.dumps(str(images / "link.rs")), layout=json.dumps(str(images / "link.ld"))),
    )
    _write(folder / "Cargo.lock", _locked(crate.folder / "Cargo.lock", images / "Cargo.lock"))
    link = folder / crate.name
    link.unlink(missing_ok=True)
    link.symlink_to(crate.folder, target_is_directory=True)
    return folder


def _metadata(manifest: Path, target: str) -> Json:
    command = [tool("cargo"), "metadata", "--format-version", "1", "--no-default-features"]
    command += ["--filter-platform", target, "--manifest-path", str(manifest)]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ, check=False)
    if done.returncode:
        first = _FIRST_ERROR.search(done.stderr)
        raise _no_image(
            manifest.parent, f"Cargo cannot read it: {first[1] if first else done.stderr}".strip()
        )
    told: Json = json.loads(done.stdout)
    return told


def _check_checkout(folder: Path, packages: Any) -> None:
    """Refuses crates of another checkout: their types are others, and the compiler's words would not help."""
    crates = checkout() / "crates"
    for one in packages:
        place = Path(one["manifest_path"]).resolve()
        if one["name"].startswith("loadstone-") and not place.is_relative_to(crates):
            raise _no_image(
                folder,
                f"its {one['name']} is in {place.parent}, and this Loadstone's crates are in {crates}",
                f'in its Cargo.toml: {one["name"]} = {{ path = "{crates}/…" }}',
            )


def _no_image(folder: Path, why: str, hint: str = SHOWN) -> LoadstoneError:
    return LoadstoneError("image-crate", f"no image can be made of {folder}: {why}", hint=hint)


def _locked(own: Path, images: Path) -> str:
    """The versions that the crate has locked, and of further packages those that images have."""
    blocks = images.read_text("utf-8").split("\n[[package]]\n")
    if not own.is_file():
        return "\n[[package]]\n".join(blocks)
    first = read_text(own, _LOCK).split("\n[[package]]\n")
    known = {_named(block) for block in first[1:]}
    more = [block.rstrip("\n") + "\n" for block in blocks[1:] if _named(block) not in known]
    return "\n[[package]]\n".join([*(block.rstrip("\n") + "\n" for block in first), *more])


def _named(block: str) -> str:
    """The package that a block of a Cargo.lock is about."""
    found = _LOCKED.search(block)
    return found[1] if found else ""


def _write(file: Path, text: str) -> None:
    """Unless it is there: what has changed is built again."""
    if not file.is_file() or file.read_text("utf-8") != text:
        file.write_text(text, "utf-8")
