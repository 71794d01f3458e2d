"""Images whose code detects or outvotes a bit that flips in the processor (`image build --harden`)."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from loadstone.errors import LoadstoneError
from loadstone.harden import compiler, rust_plugin
from loadstone.image.arch import X86_64, Arch
from loadstone.image.elf import Image
from loadstone.sources import checkout

Hardening = Literal["ilr", "tmr"]

VARIANT = "__loadstone_hardened"
"""What the pass calls the text that names it, in every program that it has hardened."""
OPTIONS = ("LOADSTONE_HARDEN_LOADS", "LOADSTONE_HARDEN_EXCEPT")
"""Of the pass, by the environment (docs/how-to/harden-server.md)."""
STACK_BYTES = 0x100000
"""Frames grow. Of a native image it is a quarter of this (images/link.ld)."""


@dataclass(frozen=True)
class Hardened:
    """What Cargo is told for that."""

    mode: Hardening
    folder: Path
    """What Cargo makes. It knows nothing of the pass, so each form of it has a folder of its own."""
    environment: Mapping[str, str]
    program: tuple[str, ...]
    """For rustc, when it compiles the program; by then it has all of it, libraries are bitcode."""

    def cargo(self) -> list[str]:
        """Arguments of Cargo."""
        return ["--target-dir", str(self.folder)]

    def variables(self, program: str) -> dict[str, str]:
        """For Cargo and all that it starts. Only the program may use what rustc calls unstable."""
        return dict(self.environment) | {"RUSTC_BOOTSTRAP": program.replace("-", "_")}

    def check(self, symbols: Image) -> None:
        """LoadstoneError `harden-build` where the pass did not run: rustc would not say so."""
        if not any(one.name == VARIANT for one in symbols.symbols):
            raise LoadstoneError(
                "harden-build",
                f"rustc made {symbols.path.name} without running the pass",
                place=str(symbols.path),
                hint=f"remove {self.folder} and build again",
            )


def hardened(mode: Hardening, arch: Arch, target: Path) -> Hardened:
    """Makes ready in a folder of Cargo's folder `target`.

    LoadstoneError `image-options` for another processor than a PC's, `harden-missing` where rustc, clang or
    the plugin is missing or they do not fit, `harden-build`.
    """
    if arch is not X86_64:
        raise LoadstoneError(
            "image-options",
            f"code is hardened for x86-64 only, and this image is for {arch.name}",
            hint="leave --arch or --harden out",
        )
    plugin = rust_plugin()
    clang = compiler("c")
    folder = _folder(mode, target, plugin)
    environment = {
        "CC": str(clang),
        "LOADSTONE_HARDEN": mode,
        "LOADSTONE_HARDEN_AT": "link",
        "LOADSTONE_HARDEN_LLVM": plugin.parent.name,
    }
    arguments = (
        f"-Clink-arg={_stop(clang, folder, plugin.parent.name)}",
        f"-Clink-arg=-Wl,--defsym=stack_bytes={STACK_BYTES:#x}",
    )
    return Hardened(mode, folder, environment, (*arguments, f"-Zllvm-plugins={plugin}"))


def _source() -> Path:
    """What hardened code calls when it stops; elsewhere the C library has it."""
    return checkout() / "hardening" / "runtime" / "appliance.c"


def _folder(mode: Hardening, target: Path, plugin: Path) -> Path:
    """Named by all that Cargo does not look at; what other plugins made is removed."""
    asked = "".join(f"{name}={os.environ.get(name, '')}\n" for name in OPTIONS)
    digest = hashlib.sha256(plugin.read_bytes() + _source().read_bytes() + asked.encode()).hexdigest()[:12]
    folder = target / f"{mode}-{digest}"
    folder.mkdir(parents=True, exist_ok=True)
    for old in target.glob(f"{mode}-*"):
        if old != folder:
            shutil.rmtree(old)
    return folder


def _stop(clang: Path, folder: Path, llvm: str) -> Path:
    """Compiles what a stop calls, which is not hardened itself."""
    source = _source()
    words = ["--mode", "off", "--llvm", llvm, "-O2", "-ffreestanding", "-fno-pic", "-c", str(source)]
    made = folder / "stop.o"
    if subprocess.run([str(clang), *words, "-o", str(made)]).returncode:
        raise LoadstoneError(
            "harden-build", "clang could not compile what a hardened image stops with, see above",
            place=str(source),
        )  # fmt: skip
    return made
