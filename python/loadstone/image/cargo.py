"""Cargo, as images and the programs of the Linux guest are built with it."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadstone.image.sources import tool
from loadstone.sources import checkout

Json = dict[str, Any]


@dataclass(frozen=True)
class Artifacts:
    """What Cargo built, also of what was there already."""

    ok: bool
    made: list[Json]

    def program(self, name: str | None = None) -> Path:
        """The program of that name; without one the first."""
        programs = (one for one in self.made if one["executable"])
        return Path(next(one["executable"] for one in programs if name in (None, one["target"]["name"])))

    def features(self, package: str) -> list[str]:
        """The features that a package was built with; none if it was not built."""
        found = [one["features"] for one in self.made if package in one["package_id"]]
        return sorted(found[0]) if found else []

    def has_library(self, name: str) -> bool:
        """Whether a library of that name was compiled."""
        return any(one["target"]["name"] == name and "lib" in one["target"]["kind"] for one in self.made)


FIXED_ADDRESS = ("-C", "relocation-model=static")
"""An image is at one address, so its code names addresses as they are, which takes less room. For the program
only: by then the compiler has all of it, and build scripts and macros are programs of this machine."""


def cargo_build(
    arguments: Sequence[str], environment: Mapping[str, str], last: Sequence[str] = ()
) -> Artifacts:
    """Builds; Cargo's own progress and messages go to stderr. The compiler gets `last` for the program alone.
    LoadstoneError `program-missing`."""
    how = ["--release", "--message-format", "json-render-diagnostics", *arguments]
    command = [tool("cargo"), *(["rustc", *how, "--", *last] if last else ["build", *how])]
    done = subprocess.run(command, stdout=subprocess.PIPE, env=os.environ | environment, check=False)
    messages = [json.loads(line) for line in done.stdout.splitlines()]
    return Artifacts(not done.returncode, [one for one in messages if one["reason"] == "compiler-artifact"])


CRATES_IO = "index.crates.io-1949cf8c6b5b557f"
"""Cargo's folder of packages from crates.io, the same on every machine since 1.85. Each place in them that an
image names would take these bytes."""


def image_flags() -> dict[str, str]:
    """Keeps this machine's folders out of the image: it names places in sources, and those of packages and of
    the checkout begin with the package's or the crate's name on every machine."""
    home = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    known = os.environ.get("RUSTFLAGS", "")
    packages = home / "registry" / "src"
    # The last that fits counts.
    roots = (packages, packages / CRATES_IO, checkout())
    remapped = (f"--remap-path-prefix={root}/=" for root in roots)
    return {"RUSTFLAGS": " ".join([known, *remapped]).strip()}


def strip(program: Path, to: Path, prefix: str = "") -> None:
    """Writes the program without its symbols; `prefix` is before the tool's name for another processor."""
    subprocess.run([tool(f"{prefix}strip"), "--strip-all", "-o", str(to), str(program)], check=True)
