"""The compilers that harden: scripts of the sources that start clang with the plugin."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from loadstone.errors import LoadstoneError
from loadstone.sources import checkout, script

MODES = ("ilr", "tmr", "tx", "off")
LOADS = ("cmp", "dup", "move")
VERSIONS = ("22", "19")
"""Of LLVM, in the order of preference."""


def compiler(language: str) -> Path:
    """The compiler for `c` or `cxx`, as a program that `CC` or `CXX` may name.

    LoadstoneError `harden-missing` where clang or the plugin is not there; `image-source` without sources.
    """
    root = checkout()
    version = _version(_built(root))
    name = {"c": f"clang-{version}", "cxx": f"clang++-{version}"}[language]
    if shutil.which(name) is None:
        raise LoadstoneError("harden-missing", f"there is no {name} on this machine", hint=_install(version))
    if not (plugin := _built(root) / version / "loadstone-harden.so").is_file():
        raise LoadstoneError(
            "harden-missing",
            f"the plugin for LLVM {version} is not built: there is no {plugin}",
            hint=_install(version),
        )
    return root / "hardening" / "bin" / {"c": "loadstone-harden-cc", "cxx": "loadstone-harden-cxx"}[language]


def rust_plugin() -> Path:
    """The plugin for this machine's rustc, which has an LLVM inside: the plugin has to be for the same one.

    LoadstoneError `harden-missing` where rustc or that plugin is not there, or rustc is not for x86-64.
    """
    try:
        said = subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise LoadstoneError(
            "harden-missing", "there is no rustc on this machine, or it does not start",
            hint="install Rust: https://rustup.rs",
        ) from error  # fmt: skip
    told: dict[str, str] = dict(re.findall(r"^([\w ]+): (.*)$", said, re.M))
    host, llvm = told.get("host", ""), told.get("LLVM version", "").split(".")[0]
    if not host.startswith("x86_64-"):
        raise LoadstoneError(
            "harden-missing", f"code is hardened for x86-64 only, and rustc is for {host}",
            hint="build on a PC",
        )  # fmt: skip
    named = f"rustc {told.get('release', '')} has LLVM {llvm}"
    asked = os.environ.get("LOADSTONE_HARDEN_LLVM")
    if llvm not in VERSIONS or (asked and asked != llvm):
        fits = (
            f"LOADSTONE_HARDEN_LLVM is {asked}"
            if asked
            else "the plugin is written for " + " and ".join(VERSIONS)
        )
        raise LoadstoneError(
            "harden-missing", f"{named}, and {fits}: a plugin fits the one LLVM that it was built with",
            hint="name a toolchain with another LLVM in RUSTUP_TOOLCHAIN: 1.95.0 has LLVM 22",
        )  # fmt: skip
    if not (plugin := _built(checkout()) / llvm / "loadstone-harden.so").is_file():
        raise LoadstoneError(
            "harden-missing", f"{named}, and the plugin for it is not built: there is no {plugin}",
            hint=_install(llvm),
        )  # fmt: skip
    return plugin


def _built(root: Path) -> Path:
    return Path(os.environ.get("LOADSTONE_HARDEN_BUILT") or root / "target" / "hardening")


def _version(built: Path) -> str:
    """The one asked for, or the first that is built."""
    asked = os.environ.get("LOADSTONE_HARDEN_LLVM")
    if asked and asked not in VERSIONS:
        raise LoadstoneError(
            "harden-missing",
            f"the plugin is written for LLVM {' and '.join(VERSIONS)}, not {asked}",
            place="LOADSTONE_HARDEN_LLVM",
            hint="leave it unset for the one that is built",
        )
    found = [version for version in VERSIONS if (built / version / "loadstone-harden.so").is_file()]
    return asked or next(iter(found), VERSIONS[0])


def _install(version: str) -> str:
    return f"run `{script('setup-hardening')} {version}`"
