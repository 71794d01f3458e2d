"""Servers, native or hardened: from Debian's source packages, and the built-in container from the checkout.

Scripts of the sources build and test each.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from loadstone.errors import LoadstoneError
from loadstone.harden.toolchain import compiler, rust_plugin
from loadstone.harden.tried import Tried, read_cargo, read_prove, read_redis
from loadstone.sources import checkout

CONTAINER = "container"
SERVERS = ("memcached", "redis", "httpd", CONTAINER)


@dataclass(frozen=True)
class Built:
    """What was built in a folder: the server, how, and its version."""

    server: str
    mode: str
    loads: str
    version: str


def build_server(name: str, mode: str, loads: str, into: Path) -> None:
    """Builds one server into `into`.

    LoadstoneError `harden-missing`, or `harden-build` where the build fails; the script has then said the
    reason on stderr.
    """
    compiler("c")
    if name == CONTAINER:
        if mode == "tx":
            raise LoadstoneError(
                "harden-build", "programs in Rust are not built with transactions", place=name,
                hint="use --mode ilr or tmr",
            )  # fmt: skip
        rust_plugin()
    script = checkout() / "hardening" / "servers" / "build"
    words = [str(script), name, mode, str(into.absolute())]
    done = subprocess.run(words, env=os.environ | {"LOADSTONE_HARDEN_LOADS": loads})
    if done.returncode:
        raise LoadstoneError(
            "harden-build",
            f"{name} was not built in mode {mode}: the script ended with {done.returncode}",
            place=str(into),
            hint="its last lines above say why; the whole log is build.log in that folder",
        )


def built(folder: Path) -> Built:
    """What was built there. LoadstoneError `harden-build` where nothing was."""
    try:
        lines = (folder / "built").read_text("utf-8").splitlines()
        return Built(**dict(line.split("=", 1) for line in lines))
    except (OSError, ValueError, TypeError) as error:
        raise LoadstoneError(
            "harden-build", "there is no server that was built to its end", place=str(folder),
            hint=f"run `loadstone harden server NAME --mode MODE --into {folder}`",
        ) from error  # fmt: skip


def try_server(folder: Path) -> tuple[Tried, int]:
    """Runs the server's own tests; what they said, and the exit code of what ran them.

    LoadstoneError `harden-build` where no server is, and where the tests did not even begin.
    """
    server = built(folder).server
    log = folder / "tests.log"
    log.unlink(missing_ok=True)
    done = subprocess.run(
        [str(checkout() / "hardening" / "servers" / "test"), str(folder.absolute())],
        env=os.environ | {"PYTHON": sys.executable},
    )
    text = log.read_text("utf-8", errors="replace") if log.is_file() else ""
    found = read_redis(text) if server == "redis" else read_prove(text)
    if server == CONTAINER:
        found = found.and_also(read_cargo(text))
    if not found.tests:
        raise LoadstoneError(
            "harden-build", f"the tests of {server} did not run: the script ended with {done.returncode}",
            place=str(folder), hint="its last lines above say why",
        )  # fmt: skip
    return found, done.returncode
