"""Walks with `back`, `clip` and a bounded length: their long-run shares against walks by the rules."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from loadstone import _core
from loadstone.scenario import load_scenario
from loadstone.scenario.mixing import clipped

HEAD = """
format = 1
name = "walk"
[target]
url = "http://127.0.0.1:1"
[pacing]
think = 1
"""
OPERATION = """
[[operation]]
name = "{name}"
limit_s = 1
step = [{{ get = "/" }}]
"""
MIX = """
[session]
max_operations = 40
[mix]
clip = true
Home = { Search = 0.9, Item = 0.3, end = 0.2 }
Search = { Item = 0.8, Search = 0.1 }
Item = { User = 0.4, back = 0.5, end = 0.05, Home = 0.3 }
User = { Item = 0.3, back = 0.6, Home = 0.2, end = 0.2 }
"""
ROWS = {
    "Home": [("Search", 0.9), ("Item", 0.3), ("end", 0.2)],
    "Search": [("Item", 0.8), ("Search", 0.1)],
    "Item": [("User", 0.4), ("back", 0.5), ("end", 0.05), ("Home", 0.3)],
    "User": [("Item", 0.3), ("back", 0.6), ("Home", 0.2), ("end", 0.2)],
}


def walk(steps: int, seed: int) -> dict[str, float]:
    """Shares of a walk as the client of RUBiS makes it: rows in their order, up to a random number."""
    chosen = random.Random(seed)
    seen = dict.fromkeys(ROWS, 0)
    at, history, length = "Home", [], 0
    for _ in range(steps):
        seen[at] += 1
        length += 1
        left, to = chosen.random(), at
        for column, share in ROWS[at]:
            left -= share
            if left < 0:
                to = column
                break
        if to == "end" or length == 40:
            at, history, length = "Home", [], 0
        elif to == "back":
            at = history.pop()
        else:
            if dict(ROWS[to]).get("back"):
                history.append(at)
            else:
                history = []
            at = to
    return {name: count / steps for name, count in seen.items()}


def scenario(folder: Path) -> Path:
    path = folder / "scenario.toml"
    path.write_text(HEAD + "".join(OPERATION.format(name=name) for name in ROWS) + MIX, encoding="utf-8")
    return path


def test_shares_are_those_of_a_walk_by_the_rules(tmp_path: Path) -> None:
    expected = _core.expectations(json.dumps(load_scenario(scenario(tmp_path)).plan()))
    walks = [walk(50_000, seed) for seed in range(8)]
    for name, share in expected["mix"].items():
        own = [one[name] for one in walks]
        mean = sum(own) / len(own)
        error = (sum((one - mean) ** 2 for one in own) / 7 / 8) ** 0.5
        # Seeded on both sides: this cannot fail by chance on another day.
        assert abs(share - mean) < 5 * (error**2 + expected["mix_error"][name] ** 2) ** 0.5 + 1e-9
        assert 0 < expected["mix_error"][name] < 0.002


def test_a_chain_without_memory_is_computed(tmp_path: Path) -> None:
    path = scenario(tmp_path)
    text = path.read_text(encoding="utf-8").replace("max_operations = 40\n", "").replace("back", "Search")
    path.write_text(text, encoding="utf-8")
    assert set(_core.expectations(json.dumps(load_scenario(path).plan()))["mix_error"].values()) == {0.0}


def test_a_clipped_row_loses_what_lies_beyond_1() -> None:
    row = {"a": 0.7, "b": 0.3, "end": 0.2, "back": 0.1}
    assert clipped(row, "a") == pytest.approx({"a": 0.7, "b": 0.3, "back": 0.0})
    # Two of three walks of `a` go on: 1 + 2/3 + (2/3)^2 + ... = 3 operations; without the clip the end takes
    # 0.5 of 1.2, 2.4 operations.
    row = clipped({"a": 2 / 3, "end": 0.5}, "a")
    assert 1 / row["end"] == pytest.approx(3)


def test_what_is_missing_to_1_repeats_the_operation() -> None:
    assert clipped({"b": 0.97}, "a") == pytest.approx({"b": 0.97, "a": 0.03})
    assert clipped({"a": 0.5, "b": 0.4}, "a") == pytest.approx({"a": 0.6, "b": 0.4})
