"""What is kept beside the sources, and the programs that images need."""

from __future__ import annotations

import shutil
from pathlib import Path

from loadstone.errors import LoadstoneError
from loadstone.sources import checkout, script


def setup() -> str:
    """What installs what is missing, for a hint."""
    return f"run {script('setup-appliance')}"


_RUST = "install stable Rust, for example from https://rustup.rs"


def kept() -> Path:
    """What is made once and used again: the kernel of the Linux guest, its initramfs. Errors as
    `checkout`."""
    return checkout() / ".cache" / "appliance"


def tool(name: str) -> str:
    """Where a program is. LoadstoneError `program-missing`."""
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")
    if not found:
        raise LoadstoneError(
            "program-missing",
            f"there is no {name} on this machine",
            hint=_RUST if name == "cargo" else setup(),
        )
    return found
