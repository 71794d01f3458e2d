"""Which long tests a change reaches: too many cost minutes, too few let a mistake through."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


def _reached() -> Any:
    spec = importlib.util.spec_from_file_location("reached", ROOT / "scripts" / "reached.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


reached = _reached()
RULES = tomllib.loads(reached.RULES.read_text("utf-8"))
_ROOM = re.compile(r"python/loadstone/(\w+)/")


def test_every_rule_is_about_what_there_is() -> None:
    tests = ROOT / "tests"
    for path, rooms in RULES.items():
        assert (ROOT / path).exists() or list(ROOT.glob(f"{path}*")), path
        assert not [room for room in rooms if not (tests / room).exists()], path


@pytest.mark.parametrize("path", [path for path in RULES if _ROOM.fullmatch(path)])
def test_the_rooms_of_a_part_have_all_long_tests_that_import_it(path: str) -> None:
    found = _ROOM.fullmatch(path)
    assert found
    imports = re.compile(rf"loadstone\.{found[1]}\b|from loadstone import .*\b{found[1]}\b")
    for file in (ROOT / "tests").rglob("test_*.py"):
        text = file.read_text("utf-8")
        if imports.search(text) and "mark.long" in text:
            assert file.parent.name in RULES[path], file


@pytest.mark.parametrize(
    ("changed", "rooms"),
    [
        ([], set()),
        (["bench/engine.py"], set()),
        (["crates/engine/tests/http2/rates.rs"], set()),
        (["docs/index.md"], {"docs"}),
        (["docs/index.md", "crates/inject/src/lib.rs"], {"cli", "docs", "inject"}),
        (["tests/lab/test_live.py"], {"lab/test_live.py"}),
        (["tests/docs/test_site.py", "docs/index.md"], {"docs"}),
        # A program that a test starts, and what no test names.
        (["tests/boot/moving.py"], {"boot/test_cloud.py"}),
        (["tests/boot/a-picture.png"], {"boot"}),
        # The longest path counts.
        (["python/loadstone/data/studies/stacks.toml"], {"cli", "docs", "intake", "study"}),
        # What nothing is said of may reach everything.
        (["crates/engine/src/lib.rs"], None),
        (["docs/index.md", "a-new-file"], None),
        (["tests/conftest.py"], None),
    ],
)
def test_a_change_reaches_its_rooms(changed: list[str], rooms: set[str] | None) -> None:
    found = reached.reached(changed)
    # This file names others.
    assert (None if found is None else found - {"reach/test_reach.py"}) == rooms


def test_a_helper_reaches_those_who_import_it_also_by_way_of_others() -> None:
    tests = reached.reached(["tests/ui/served_page.py"])
    # `parity/copies.py` imports it, and a test imports that.
    assert {"ui/test_page_in_browser.py", "parity/test_replicas.py"} <= tests
    assert not [one for one in tests if one.startswith("theory")]


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="this is no clone")
def test_a_commit_that_git_does_not_have_is_no_base() -> None:
    assert reached.changed_since("0" * 40) is None
    assert reached.changed_since("HEAD") is not None
