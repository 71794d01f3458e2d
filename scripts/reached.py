"""Which long tests a change can reach, by tests/reach/reach.toml and by what tests import of each other."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]
RULES = ROOT / "tests" / "reach" / "reach.toml"
_NAMED = re.compile(r"^\s*(?:from|import) (\w+)|\b(\w+)\.py\b", re.MULTILINE)
"""Modules that a file imports, or starts as programs."""


def changed_since(commit: str) -> list[str] | None:
    """Files that differ from a commit, by their paths in the checkout; none where git does not have it."""
    command = ["git", "diff", "--name-only", "--no-renames", f"{commit}^{{commit}}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return None if done.returncode else done.stdout.splitlines()


def reached(changed: Iterable[str]) -> set[str] | None:
    """Folders and files of tests/ whose long tests these files can reach; none when it may be all of them."""
    rules = tomllib.loads(RULES.read_text("utf-8"))
    targets: set[str] = set()
    for path in changed:
        found = _of_tests(path) if path.startswith("tests/") else _rooms_by_rule(path, rules)
        if found is None:
            return None
        targets |= found
    # A file of a room that is run whole would be run twice.
    return {one for one in targets if "/" not in one or one.split("/")[0] not in targets}


def _rooms_by_rule(path: str, rules: dict[str, list[str]]) -> set[str] | None:
    if re.match(r"crates/[^/]+/tests/", path):
        # They are run with the fast ones.
        return set()
    matching = [begin for begin in rules if path.startswith(begin)]
    return set(rules[max(matching, key=len)]) if matching else None


def _of_tests(path: str) -> set[str] | None:
    """A file of tests reaches itself, a module those who use it, also by way of others, all else its room."""
    file = PurePosixPath(path).relative_to("tests")
    if len(file.parts) < 2:
        return None
    if file.suffix != ".py" or file.name == "conftest.py":
        return {file.parts[0]}
    users: dict[str, set[PurePosixPath]] = {}
    for one in (ROOT / "tests").rglob("*.py"):
        for imported, started in _NAMED.findall(one.read_text("utf-8")):
            users.setdefault(imported or started, set()).add(PurePosixPath(one.relative_to(ROOT / "tests")))
    tests, to_follow, seen = set[str](), [file], set()
    while to_follow:
        one = to_follow.pop()
        if one.name.startswith("test_"):
            tests.add(str(one))
        elif one.stem not in seen:
            seen.add(one.stem)
            to_follow += users.get(one.stem, ())
    # One that nobody names may be used in a way that is not seen here.
    return tests or {file.parts[0]}
