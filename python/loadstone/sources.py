"""Loadstone's sources: of the checkout that the package belongs to, or those that a wheel brings along.

Images are built from them, and `scripts/setup-*` among them install the programs that some commands need.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tarfile
import tempfile
from contextlib import suppress
from pathlib import Path

import loadstone
from loadstone.errors import LoadstoneError

_SIGN = Path("crates") / "linux-init" / "Cargo.toml"
_ARCHIVE = Path("data") / "sources.tar.gz"
"""Put into the package by `scripts/wheel`."""


def checkout() -> Path:
    """The folder with the sources that this package belongs to, or that its wheel unpacked.

    LoadstoneError `image-source` where the package was installed without them, or they cannot be unpacked.
    """
    package = _package()
    if (package.parents[1] / _SIGN).is_file():
        return package.parents[1]
    archive = package / _ARCHIVE
    if not archive.is_file():
        raise LoadstoneError(
            "image-source",
            "images are built from Loadstone's sources, and this installation has none",
            hint="install a wheel that `make wheel` made, or clone the repository and run `make demo` in it",
        )
    return _unpacked(archive)


def script(name: str) -> str:
    """What a hint says of a script: where it is, as one would type it.

    >>> script("setup-lab")
    'scripts/setup-lab'
    """
    package = _package()
    if not (package.parents[1] / _SIGN).is_file() and (package / _ARCHIVE).is_file():
        with suppress(LoadstoneError):
            return str(checkout() / "scripts" / name)
    return f"scripts/{name}"


def _package() -> Path:
    return Path(loadstone.__file__).resolve().parent


def _unpacked(archive: Path) -> Path:
    """The user's copy of what is in the archive; the first call makes it."""
    content = archive.read_bytes()
    within = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "loadstone"
    folder = within / f"sources-{hashlib.sha256(content).hexdigest()[:12]}"
    if folder.is_dir():
        return folder
    try:
        within.mkdir(parents=True, exist_ok=True)
        # Whole or not at all, also beside another process that does the same.
        making = Path(tempfile.mkdtemp(prefix=".sources-", dir=within))
        try:
            with tarfile.open(archive) as sources:
                # The package's own archive. Python has the filter since 3.11.4, and Debian 12 has 3.11.2.
                sources.extraction_filter = getattr(tarfile, "data_filter", lambda member, _path: member)
                sources.extractall(making)
            making.chmod(0o755)
            with suppress(OSError):
                making.rename(folder)
        finally:
            shutil.rmtree(making, ignore_errors=True)
    except OSError as error:
        raise LoadstoneError(
            "image-source",
            f"the sources that the wheel brings along cannot be unpacked into {within}: {error.strerror}",
            hint="let XDG_CACHE_HOME name a folder that you may write",
        ) from error
    return folder
