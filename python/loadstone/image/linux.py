"""The Linux guest: Debian's cloud kernel with an initramfs of one static program, on the machine that images
run on."""

from __future__ import annotations

import gzip
import re
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from loadstone.errors import LoadstoneError
from loadstone.image.qemu import Machine
from loadstone.image.sources import kept, setup

_MODULES = {
    "microvm": ("virtio_ring", "virtio", "virtio_mmio"),
    "q35": ("virtio_ring", "virtio", "virtio_pci_modern_dev", "virtio_pci_legacy_dev", "virtio_pci"),
}
_DEVICES = ("failover", "net_failover", "virtio_net", "virtio_blk")
MEMORY_MIB = 128
"""What it boots in with some room; `loadstone study appliance` looks for the least."""


@dataclass(frozen=True)
class Kernel:
    """The kernel that `scripts/setup-appliance` fetched."""

    image: Path
    modules: Path
    version: str
    """Package and version."""


def kernel() -> Kernel:
    """LoadstoneError `program-missing` when it was not fetched, `image-source`."""
    folder = kept() / "linux"
    version = folder / "version"
    if not version.is_file():
        raise LoadstoneError("program-missing", "Debian's kernel was not fetched", hint=setup())
    return Kernel(folder / "vmlinuz", folder / "modules", version.read_text("utf-8").strip())


def write_initramfs(to: Path, board: str, programs: Mapping[str, Path], folder: Path | None = None) -> None:
    """An archive with the drivers of the board's devices, the programs by their names, `init` among them,
    and the files of `folder` under `/data`. The same content gives the same bytes.

    LoadstoneError as `kernel`.
    """
    modules = kernel().modules
    order = [*_MODULES[board], *_DEVICES]
    archive = _Archive()
    for name in ("dev", "proc", "sys", "tmp", "data", "modules"):
        archive.folder(name)
    # Without a console in the archive the first process would begin with nothing to print to.
    archive.device("dev/console", 5, 1)
    archive.file("modules/order", " ".join(order).encode())
    for name in order:
        archive.file(f"modules/{name}.ko", (modules / f"{name}.ko").read_bytes())
    for name, program in programs.items():
        archive.file(name, program.read_bytes(), executable=True)
    for path in sorted(folder.rglob("*")) if folder else ():
        inside = f"data/{path.relative_to(folder or path)}"
        if path.is_dir():
            archive.folder(inside)
        else:
            archive.file(inside, path.read_bytes())
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_bytes(gzip.compress(archive.end(), 9, mtime=0))


def linux(machine: Machine, initramfs: Path, words: Sequence[str]) -> Machine:
    """The machine with Linux on it; `words` are for its first process, see `crates/linux-init`.

    LoadstoneError as `kernel`.
    """
    # Timer checks fail under emulation; the clock's rate is given because calibrating it takes tenths of a
    # second.
    own = ["console=ttyS0", "quiet", "panic=-1", "no_timer_check", *_clock(machine), "rdinit=/init"]
    return replace(machine, kernel=kernel().image, initramfs=initramfs, words=[*own, *words])


def _clock(machine: Machine) -> list[str]:
    if machine.counts_instructions:
        # One tick of the processor's counter is one instruction, and that is one nanosecond.
        return ["tsc_early_khz=1000000"]
    found = re.search(r"^cpu MHz\s*:\s*([\d.]+)", Path("/proc/cpuinfo").read_text("utf-8"), re.MULTILINE)
    return [f"tsc_early_khz={round(float(found[1]) * 1000)}"] if found else []


class _Archive:
    """A cpio archive in the form that the kernel unpacks ("newc"): a header of hexadecimal fields, name,
    content."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._count = 0

    def folder(self, name: str) -> None:
        self._add(name, stat.S_IFDIR | 0o755)

    def file(self, name: str, content: bytes, executable: bool = False) -> None:
        self._add(name, stat.S_IFREG | (0o755 if executable else 0o644), content)

    def device(self, name: str, major: int, minor: int) -> None:
        self._add(name, stat.S_IFCHR | 0o600, device=(major, minor))

    def end(self) -> bytes:
        self._add("TRAILER!!!", 0)
        return b"".join(self._parts)

    def _add(self, name: str, mode: int, content: bytes = b"", device: tuple[int, int] = (0, 0)) -> None:
        self._count += 1
        called = name.encode() + b"\0"
        links, checksum = 1, 0
        fields = (self._count, mode, 0, 0, links, 0, len(content), 0, 0, *device, len(called), checksum)
        head = b"070701" + b"".join(b"%08x" % field for field in fields) + called
        self._parts += [head, _gap(len(head)), content, _gap(len(content))]


def _gap(length: int) -> bytes:
    return bytes(-length % 4)
