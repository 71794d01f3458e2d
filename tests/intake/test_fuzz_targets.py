"""Every reader is a target of the fuzzers and described as one, and goes through the intake."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from pathlib import Path

import pytest
from kinds import KINDS

import loadstone
from loadstone.errors import LoadstoneError

PACKAGE = Path(loadstone.__file__).parent
ROOT = Path(__file__).parents[2]
READERS = ROOT / "fuzz" / "readers.py"

OWN = {
    "agent.py": "standard library only; lines of the program that started it",
    "cli/demo.py": "what its own stages wrote a moment ago",
    "cli/scenario.py": "a built-in scenario",
    "cost/book.py": "the price books of the package; people's own go through the intake",
    "data/roles/command/templates/supervise.py": "a program on a host, orders that deploy wrote",
    "data/roles/nftables/templates/balance.py": "a program on a host, settings that deploy wrote",
    "data/stacks": "applications of their own, which are measured",
    "deploy": "programs on hosts, answers of hosts",
    "measure": "answers of programs that it started",
    "harden/servers.py": "what its own builds and the servers' own tests wrote a moment ago",
    "image/build.py": "the repository's own files",
    "image/cargo.py": "answers of Cargo",
    "image/crates.py": "answers of Cargo, and the repository's own files",
    "image/hardened.py": "the plugin and a source of the checkout, for their digest",
    "image/new.py": "its own templates",
    "image/linux.py": "the kernel's own files",
    "image/qemu.py": "what the processor can do",
    "image/monitor.py": "answers of QEMU",
    "image/service": "its own folder, orders that its own commands send it, the machine's files",
    "lab": "its own folder and the machine's files",
    "probe/connect.py": "its own program for the source",
    "probe/iperf.py": "answers of iperf3",
    "record/journal.py": "written, and cut, not read",
    "record/machine.py": "the machine's own files",
    "report/html.py": "its own templates",
    "serve.py": "one argument of the program that started it",
    "site/stack/running.py": "the package's own files",
    "site/stack/__main__.py": "one argument of the program that started it",
    "sources.py": "the package's own archive",
    "study": "answers of programs that it started",
    "ui/desk.py": "the package's own files",
}
"""Rooms that read by themselves what no person hands in."""
_READS = re.compile(
    r"\bjson\.loads?\(|\btomllib\.loads?\(|(?<!resources)\.read_(text|bytes)\(|pickle|\byaml\.\w*load"
)


def test_targets_are_the_readers() -> None:
    spec = importlib.util.spec_from_file_location("readers", READERS)
    assert spec and spec.loader
    readers = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(readers)
    found = readers.targets()
    kinds = {readers.slug(kind.name) for kind in KINDS}
    assert len(kinds) == len(KINDS) and kinds <= set(found)
    with pytest.raises(LoadstoneError):
        found["text-toml"](b"x = [")
    with pytest.raises(ValueError):
        found["text-json"](b"[")


def test_targets_in_rust_are_built_and_described() -> None:
    sources = {path.stem for path in (ROOT / "fuzz" / "fuzz_targets").glob("*.rs")}
    manifest = tomllib.loads((ROOT / "fuzz" / "Cargo.toml").read_text("utf-8"))
    assert {one["name"] for one in manifest["bin"]} == sources
    page = (ROOT / "docs" / "background" / "fuzzing.md").read_text("utf-8")
    table = page.partition("| target | reads | holds |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| (`.*?`) \|", table, re.MULTILINE)
    assert sorted(name for row in rows for name in re.findall(r"`(\w+)`", row)) == sorted(sources)


def test_nothing_is_read_around_the_intake() -> None:
    around = [
        f"{path.relative_to(PACKAGE)}:{number}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if _READS.search(line) and not _may(str(path.relative_to(PACKAGE)))
    ]
    assert not around, "read with loadstone.intake, or say here why not"


def _may(path: str) -> bool:
    return path.startswith("intake/") or any(path == one or path.startswith(f"{one}/") for one in OWN)
