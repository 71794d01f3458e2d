"""SURGE's users: their laws in the file, in the plan and in the engine."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from loadstone import _core
from loadstone.errors import LoadstoneError
from loadstone.scenario import load_scenario

ROOT = Path(__file__).parents[2]


def test_the_laws_are_in_the_plan() -> None:
    plan = load_scenario("surge").plan(target=("127.0.0.1", 80))
    assert plan["browser"]["pause"] == {"kind": "weibull", "scale_s": 1.46, "shape": 0.382, "max_s": 1.0}
    assert plan["pacing"]["law"] == {"kind": "pareto", "k_s": 1.0, "alpha": 1.4, "max_s": 60.0}
    drawn = plan["operations"][0]["draw"][0]["value"]
    assert drawn == {
        "kind": "zipf",
        "count": 3100,
        "exponent": 1.0,
        "locality": {"mu": 4.2, "sigma": 1.8},
    }


def test_there_are_as_many_pages_as_the_site_has() -> None:
    for files, pages in ((5000, 3100), (15, 8), (10, 6)):
        scenario = load_scenario("surge", {"data.files": str(files)})
        assert scenario.data["documents"] == pages


def test_the_mean_think_time_is_that_of_the_clamped_law() -> None:
    plan = load_scenario("surge").plan(target=("127.0.0.1", 80))
    expected = 1 + (1 - 60 ** (1 - 1.4)) / (1.4 - 1)
    assert _core.expectations(json.dumps(plan))["pace_mean_s"]["Page"] == pytest.approx(expected)


def test_a_weibull_law_of_shape_one_is_exponential() -> None:
    law = {"pacing.think": '{ kind = "weibull", scale_s = 2, shape = 1, max_s = 6 }'}
    plan = load_scenario("surge", law).plan(target=("127.0.0.1", 80))
    mean = _core.expectations(json.dumps(plan))["pace_mean_s"]["Page"]
    assert mean == pytest.approx(2 * (1 - math.exp(-3)))


def test_without_a_pause_the_plan_has_none() -> None:
    assert "pause" not in load_scenario("page").plan()["browser"]


@pytest.mark.parametrize(
    ("setting", "value", "said"),
    [
        ("browser.pause", '{ kind = "weibul", scale_s = 1, shape = 1, max_s = 1 }', "did you mean `weibull`"),
        ("browser.pause", '{ kind = "weibull", scale_s = 0, shape = 1, max_s = 1 }', "out-of-range"),
        ("operation.Page.draw.page", '{ kind = "zipf", count = 9, exponent = 0 }', "out-of-range"),
        (
            "operation.Page.draw.page",
            '{ kind = "zipf", count = 9, locality = { mu = 1, sgma = 2 } }',
            "did you mean `sigma`",
        ),
    ],
)
def test_laws_that_are_none_are_refused(setting: str, value: str, said: str) -> None:
    with pytest.raises(LoadstoneError) as refused:
        load_scenario("surge", {setting: value})
    assert said in str(refused.value)
