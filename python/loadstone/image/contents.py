"""What an image is made of: its bytes by crate and by section, its drivers, the place of an address in its
sources."""

from __future__ import annotations

import re
import subprocess
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from loadstone.errors import LoadstoneError
from loadstone.image.elf import Image, Section, Symbol

SQLITE = "SQLite"
ASSEMBLY = "start-up code"
NAMELESS = "constants without a name"
_LEGACY = re.compile(r"_ZN(\d+)")
_ROOT = re.compile(r"C(?:s[0-9A-Za-z]*_)(\d+)")
_PATH = re.compile(r"(?:^|[^A-Za-z0-9_])([a-z_][a-z0-9_]*)\.\.")

_DRIVERS = {
    "virtio-mmio": "virtio4mmio",
    "virtio-pci": "virtio3pci",
    "virtio-net": "virtio3net",
    "virtio-blk": "virtio3blk",
    "virtio-rng": "virtio7entropy",
    "DHCP": "dhcpv4",
    "TCP": "socket3tcp",
    "SQLite": "sqlite3_step",
}
"""Parts of an image by what is in the mangled names of their functions."""


def crate_of(symbol: Symbol) -> str:
    """The crate that a symbol's code was written in: for a generic function the one that defines it.

    >>> crate_of(Symbol("_ZN14loadstone_http7request5parse17h0123456789abcdefE", 0, 1, ".text", ""))
    'loadstone_http'
    >>> crate_of(Symbol("_RNvMs0_NtCs1a2B_7smoltcp4wireNtB5_4Ipv45parse", 0, 1, ".text", ""))
    'smoltcp'
    >>> crate_of(Symbol("sqlite3VdbeExec", 0, 1, ".text", "sqlite3.c"))
    'SQLite'
    """
    name = symbol.name
    if legacy := _LEGACY.match(name):
        first = name[legacy.end() : legacy.end() + int(legacy[1])]
        if "$" not in first:
            return first
        # An implementation: `<olio::site::Site as http::Handler>`, its signs written out.
        inside = _PATH.search(first.replace("$LT$", "<").replace("$u20$", " ").replace("$RF$", "&"))
        return inside[1] if inside else "core"
    if name.startswith("_R") and (root := _ROOT.search(name)):
        return name[root.end() : root.end() + int(root[1])].lstrip("_")
    if symbol.file.endswith(".c") or name.startswith("sqlite3"):
        return SQLITE if "sqlite" in (symbol.file or name) else symbol.file
    return ASSEMBLY if not symbol.file else symbol.file.split(".")[0]


def by_crate(image: Image) -> dict[str, int]:
    """Bytes of the file by crate, the largest first; empty for a stripped image.

    What no symbol covers, such as texts, is `constants without a name`; all of it is what the image loads
    from the file.
    """
    sections = [section for section in image.sections if section.loaded and section.in_file]
    found: dict[str, int] = defaultdict(int)
    for section in sections:
        own = sorted(
            (one for one in image.symbols if one.section == section.name), key=lambda one: one.address
        )
        covered, end = 0, section.address
        for symbol in own:
            # Names may share code: what was counted for one is not counted again.
            fresh = max(0, symbol.address + symbol.bytes - max(end, symbol.address))
            end = max(end, symbol.address + symbol.bytes)
            covered += fresh
            found[crate_of(symbol)] += fresh
        if own:
            found[NAMELESS] += section.bytes - covered
    return dict(sorted(((name, size) for name, size in found.items() if size > 0), key=lambda one: -one[1]))


def drivers(image: Image) -> list[str]:
    """What of the machine the image can use; empty for a stripped image."""
    names = " ".join(symbol.name for symbol in image.symbols)
    return [driver for driver, sign in _DRIVERS.items() if sign in names]


def loaded(image: Image) -> list[Section]:
    """Sections that are in memory when the image runs."""
    return [section for section in image.sections if section.loaded and section.bytes]


def places(image: Image, addresses: Sequence[int]) -> list[str]:
    """Function, file and line of addresses, such as a panic prints.

    LoadstoneError `image-file` for a stripped image, `program-missing`.
    """
    if not image.symbols:
        raise LoadstoneError(
            "image-file",
            f"{image.path} has no symbols",
            hint=f"`loadstone image build` leaves them in {symbols_beside(image.path).name}",
        )
    command = [
        image.arch.tool("addr2line"),
        "-C",
        "-f",
        "-p",
        "-i",
        "-e",
        str(image.path),
        *map(hex, addresses),
    ]
    lines = subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()
    return [line.strip() for line in lines]


def symbols_beside(path: Path) -> Path:
    """Where the symbols of a stripped image are."""
    return path.with_name(path.name + ".symbols")
