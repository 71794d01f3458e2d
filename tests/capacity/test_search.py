"""The search by itself, answered by a rule instead of by measurements."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadstone.capacity.search import Limits, Search, Verdict

GOALS = ("SLA-1", "SLA-2")


def ask(search: Search, answer: Callable[[str, int], Verdict]) -> list[int]:
    """Runs the search to its end; the users it asked for."""
    asked: list[int] = []
    while (users := search.next()) is not None:
        asked.append(users)
        search.record(users, {goal: answer(goal, users) for goal in search.brackets})
    return asked


def certain(first: float, second: float) -> Callable[[str, int], Verdict]:
    capacities = {"SLA-1": first, "SLA-2": second}
    return lambda goal, users: Verdict.MET if users <= capacities[goal] else Verdict.MISSED


@given(st.integers(1, 5000), st.floats(0, 1), st.integers(1, 500), st.floats(0.01, 0.3))
def test_certain_answers_bracket_both_capacities(
    capacity: int, share: float, first: int, tolerance: float
) -> None:
    second = int(capacity * share)
    search = Search(GOALS, Limits(first, 100_000, tolerance))
    asked = ask(search, certain(capacity, second))
    for goal, truth in zip(GOALS, (capacity, second), strict=True):
        bracket = search.brackets[goal]
        assert bracket.high is not None
        low = bracket.low or 0
        assert low <= truth < bracket.high
        assert bracket.high - low <= max(1, tolerance * low)
        assert (bracket.low is None) == (truth == 0)
    assert search.outcome == "complete"
    assert len(asked) == len(set(asked)), "a certain answer needs no repetition"


def test_it_doubles_then_bisects() -> None:
    asked = ask(Search(GOALS, Limits(25, 100_000, 0.1)), certain(300, 300))
    assert asked[:5] == [25, 50, 100, 200, 400]
    assert all(200 < users < 400 for users in asked[5:])
    assert len(asked) <= 9


def test_near_the_answer_it_steps_narrowly_then_wider() -> None:
    limits = Limits(1000, 100_000, 0.1, step=1.1)
    assert ask(Search(GOALS, limits), certain(1050, 1050)) == [1000, 1100]
    assert ask(Search(GOALS, limits), certain(1700, 1700))[:4] == [1000, 1100, 1331, 1949]
    assert ask(Search(GOALS, limits), certain(700, 700))[:3] == [1000, 909, 751]


def test_both_goals_share_the_runs() -> None:
    runs = {
        capacities: len(ask(Search(GOALS, Limits(25, 100_000)), certain(*capacities)))
        for capacities in ((400, 380), (400, 400), (380, 380))
    }
    doubling = 5  # 25, 50, 100, 200 and 400
    assert runs[400, 380] <= runs[400, 400] + runs[380, 380] - doubling


def test_one_user_too_many_is_a_capacity_of_none() -> None:
    search = Search(GOALS, Limits(8, 1000))
    assert ask(search, certain(0, 0)) == [8, 4, 2, 1]
    assert (search.brackets["SLA-1"].low, search.brackets["SLA-1"].high) == (None, 1)
    assert search.outcome == "complete" and search.ended_by("SLA-1") == "least"


def test_the_ceiling_is_measured_and_named() -> None:
    search = Search(GOALS, Limits(10, 55))
    assert ask(search, certain(1000, 1000)) == [10, 20, 40, 55]
    assert search.outcome == "ceiling"
    assert (search.brackets["SLA-1"].low, search.brackets["SLA-1"].high) == (55, None)


def test_uncertain_points_are_repeated_then_left_inside_the_interval() -> None:
    def answer(goal: str, users: int) -> Verdict:
        if 180 < users < 220:
            return Verdict.OPEN
        return Verdict.MET if users <= 180 else Verdict.MISSED

    search = Search(GOALS, Limits(100, 1000, 0.05, repeats=3))
    asked = ask(search, answer)
    bracket = search.brackets["SLA-1"]
    assert asked.count(200) == 3
    assert bracket.low <= 180 and bracket.high is not None and bracket.high >= 220
    assert bracket.high - bracket.low <= 40 + 2 * 0.05 * 180, "the rest of the interval is narrow"
    assert search.outcome == "noisy"


def test_what_narrow_noise_leaves_of_the_tolerance_is_used() -> None:
    search = Search(("SLA-1",), Limits(200, 1000, 0.2, repeats=1))
    asked = ask(search, sparse(least=1, capacity=339, unsure=range(300, 340)))
    assert asked[:7] == [200, 400, 283, 336, 367, 351, 308], "half of the tolerance is left on each side"
    assert asked[7:] == [343, 295], "the noise takes some of it, so each side may keep less"
    assert search.outcome == "complete"


def test_beside_noise_wider_than_the_tolerance_it_stops_at_half_of_it() -> None:
    search = Search(("SLA-1",), Limits(200, 1000, 0.2, repeats=1))
    asked = ask(search, sparse(least=1, capacity=359, unsure=range(240, 360)))
    bracket = search.brackets["SLA-1"]
    assert asked == [200, 400, 283, 336, 367, 351, 238, 260]
    assert (bracket.low, bracket.high, search.outcome) == (238, 367, "noisy")


def sparse(least: int, capacity: int, unsure: range = range(0)) -> Callable[[str, int], Verdict]:
    """A service with fewer operations than it takes, below `least` users."""

    def answer(_: str, users: int) -> Verdict:
        if users in unsure:
            return Verdict.OPEN
        if users > capacity:
            return Verdict.MISSED
        return Verdict.MET if users >= least else Verdict.FEW

    return answer


def test_where_too_few_operations_came_no_lighter_load_is_tried() -> None:
    search = Search(("SLA-1",), Limits(48, 1000, 0.1, repeats=2))
    asked = ask(search, sparse(least=30, capacity=40))
    assert asked[:4] == [48, 24, 24, 34], "one step down shows too little; the rest is above it"
    assert min(asked) == 24
    bracket = search.brackets["SLA-1"]
    assert bracket.low and bracket.high and bracket.low <= 40 < bracket.high
    assert search.outcome == "complete"


def test_what_holds_without_rare_operations_is_not_looked_for_between_them_and_too_few() -> None:
    """At 5 users the rare operations do not count any more, at 11 too few came, 22 is noisy."""

    def answer(goal: str, users: int) -> Verdict:
        return Verdict.MET if users <= 5 else sparse(30, 40, range(18, 25))(goal, users)

    search = Search(("SLA-1",), Limits(44, 1000, 0.2, repeats=1))
    asked = ask(search, answer)
    assert asked[:4] == [44, 22, 11, 31]
    assert search.outcome == "complete"


def test_beside_noise_it_looks_above_first() -> None:
    search = Search(("SLA-1",), Limits(10, 1000, 0.1, repeats=1))
    asked = ask(search, sparse(least=1, capacity=38, unsure=range(18, 25)))
    assert asked[:4] == [10, 20, 40, 28], "20 stays open, and 28 settles what is below it"
    assert search.outcome == "complete" and min(asked) == 10


def test_a_search_that_wants_operations_says_so() -> None:
    search = Search(GOALS, Limits(8, 1000, 0.1, repeats=2))
    asked = ask(search, sparse(least=1000, capacity=40))
    bracket = search.brackets["SLA-1"]
    assert min(asked) == 8 and bracket.low is None and bracket.high is not None
    assert max(bracket.few) >= bracket.high / 1.1, "up to where it breaks"
    assert search.outcome == search.ended_by("SLA-1") == "too-few"


@given(st.integers(1, 400), st.integers(1, 400), st.integers(1, 500), st.integers(1, 3))
def test_a_search_that_wants_operations_ends(least: int, capacity: int, first: int, repeats: int) -> None:
    search = Search(GOALS, Limits(first, 10_000, 0.1, repeats=repeats))
    asked = ask(search, sparse(least, capacity))
    assert len(asked) <= 30 * repeats
    assert search.outcome in ("complete", "too-few")
    bracket = search.brackets["SLA-1"]
    assert bracket.high is not None and (bracket.low or 0) <= capacity < bracket.high


def test_a_repetition_can_settle_a_point() -> None:
    answers = iter([Verdict.OPEN, Verdict.OPEN, Verdict.MET])
    search = Search(("SLA-1",), Limits(10, 10))
    for verdict in answers:
        assert search.next() == 10
        search.record(10, {"SLA-1": verdict})
    assert search.next() is None and search.brackets["SLA-1"].low == 10


def test_invalid_runs_are_no_evidence_and_the_search_goes_on_below() -> None:
    search = Search(GOALS, Limits(10, 100, repeats=2))
    asked = ask(search, lambda goal, users: Verdict.NOTHING if users > 10 else Verdict.MET)
    assert asked == [10, 20, 20, 14, 14, 12, 12, 11, 11], (
        "no evidence is no look: `repeats` does not count it"
    )
    assert search.outcome == "invalid"
    assert (search.brackets["SLA-1"].low, search.brackets["SLA-1"].high) == (10, None)


def test_a_failure_below_what_cannot_be_measured_completes_the_answer() -> None:
    def answer(goal: str, users: int) -> Verdict:
        if users >= 160:
            return Verdict.NOTHING
        return Verdict.MET if users <= 110 else Verdict.MISSED

    search = Search(GOALS, Limits(20, 1000, 0.05, repeats=1))
    ask(search, answer)
    bracket = search.brackets["SLA-1"]
    assert search.outcome == "complete"
    assert bracket.high is not None and bracket.low <= 110 < bracket.high


def test_a_hole_in_the_middle_is_not_asked_for_again() -> None:
    def answer(goal: str, users: int) -> Verdict:
        if 30 <= users <= 60:
            return Verdict.NOTHING
        return Verdict.MET if users < 30 else Verdict.MISSED

    search = Search(GOALS, Limits(80, 1000, repeats=1))
    ask(search, answer)
    assert search.outcome == "invalid"
    assert (search.brackets["SLA-1"].low, search.brackets["SLA-1"].high) == (29, 80)


def test_what_cannot_be_measured_is_no_wall_to_a_goal_that_more_load_held() -> None:
    def answer(goal: str, users: int) -> Verdict:
        if 25 <= users < 38:
            return Verdict.NOTHING
        return Verdict.MET if users <= {"SLA-1": 50, "SLA-2": 30}[goal] else Verdict.MISSED

    search = Search(GOALS, Limits(10, 1000, 0.1, repeats=1))
    ask(search, answer)
    first, second = (search.brackets[goal] for goal in GOALS)
    assert first.low and first.high and first.low <= 50 < first.high
    assert search.ended_by("SLA-1") == "tolerance"
    assert second.low and second.low < 25 and second.high == 40
    assert search.ended_by("SLA-2") == search.outcome == "invalid"


def test_what_cannot_be_measured_above_what_held_is_a_wall_all_the_same() -> None:
    """Otherwise it would be asked for again and again."""

    def answer(goal: str, users: int) -> Verdict:
        if goal == "SLA-2" and users > 20:
            return Verdict.MISSED
        return Verdict.MET if users <= 40 else Verdict.MISSED

    search = Search(GOALS, Limits(10, 1000, 0.1, repeats=1))
    asked = ask(search, lambda goal, users: Verdict.NOTHING if users in (28, 57) else answer(goal, users))
    assert asked.count(28) == asked.count(57) == 2
    first, second = (search.brackets[goal] for goal in GOALS)
    assert (first.low, first.high, second.low, second.high) == (40, 44, 20, 22)
    assert search.outcome == "complete", "the failures below them complete the answer"


def test_a_pass_beyond_a_failure_is_not_believed() -> None:
    search = Search(("SLA-1",), Limits(10, 1000))
    search.record(100, {"SLA-1": Verdict.MISSED})
    search.record(200, {"SLA-1": Verdict.MET})
    search.record(50, {"SLA-1": Verdict.MET})
    assert (search.brackets["SLA-1"].low, search.brackets["SLA-1"].high) == (50, 100)


def test_one_goal_has_its_answer_before_the_other_is_narrowed() -> None:
    """The harder one stays undecided at every load; the easier one does not wait for it."""

    def answer(goal: str, users: int) -> Verdict:
        if goal == "SLA-2" and users <= 36:
            return Verdict.OPEN
        return certain(36, 0)(goal, users)

    search = Search(GOALS, Limits(42, 1000, 0.2, repeats=2))
    asked = []
    while not search.brackets["SLA-1"].is_narrow(0.2):
        users = search.next()
        assert users is not None
        asked.append(users)
        search.record(users, {goal: answer(goal, users) for goal in GOALS})
    # 21 users once: the harder goal would have it looked at again, and then at 10 and at 5.
    assert asked == [42, 21, 30, 35], "the last run breaks or holds within the tolerance"


def test_runs_are_limited() -> None:
    search = Search(GOALS, Limits(1, 10**6, 0.001, runs=7))
    assert len(ask(search, certain(5000, 4000))) == 7
    assert search.outcome == "max-runs"


@pytest.mark.parametrize("reason", ["generator", "interrupted"])
def test_what_is_known_survives_a_stop(reason: str) -> None:
    search = Search(GOALS, Limits(10, 1000))
    search.record(10, dict.fromkeys(GOALS, Verdict.MET))
    search.stop(reason)
    assert search.next() is None
    assert search.outcome == reason and search.brackets["SLA-2"].low == 10


def test_a_failure_below_a_success_is_looked_at_again() -> None:
    """The first run at 40 users was disturbed; the second shows what is so."""
    looks: list[int] = []

    def answer(goal: str, users: int) -> Verdict:
        if goal == "SLA-2" and users == 40 and looks.count(40) < 2:
            return Verdict.MISSED
        return Verdict.MET if users <= 100 else Verdict.MISSED

    search = Search(GOALS, Limits(10, 1000, 0.1))
    while (users := search.next()) is not None:
        looks.append(users)
        search.record(users, {goal: answer(goal, users) for goal in search.brackets})
    assert looks[:5] == [10, 20, 40, 80, 40]
    assert looks.count(40) == 2
    assert search.brackets["SLA-2"].low == search.brackets["SLA-1"].low > 80


def test_a_failure_that_comes_again_stands() -> None:
    def answer(goal: str, users: int) -> Verdict:
        return Verdict.MISSED if goal == "SLA-2" and users == 40 else certain(100, 100)(goal, users)

    search = Search(GOALS, Limits(10, 1000, 0.1))
    asked = ask(search, answer)
    assert asked.count(40) == 2
    assert search.brackets["SLA-2"].high == 40


def test_a_suspected_end_is_measured_a_second_time_once_all_else_is_known() -> None:
    search = Search(("SLA-1",), Limits(20, 1000, 0.05))
    search.suspected = {40, 80}
    asked = ask(search, certain(39, 39))
    assert asked[:2] == [20, 40] and asked[-1] == 40 and asked.count(40) == 2, "80 is no end of the interval"
    assert search.outcome == "complete", "a second failure stands"


def test_a_failure_that_is_taken_back_leads_on() -> None:
    search = Search(("SLA-1",), Limits(20, 1000, 0.05))
    for users, verdict in (20, Verdict.MET), (40, Verdict.MISSED), (39, Verdict.MET):
        search.record(users, {"SLA-1": verdict})
    assert search.outcome == "complete"
    search.revise(40, {"SLA-1": Verdict.OPEN})
    assert search.outcome != "complete" and search.runs == 3
    ask(search, certain(70, 70))
    assert (search.brackets["SLA-1"].low, search.brackets["SLA-1"].high) == (68, 71)
