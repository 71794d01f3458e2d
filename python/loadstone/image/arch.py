"""Processors that images are made for, and what making and running one takes."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from loadstone.errors import LoadstoneError
from loadstone.image.sources import setup, tool

ArchName = Literal["x86_64", "aarch64"]


@dataclass(frozen=True)
class Arch:
    """A processor."""

    name: ArchName
    elf_machine: str
    """In the head of an image's file."""
    emulator: str
    """QEMU's program."""
    ram_start: int
    """The address at which its boards' RAM begins."""
    target: str | None = None
    """Cargo's name of a machine without an operating system; None: the compiler's own machine is used, with
    nothing of its operating system linked."""
    prefix: str = ""
    """Before the names of the C compiler and its tools."""
    without: frozenset[str] = field(default_factory=frozenset)
    """Parts of the library OS that its boards have no use for, or that cannot be made for it."""

    def tool(self, name: str) -> str:
        """Where the C compiler or one of its tools is. LoadstoneError `program-missing`."""
        return tool(self.prefix + name)

    def compiler(self) -> dict[str, str]:
        """What Cargo is told to link with and to compile C with. LoadstoneError `program-missing`, also when
        the Rust compiler has no core for this processor."""
        tool("cargo")
        for name in ("gcc", "strip"):
            self.tool(name)
        if self.target is None:
            return {}
        if not self.has_core():
            raise LoadstoneError(
                "program-missing", f"the Rust compiler has no core for {self.target}", hint=setup()
            )
        name = self.target.replace("-", "_")
        gcc = f"{self.prefix}gcc"
        return {
            f"CARGO_TARGET_{name.upper()}_LINKER": gcc,
            f"CC_{name}": gcc,
            f"AR_{name}": f"{self.prefix}ar",
        }

    def has_core(self) -> bool:
        """Whether the Rust compiler can make code for it. LoadstoneError `program-missing`."""
        if self.target is None:
            return True
        command = [tool("rustc"), "--print", "target-libdir", "--target", self.target]
        folder = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
        return bool(folder) and any(Path(folder).glob("libcore-*.rlib"))


X86_64 = Arch("x86_64", "EM_X86_64", "qemu-system-x86_64", 0)
AARCH64 = Arch(
    "aarch64",
    "EM_AARCH64",
    "qemu-system-aarch64",
    1 << 30,
    "aarch64-unknown-none",
    "aarch64-linux-gnu-",
    # ring assembles its code for Arm only where there is one of the operating systems that it knows.
    frozenset({"pci", "tls"}),
)
ARCHES: dict[ArchName, Arch] = {"x86_64": X86_64, "aarch64": AARCH64}
