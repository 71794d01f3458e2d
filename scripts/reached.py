"""Which rooms of tests/ have long tests that a change can reach, by tests/reach/reach.toml."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]
RULES = ROOT / "tests" / "reach" / "reach.toml"
_IMPORT = re.compile(r"^\s*(?:from|import) (\w+)", re.MULTILINE)


def changed_since(commit: str) -> list[str] | None:
    """Files that differ from a commit, by their paths in the checkout; none where git does not have it."""
    command = ["git", "diff", "--name-only", "--no-renames", f"{commit}^{{commit}}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return None if done.returncode else done.stdout.splitlines()


def reached(changed: Iterable[str]) -> set[str] | None:
    """Rooms whose long tests these files can reach; none when it may be every room."""
    rules = tomllib.loads(RULES.read_text("utf-8"))
    rooms: set[str] = set()
    for path in changed:
        found = _rooms_of_test(path) if path.startswith("tests/") else _rooms_by_rule(path, rules)
        if found is None:
            return None
        rooms |= found
    return rooms


def _rooms_by_rule(path: str, rules: dict[str, list[str]]) -> set[str] | None:
    if re.match(r"crates/[^/]+/tests/", path):
        # They are run with the fast ones.
        return set()
    matching = [begin for begin in rules if path.startswith(begin)]
    return set(rules[max(matching, key=len)]) if matching else None


def _rooms_of_test(path: str) -> set[str] | None:
    """The room of a file of tests, and those that import it, also by way of others."""
    parts = PurePosixPath(path).parts
    if len(parts) < 3:
        return None
    rooms = {parts[1]}
    if not path.endswith(".py") or parts[-1].startswith("test_"):
        return rooms
    importers: dict[str, set[PurePosixPath]] = {}
    for file in (ROOT / "tests").rglob("*.py"):
        for name in _IMPORT.findall(file.read_text("utf-8")):
            importers.setdefault(name, set()).add(PurePosixPath(file.relative_to(ROOT / "tests")))
    to_follow, seen = [PurePosixPath(path).stem], set()
    while to_follow:
        name = to_follow.pop()
        if name in seen:
            continue
        seen.add(name)
        for file in importers.get(name, ()):
            rooms.add(file.parts[0])
            to_follow.append(file.stem)
    return rooms
