"""A crate for a service of one's own, with a page, records, tests and a fuzz target: there to be changed."""

from __future__ import annotations

import re
import shutil
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from loadstone.errors import LoadstoneError
from loadstone.image.build import apps
from loadstone.sources import checkout

_NAME = re.compile(r"[a-z][a-z0-9]*([-_][a-z0-9]+)*")
_LONGEST = 48
_TAKEN = """
abstract alloc as async await become box break const continue core crate data do dyn else enum
extern false final fn for gen if images impl in let loop macro match mod move mut override own priv
proc-macro pub ref return self static std struct super test trait true try type typeof unsafe
unsized use virtual virtio-mmio where while yield
"""
"""Rust's words and crates, and the words of an image's command line that begin otherwise."""
_ENDING = ".in"
_LOCKS = ("Cargo.lock", "fuzz/Cargo.lock")
"""Of the checkout: versions that are known to work. Cargo leaves out those that are not needed."""
_RENAMED = {"gitignore": ".gitignore"}


def new_crate(name: str, within: Path) -> list[Path]:
    """Writes the folder `name` there; returns its files. LoadstoneError `image-crate`, `image-source`."""
    crates = checkout() / "crates"
    if not _NAME.fullmatch(name) or len(name) > _LONGEST:
        raise LoadstoneError(
            "image-crate",
            f"`{name}` is no name for a crate",
            hint=f"lower-case letters, digits, single dashes; a letter first; at most {_LONGEST}: guest-book",
        )
    if name.replace("_", "-") in _TAKEN.split() or name in apps():
        raise LoadstoneError(
            "image-crate", f"`{name}` already means something else", hint="choose another name"
        )
    folder = within / name
    if folder.exists() or folder.is_symlink():
        raise LoadstoneError(
            "image-crate", f"{folder} exists already", hint="remove it, or choose another name"
        )
    signs = {"@NAME@": name, "@LIB@": name.replace("-", "_"), "@CRATES@": str(crates)}
    template = resources.files("loadstone") / "data" / "own"
    try:
        written = _write(template, folder, signs)
        locks = [shutil.copyfile(checkout() / lock, folder / lock) for lock in _LOCKS]
        return sorted([*written, *locks])
    except OSError as error:
        raise LoadstoneError("image-crate", f"cannot write {folder}: {error.strerror}") from error


def _write(template: Traversable, to: Path, signs: dict[str, str]) -> list[Path]:
    to.mkdir()
    written = []
    for one in template.iterdir():
        if one.is_dir():
            written += _write(one, to / one.name, signs)
            continue
        name = one.name.removesuffix(_ENDING)
        text = one.read_bytes()
        for sign, meant in signs.items():
            text = text.replace(sign.encode(), meant.encode())
        file = to / _RENAMED.get(name, name)
        file.write_bytes(text)
        written.append(file)
    return written
