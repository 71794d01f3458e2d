"""Goals as people write them: what each form means, and that nothing else is taken for a goal."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadstone.errors import LoadstoneError
from loadstone.goals import GoalError, parse
from loadstone.scenario import load_scenario


@pytest.mark.parametrize(
    ("text", "measure", "operation", "each", "share", "bound", "window_s"),
    [
        ("Search p95 < 300 ms", "response", "Search", False, 0.95, 0.3, None),
        ("Search p99.9<1.5s", "response", "Search", False, 0.999, 1.5, None),
        ("median <= 20 ms in every 60 s", "response", None, False, 0.5, 0.02, 60.0),
        ("every p90 < limit in every 300 s", "response", None, True, 0.9, math.nan, 300.0),
        ("failed < 0.1 %", "failed", None, False, None, 0.001, None),
        ("Log-in failed <= 0 %", "failed", "Log-in", False, None, 0.0, None),
        ("every dropped < 1%", "dropped", None, True, None, 0.01, None),
        ("throughput > 50 /s", "throughput", None, False, None, 50.0, None),
        ("Search throughput >= 2.5 /s in every 10 s", "throughput", "Search", False, None, 2.5, 10.0),
    ],
)
def test_a_goal_means(text, measure, operation, each, share, bound, window_s) -> None:
    goal = parse(text)
    assert (goal.measure, goal.operation, goal.each, goal.window_s) == (measure, operation, each, window_s)
    assert goal.bound == pytest.approx(bound, nan_ok=True)
    assert goal.share == (None if share is None else pytest.approx(share))


@pytest.mark.parametrize(
    ("text", "because"),
    [
        ("", "is not a goal"),
        ("Search latency < 300 ms", "is not a goal"),
        ("Search p95 < 300", "has no unit"),
        ("Search p95 < 3 %", "has the unit %"),
        ("Search p95 > 300 ms", "asks for bad service"),
        ("failed > 1 %", "asks for bad service"),
        ("throughput < 5 /s", "asks for little throughput"),
        ("failed < 101 %", "over 100 %"),
        ("p0 < 1 s", "is about p0"),
        ("p95 < limit", "whose limit"),
        ("Search p95 < 0 ms", "bound 0"),
        ("p95 < 1 s in every 0.5 s", "windows of 0.5 s"),
        ("failed < limit", "only a response time"),
        ("x" * 10_000, "is not a goal"),
    ],
)
def test_what_is_not_a_goal_says_why(text: str, because: str) -> None:
    with pytest.raises(GoalError, match=because) as refused:
        parse(text)
    assert refused.value.hint or "limit" in because


@given(st.text(max_size=60) | st.from_regex(r"[a-zA-Z]{0,4} ?p?[0-9]{0,3} ?[<>]=? ?[0-9.]{0,6} ?[ms%/]{0,2}"))
def test_any_text_is_a_goal_or_refused(text: str) -> None:
    try:
        goal = parse(text)
    except GoalError:
        return
    assert parse(goal.text) == goal


def test_goals_of_the_command_line_come_after_those_of_the_file() -> None:
    scenario = load_scenario("page", {"sla.goals": '"failed < 1 %"'}, ["every p95 < limit"])
    assert scenario.goals == ["failed < 1 %", "every p95 < limit"]


def test_a_mistaken_goal_of_the_command_line_is_refused_by_its_option() -> None:
    with pytest.raises(LoadstoneError) as refused:
        load_scenario("page", None, ["Pages p95 < 1 s"])
    assert refused.value.slug == "goal"
    assert 'at --goal "Pages p95 < 1 s"' in str(refused.value)
    assert "did you mean `Page`?" in str(refused.value)
