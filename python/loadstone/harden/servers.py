"""Servers from Debian's source packages, native or hardened: a script of the sources builds each."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from loadstone.errors import LoadstoneError
from loadstone.harden.toolchain import compiler
from loadstone.sources import checkout

SERVERS = ("memcached", "redis", "httpd")


def build_server(name: str, mode: str, loads: str, into: Path, *, test: bool) -> None:
    """Builds one server into `into`; with `test`, its own tests run afterwards.

    LoadstoneError `harden-missing`, or `harden-build` where the build or a test fails; the script has then
    said the reason on stderr.
    """
    compiler("c")
    root = checkout()
    words = [str(root / "hardening" / "servers" / "build"), name, mode, str(into.absolute())]
    done = subprocess.run(
        [*words, *(["test"] if test else [])], env=os.environ | {"LOADSTONE_HARDEN_LOADS": loads}
    )
    if done.returncode:
        raise LoadstoneError(
            "harden-build",
            f"{name} was not built in mode {mode}: the script ended with {done.returncode}",
            place=str(into),
            hint="its last lines above say why; the whole log is build.log in that folder",
        )
