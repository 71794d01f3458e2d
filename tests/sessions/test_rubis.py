"""The scenarios of RUBiS: its transition tables, and that the engine's users walk them."""

from __future__ import annotations

import json
import random
import statistics
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from loadstone.scenario import load_scenario

ROWS = {
    "rubis-browse": {
        "Home": {"Browse": 1.0},
        "ViewUserInfo": {"ViewUserInfo": 0.19, "back": 0.8, "end": 0.2},
    },
    "rubis-bid": {"ViewItem": {"PutBidAuth": 0.22, "PutComment": 0.02, "back": 0.5, "end": 0.2}},
}
"""Some entries of the published tables."""

LENGTHS = {"rubis-browse": (452, 367), "rubis-bid": (51, 36)}
"""Mean and median length of a session that clips its rows, from walks over the published tables."""

WRITES = {"RegisterUser", "StoreBuyNow", "StoreBid", "StoreComment", "RegisterItem"}


def rows_of(name: str) -> dict[str, dict[str, float]]:
    """The rows of a scenario's mix, in the order of the file."""
    written = tomllib.loads(load_scenario(name).text.decode())["mix"]
    return {row: columns for row, columns in written.items() if isinstance(columns, dict)}


def session(rows: dict[str, dict[str, float]], chosen: random.Random) -> list[str]:
    """One session as the client of RUBiS walks it."""
    at, history, seen = "Home", list[str](), list[str]()
    while len(seen) < 1000:
        seen.append(at)
        left, to = chosen.random(), at
        for column, share in rows[at].items():
            left -= share
            if left < 0:
                to = column
                break
        if to == "end":
            break
        if to == "back":
            at = history.pop() if history else "Home"
            continue
        history = [*history, at] if rows[to].get("back") else []
        at = to
    return seen


@pytest.mark.parametrize("name", ["rubis-browse", "rubis-bid"])
def test_sessions_are_as_long_as_those_of_the_tables(name: str) -> None:
    rows = rows_of(name)
    for row, columns in ROWS[name].items():
        assert columns.items() <= rows[row].items()
    chosen = random.Random(1)
    walked = [session(rows, chosen) for _ in range(800 if name == "rubis-browse" else 4000)]
    lengths = [len(seen) for seen in walked]
    mean, median = LENGTHS[name]
    # The lengths are all but exponential: means and medians of so many are within 4 % of theirs.
    assert statistics.mean(lengths) == pytest.approx(mean, rel=0.12)
    assert statistics.median(lengths) == pytest.approx(median, rel=0.15)
    seen = [operation for one in walked for operation in one]
    writes = sum(operation in WRITES for operation in seen) / len(seen)
    assert writes == pytest.approx(0.092 if name == "rubis-bid" else 0, abs=0.006)


@pytest.mark.long
@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", ["rubis-browse", "rubis-bid"])
def test_users_walk_the_tables(name: str, tmp_path: Path) -> None:
    sets = [
        "load.users=20",
        "load.operations=20000",
        "load.steady_s=240",
        "load.ramp_up_s=0",
        "load.ramp_down_s=0",
        "data.pace=0.0005",
    ]
    command = [sys.executable, "-m", "loadstone", "run", name, "--out", tmp_path / "run", "--json"]
    done = subprocess.run(
        [*command, *(part for one in sets for part in ("--set", one))],
        capture_output=True,
        text=True,
        check=False,
    )
    operations = json.loads(done.stdout)["operations"]
    total = sum(one["count"] for one in operations.values())
    assert total == 20_000, done.stderr
    assert sum(sum(one["failed"].values()) for one in operations.values()) <= total / 1000
    off = {name: one["mix_share"] - one["mix_expected"] for name, one in operations.items()}
    # Who browses stays in one kind of search for some eighty operations, so there are only some 250 choices
    # between the two: the share of either has a standard error of two points, that of both together has not.
    searches = [off.pop("SearchItemsInCategory"), off.pop("SearchItemsInRegion")]
    off["searches"] = sum(searches)
    assert max(map(abs, searches)) < 0.1
    for operation, difference in off.items():
        assert abs(difference) < 0.02, operation
