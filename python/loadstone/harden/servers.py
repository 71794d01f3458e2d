"""Servers from Debian's source packages, native or hardened: scripts of the sources build and test each."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from loadstone.errors import LoadstoneError
from loadstone.harden.toolchain import compiler
from loadstone.harden.tried import Tried, read_prove, read_redis
from loadstone.sources import checkout

SERVERS = ("memcached", "redis", "httpd")


@dataclass(frozen=True)
class Built:
    """What was built in a folder: the server, how, and the version of its source package."""

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
    done = subprocess.run([str(checkout() / "hardening" / "servers" / "test"), str(folder.absolute())])
    text = log.read_text("utf-8", errors="replace") if log.is_file() else ""
    found = read_redis(text) if server == "redis" else read_prove(text)
    if not found.tests:
        raise LoadstoneError(
            "harden-build", f"the tests of {server} did not run: the script ended with {done.returncode}",
            place=str(folder), hint="its last lines above say why",
        )  # fmt: skip
    return found, done.returncode
