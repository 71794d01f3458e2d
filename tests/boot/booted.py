"""Images that are built once and booted often."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from loadstone.image.build import build
from loadstone.image.guest import Guest, free_port
from loadstone.image.qemu import ADDRESS, GATEWAY, HTTP_PORT, Board, Disk, Machine, accelerator
from loadstone.image.sources import kept

BOOT_S = 60.0
OLIO = ("data.load=120", "olio.media=0.01")
"""The data set of the conformance walk."""


@cache
def image(app: str, *beside: str) -> Path:
    """The image, built from the sources as they are, with these parts beside the usual ones."""
    to = kept() / "images" / f"{'-'.join((app, *beside))}.elf" if beside else None
    return build(app, to, beside=beside).stripped.path


def disk(folder: Path, mib: float = 64, first: bytes = b"") -> Disk:
    """A disk that begins with `first` and is empty behind it."""
    file = folder / "disk.img"
    file.write_bytes(first)
    os.truncate(file, int(mib * 1024 * 1024))
    return Disk(file, "unsafe")


def machine(
    app: str,
    words: Sequence[str] = (),
    block: Disk | None = None,
    memory_mib: int = 16,
    board: Board = "microvm",
) -> Machine:
    """A machine with that image, at a free port."""
    return Machine(
        image(app),
        board=board,
        memory_mib=memory_mib,
        words=[f"ip={ADDRESS}", f"gw={GATEWAY}", *words],
        disk=block,
        ports={HTTP_PORT: free_port()},
        accelerator="tcg" if board == "virt" else accelerator(),
    )


@dataclass(frozen=True)
class Booted:
    """An image that serves."""

    url: str
    guest: Guest


@contextlib.contextmanager
def booted(described: Machine) -> Iterator[Booted]:
    """The image, when it serves; ended in the end."""
    with Guest(described) as guest:
        guest.wait_for("^serving ", BOOT_S)
        yield Booted(f"http://127.0.0.1:{described.ports[HTTP_PORT]}", guest)
