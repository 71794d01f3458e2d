"""ARCHITECTURE.md's table of rooms: who may use whom is what the imports say."""

from __future__ import annotations

import re
from pathlib import Path

import grimp
import pytest

TABLE = (Path(__file__).parents[2] / "ARCHITECTURE.md").read_text("utf-8")
TOLD = {
    found[1].removesuffix(".py"): set(re.findall(r"[a-z]+", re.sub(r"\([^)]*\)", "", found[2])))
    for found in re.finditer(r"^\| `python/loadstone/([\w.]+)` \| .* \| ([^|]*) \|$", TABLE, flags=re.M)
}
LOWEST = {"digits", "errors", "goals", "intake", "leave", "remaining", "scratch", "sources", "unit"}
"""There for every room."""
TOP = {"__main__", "cli"}
"""They may use everything."""


@pytest.fixture(scope="module")
def used() -> dict[str, set[str]]:
    """Rooms by the room that imports something of them."""
    graph = grimp.build_graph("loadstone", cache_dir=None)
    found: dict[str, set[str]] = {}
    for module in graph.modules - {"loadstone"}:
        room = module.split(".")[1]
        others = {one.split(".")[1] for one in graph.find_modules_directly_imported_by(module) if "." in one}
        found.setdefault(room, set()).update(others - {room})
    return found


def test_every_room_has_its_row(used: dict[str, set[str]]) -> None:
    assert used.keys() - TOP == TOLD.keys() - TOP


@pytest.mark.parametrize("room", sorted(TOLD.keys() - TOP - LOWEST))
def test_a_room_uses_what_its_row_tells(room: str, used: dict[str, set[str]]) -> None:
    assert used[room] - LOWEST == TOLD[room] - LOWEST
