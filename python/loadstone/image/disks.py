"""Disks for guests: files that QEMU shows as block devices."""

from __future__ import annotations

import errno
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from loadstone import _core
from loadstone.errors import LoadstoneError
from loadstone.image.sources import tool
from loadstone.site import SITES, Loading

Form = Literal["log", "journal", "ext4"]
"""A log of whole transactions or SQLite's rollback journal, both without a file system; or Linux's."""

_MIB = 1 << 20


def blank(file: Path, size_mib: int, form: Form, folder: Path | None = None) -> None:
    """Makes a formatted disk without data; `folder` is what an ext4 holds from the start.

    LoadstoneError `image-disk`, `program-missing`.
    """
    try:
        # Without blocks until they are written: a large disk costs nothing.
        with file.open("wb") as disk:
            disk.truncate(size_mib * _MIB)
        if form == "ext4":
            _ext4(file, folder)
        else:
            _core.format_disk(str(file), form)
    except (OSError, ValueError) as error:
        raise LoadstoneError("image-disk", f"{file}: {error}") from error


def loaded(
    file: Path, size_mib: int, form: Form, app: str, amount: float, progress: Loading | None = None
) -> dict[str, int]:
    """A disk with a site's data set, `amount` of what the site's data go by (accounts, scale).
    Returns the rows by table. The rows are the same whatever the form.

    LoadstoneError `image-disk`, `image-app`, `program-missing`.
    """
    known = [name for name, site in SITES.items() if site.has_loader]
    if app not in known:
        raise LoadstoneError(
            "image-app", f"there is no data set for `{app}`", hint=f"there are {', '.join(known)}"
        )
    site = SITES[app]
    try:
        data = site.data.model_validate({site.data.amount: float(amount)})
    except ValidationError as error:
        why = error.errors()[0]["msg"]
        raise LoadstoneError(
            "image-disk", f"`{amount:g}` is not a number of {site.data.amount}: {why}"
        ) from error
    try:
        if form == "ext4":
            with tempfile.TemporaryDirectory(prefix="disk-") as own:
                folder = Path(own) / "data"
                rows = site.load(str(folder), data, progress)
                blank(file, size_mib, form, folder)
                return rows
        blank(file, size_mib, form)
        return site.load(f"block:{file}", data, progress)
    except (OSError, ValueError) as error:
        raise LoadstoneError("image-disk", f"{file}: {error}") from error


def copied(file: Path, to: Path) -> None:
    """A copy that takes as many blocks as the original: most of a disk was never written, and copying that
    as zeros would keep the host's disk busy. OSError of writing."""
    with file.open("rb") as source, to.open("wb") as target:
        size = os.fstat(source.fileno()).st_size
        target.truncate(size)
        end = 0
        while (begin := _data_from(source.fileno(), end)) is not None:
            end = os.lseek(source.fileno(), begin, os.SEEK_HOLE)
            source.seek(begin)
            target.seek(begin)
            while (left := end - source.tell()) > 0:
                target.write(source.read(min(left, _MIB)))


def _data_from(descriptor: int, offset: int) -> int | None:
    """Where the next data is; None when there are only holes."""
    try:
        return os.lseek(descriptor, offset, os.SEEK_DATA)
    except OSError as error:
        if error.errno == errno.ENXIO:
            return None
        raise


def _ext4(file: Path, folder: Path | None) -> None:
    content = ["-d", str(folder)] if folder else []
    # Debian's own settings, without what would go on after the first mount and disturb measurements.
    command = [tool("mke2fs"), "-q", "-F", "-t", "ext4", "-E", "lazy_itable_init=0,lazy_journal_init=0"]
    done = subprocess.run([*command, *content, str(file)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise ValueError(done.stderr.strip())
