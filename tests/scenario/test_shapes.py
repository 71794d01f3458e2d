"""Loads that change: what each shape becomes, and what is wrong with files of them."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from loadstone.cli import app
from loadstone.errors import LoadstoneError
from loadstone.scenario import load_scenario

SCENARIO = """
format = 1
name = "shaped"
[target]
url = "http://127.0.0.1:1"
[load]
{load}
steady_s = 120
[pacing]
think = 1
[[operation]]
name = "A"
limit_s = 1
step = [{{ get = "/" }}]
"""


def profile(folder: Path, load: str) -> list[list[float]]:
    path = folder / "shaped.toml"
    path.write_text(SCENARIO.format(load=load))
    found: list[list[float]] = load_scenario(path).plan()["load"]["profile"]
    return found


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ('{ kind = "steps", to = 50, count = 4, every_s = 20 }', [[20, 20], [40, 30], [60, 40], [80, 50]]),
        ('{ kind = "steps", to = 0, count = 2, every_s = 30 }', [[30, 5], [60, 0]]),
        ('{ kind = "spike", to = 90, at_s = 30, for_s = 5 }', [[30, 90], [35, 10]]),
    ],
)
@pytest.mark.parametrize("unit", ["users", "sessions_per_s", "requests_per_s"])
def test_steps_and_spikes(tmp_path: Path, unit: str, shape: str, expected: Any) -> None:
    assert profile(tmp_path, f"{unit} = 10\nshape = {shape}") == expected


def test_a_shape_begins_from_the_load_of_the_run(tmp_path: Path) -> None:
    path = tmp_path / "shaped.toml"
    path.write_text(
        SCENARIO.format(load='users = 10\nshape = { kind = "spike", to = 90, at_s = 30, for_s = 5 }')
    )
    planned = load_scenario(path).plan(load=20)["load"]
    assert (planned["users"], planned["profile"]) == (20, [[30, 90], [35, 20]])


def test_a_sine_goes_from_one_load_to_the_other_and_back(tmp_path: Path) -> None:
    points = profile(tmp_path, 'requests_per_s = 10\nshape = { kind = "sine", to = 50, period_s = 60 }')
    for at, load in points:
        assert load == pytest.approx(30 - 20 * math.cos(2 * math.pi * (at + 0.5) / 60))
    # At its turns two seconds have the same load.
    assert 110 < len(points) <= 120


def test_users_are_whole_and_told_only_when_they_change(tmp_path: Path) -> None:
    points = profile(tmp_path, 'users = 1\nshape = { kind = "sine", to = 5, period_s = 120 }')
    assert all(load == int(load) for _, load in points) and {load for _, load in points} == {1, 2, 3, 4, 5}
    assert all(before[1] != after[1] for before, after in itertools.pairwise(points))


def test_a_hockey_stick_is_flat_and_then_grows_to_its_end(tmp_path: Path) -> None:
    points = profile(tmp_path, 'sessions_per_s = 10\nshape = { kind = "hockey-stick", to = 70, at_s = 90 }')
    assert points[0] == [90, pytest.approx(11)] and points[-1] == [119, pytest.approx(69)]


def test_a_file_says_the_load_from_each_second_on(tmp_path: Path) -> None:
    (tmp_path / "day.csv").write_text("seconds,load\n0,5.5\n\n60,10\n")
    assert profile(tmp_path, 'requests_per_s = 1\nshape = "day.csv"') == [[0, 5.5], [60, 10]]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("seconds,load\n0,5\n1,many\n", "day.csv:3: `1,many` is not two numbers"),
        ("0,5\n1\n", "day.csv:2: `1` is not two numbers"),
        ("0,5\n5,2.5\n", "day.csv:2: 5,2.5 is not a time and a whole number of users"),
        ("0,5\n5,nan\n", "day.csv:2: 5,nan is not a time and a whole number of users"),
        ("0,5\n5,-1\n", "day.csv:2: 5,-1 is not"),
        ("5,5\n5,6\n", "the seconds must ascend: 5 follows 5"),
        ("seconds,load\n", "day.csv: no row `seconds,load`"),
    ],
)
def test_a_file_that_is_none_is_refused_with_its_line(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "day.csv").write_text(text)
    with pytest.raises(LoadstoneError, match="load-profile") as refused:
        profile(tmp_path, 'users = 10\nshape = "day.csv"')
    assert why in str(refused.value) and "shaped.toml:8, [load.shape]" in str(refused.value)


def test_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LoadstoneError, match=r"`none\.csv`"):
        profile(tmp_path, 'users = 10\nshape = "none.csv"')


def test_a_search_takes_no_load_that_changes(tmp_path: Path) -> None:
    profile(tmp_path, 'users = 10\nshape = { kind = "spike", to = 90, at_s = 30, for_s = 5 }')
    told = CliRunner().invoke(app, ["capacity", str(tmp_path / "shaped.toml"), "--out", str(tmp_path / "x")])
    assert isinstance(told.exception, LoadstoneError) and told.exception.slug == "load-profile"
    assert "a search looks for one load" in str(told.exception)
