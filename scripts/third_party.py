#!/usr/bin/env python3
"""Writes THIRD-PARTY.md: packages whose code is in our module, their licences, and the texts that go along.

Usage: scripts/third_party.py [--check]    --check writes nothing, and fails when the file is another
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "THIRD-PARTY.md"
ROOT_PACKAGE = "loadstone-py"

ALLOWED = (
    *("Apache-2.0", "Apache-2.0 WITH LLVM-exception", "MIT", "ISC", "BSD-3-Clause", "BSD-2-Clause", "0BSD"),
    *("Zlib", "Unicode-3.0", "CC0-1.0", "Unlicense", "MPL-2.0"),
)
"""Licences that may enter. Where a package lets us choose, the first of these is taken. What has MPL-2.0 is
used as it was published, and the file says where its source is."""

UNSAID = {"webpki 0.22.4": "ISC"}
"""Of packages that name no licence, but have a file with one: what that says."""

INSIDE = {
    "libnghttp2-sys": "has nghttp2 inside: MIT",
    "libsqlite3-sys": "has SQLite inside: public domain",
    "ring": "has parts of BoringSSL inside: their licences are in the text below",
}
"""What packages bring along that is no Rust."""

_TEXTS = re.compile(r"(licen[sc]e|copying|notice|unlicense)", re.IGNORECASE)
_WORDS = re.compile(r"\(|\)|[^\s()]+")


@dataclass(frozen=True)
class Package:
    """A package in the module."""

    name: str
    version: str
    licence: str
    """As it was published: an expression of SPDX."""
    source: str
    folder: Path


class NotAllowed(Exception):
    """A package whose licence is not on the list."""


def chosen(expression: str) -> list[str]:
    """The licences that we take a package under. NotAllowed when there is no way to.

    >>> chosen("MIT OR Apache-2.0"), chosen("(MIT OR GPL-2.0) AND Unicode-3.0"), chosen("Unlicense/MIT")
    (['Apache-2.0'], ['MIT', 'Unicode-3.0'], ['MIT'])
    """
    words = _WORDS.findall(expression.replace("/", " OR ").replace(" WITH ", "\0"))
    found, rest = _either([word.replace("\0", " WITH ") for word in words])
    if found is None or rest:
        raise NotAllowed(f"`{expression}` is not made of {', '.join(ALLOWED)}")
    return sorted(found, key=ALLOWED.index)


def _either(words: list[str]) -> tuple[set[str] | None, list[str]]:
    """The best of the alternatives that `words` begin with, and what follows them."""
    best, words = _all_of(words)
    while words[:1] == ["OR"]:
        other, words = _all_of(words[1:])
        if best is None or (other is not None and _rank(other) < _rank(best)):
            best = other
    return best, words


def _all_of(words: list[str]) -> tuple[set[str] | None, list[str]]:
    found, words = _one(words)
    while words[:1] == ["AND"]:
        other, words = _one(words[1:])
        found = None if found is None or other is None else found | other
    return found, words


def _one(words: list[str]) -> tuple[set[str] | None, list[str]]:
    if not words:
        return None, []
    if words[0] == "(":
        found, rest = _either(words[1:])
        return (found, rest[1:]) if rest[:1] == [")"] else (None, rest)
    return ({words[0]} if words[0] in ALLOWED else None), words[1:]


def _rank(licences: set[str]) -> tuple[int, int]:
    return max(map(ALLOWED.index, licences)), len(licences)


def packages(metadata: Mapping[str, Any], root: str = ROOT_PACKAGE) -> list[Package]:
    """All packages of others whose code is in the module of `root`, by name: no build scripts, no tests."""
    by_id = {one["id"]: one for one in metadata["packages"]}
    nodes = {one["id"]: one for one in metadata["resolve"]["nodes"]}
    left = [next(key for key, one in by_id.items() if one["name"] == root)]
    seen = set(left)
    while left:
        for dependency in nodes[left.pop()]["deps"]:
            kinds = [kind["kind"] for kind in dependency["dep_kinds"]]
            macro = any("proc-macro" in target["kind"] for target in by_id[dependency["pkg"]]["targets"])
            if None in kinds and not macro and dependency["pkg"] not in seen:
                seen.add(dependency["pkg"])
                left.append(dependency["pkg"])
    found = (by_id[key] for key in seen if by_id[key]["source"])
    return sorted(
        (
            Package(
                one["name"],
                one["version"],
                one["license"] or UNSAID.get(f"{one['name']} {one['version']}", ""),
                one["repository"] or f"https://crates.io/crates/{one['name']}",
                Path(one["manifest_path"]).parent,
            )
            for one in found
        ),
        key=lambda one: (one.name, one.version),
    )


def read_metadata() -> dict[str, Any]:
    """What cargo knows of the module as it is built for Linux on this kind of machine."""
    host = subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True).stdout
    [triple] = re.findall(r"^host: (\S+)$", host, re.MULTILINE)
    command = ["cargo", "metadata", "--format-version=1", "--locked", "--filter-platform", triple]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def document(found: list[Package]) -> str:
    """The whole file. NotAllowed with all whose licence may not enter."""
    refused = []
    taken: dict[Package, list[str]] = {}
    for one in found:
        try:
            taken[one] = chosen(one.licence)
        except NotAllowed as error:
            refused.append(f"{one.name} {one.version}: {error}")
    if refused:
        raise NotAllowed("\n".join(refused))
    lines = [
        "# Third-party notices",
        "",
        "Loadstone is under the [Apache License 2.0](LICENSE). Its module `_core` contains the packages",
        "below, as they were published on crates.io and unchanged. `scripts/third_party.py` writes this",
        "file from Cargo's own list; a test keeps it true, and other licences out. Packages of Python are",
        "installed beside Loadstone, and have files of their own.",
        "",
        "The source of each is at `https://crates.io/crates/NAME/VERSION`, also of those under the Mozilla",
        "Public License 2.0, whose section 3.2 asks for it.",
        "",
        "| package | version | licence as published | taken under | source |",
        "|---|---|---|---|---|",
    ]
    for one, licences in taken.items():
        inside = f" ({INSIDE[one.name]})" if one.name in INSIDE else ""
        lines.append(
            f"| {one.name} | {one.version} | {one.licence}{inside} | {', '.join(licences)} | {one.source} |"
        )
    lines += ["", "## Texts", "", "Of what is not taken under the Apache License 2.0.", ""]
    for text, names in texts(taken).items():
        lines += [f"### {', '.join(names)}", "", "```text", text, "```", ""]
    return "\n".join(lines)


def texts(taken: Mapping[Package, list[str]]) -> dict[str, list[str]]:
    """Texts of licences that must go along, each once, with the packages that have it."""
    found: dict[str, list[str]] = {}
    for one, licences in taken.items():
        if set(licences) <= {"Apache-2.0", "Apache-2.0 WITH LLVM-exception"}:
            continue
        for text in _texts_of(one, licences):
            found.setdefault(text, []).append(f"{one.name} {one.version}")
    return found


def _texts_of(one: Package, licences: list[str]) -> Iterator[str]:
    files = sorted(path for path in one.folder.iterdir() if path.is_file() and _TEXTS.search(path.name))
    # Of several, those that are named after a licence that is not ours to use are left out.
    own = [path for path in files if not re.search(r"apache", path.name, re.IGNORECASE)]
    if not own:
        yield f"{one.name} is under {', '.join(licences)}; its package has no text of it."
    for path in own:
        text = path.read_text(encoding="utf-8", errors="replace").strip().replace("```", "'''")
        yield "\n".join(line.rstrip() for line in text.splitlines())


def main() -> int:
    """Writes the file, or says whether it is as it should be."""
    try:
        text = document(packages(read_metadata()))
    except NotAllowed as error:
        print(error, file=sys.stderr)
        return 1
    if "--check" in sys.argv[1:]:
        if not FILE.is_file() or FILE.read_text(encoding="utf-8") != text:
            print("THIRD-PARTY.md is not what it should be: run scripts/third_party.py", file=sys.stderr)
            return 1
        return 0
    FILE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
