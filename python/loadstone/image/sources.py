"""Where the sources are, and what is kept beside them."""

from __future__ import annotations

import shutil
from pathlib import Path

import loadstone
from loadstone.errors import LoadstoneError

SETUP = "run scripts/setup-appliance"


def checkout() -> Path:
    """The folder with the sources that this package belongs to.

    LoadstoneError `image-source` where the package was installed without them.
    """
    folder = Path(loadstone.__file__).resolve().parents[2]
    if not (folder / "crates" / "linux-init" / "Cargo.toml").is_file():
        raise LoadstoneError(
            "image-source",
            "images are built from Loadstone's sources, and this installation has none",
            hint="clone the repository and run `make test` or `make demo` in it",
        )
    return folder


def kept() -> Path:
    """What is made once and used again: the kernel of the Linux guest, its initramfs. Errors as
    `checkout`."""
    return checkout() / ".cache" / "appliance"


def tool(name: str) -> str:
    """Where a program is. LoadstoneError `program-missing`."""
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")
    if not found:
        raise LoadstoneError("program-missing", f"there is no {name} on this machine", hint=SETUP)
    return found
