"""Verdicts of an SLA from the seconds of runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from loadstone.capacity.evidence import Sample, Trial, shares, unjudged, verdicts
from loadstone.capacity.search import Verdict
from loadstone.judge import Histogram
from loadstone.judge.goals import sla_goals


def sample(name: str, each_s: float, late: float, seconds: int = 60, response_s: float = 0.5) -> Sample:
    """So many operations a second, a share of them late in every second, evenly."""
    count = np.full(seconds, each_s)
    spread = Histogram(np.array([0.5, 1.0, 1.5]) * response_s * 1e6, np.full(3, each_s * seconds / 3))
    return Sample(name, 2.0, count, count * (1 - late), spread)


def trial(samples: Sequence[Sample], **flags: bool) -> Trial:
    """A run whose operations are judged by both SLAs."""
    return Trial(dict.fromkeys(("SLA-1", "SLA-2"), samples), **flags)


def judged(trials: list[Trial]) -> dict[str, Verdict]:
    return verdicts(trials, sla_goals(60), 0.95)


def once(*samples: Sample, **flags: bool) -> dict[str, Verdict]:
    return judged([trial(samples, **flags)])


def test_plenty_of_operations_decide() -> None:
    assert once(sample("Home", 100, 0.05)) == {"SLA-1": Verdict.MET, "SLA-2": Verdict.MISSED}
    assert once(sample("Home", 100, 0.005))["SLA-2"] is Verdict.MET
    assert once(sample("Home", 100, 0.2))["SLA-1"] is Verdict.MISSED


def test_near_the_limit_nothing_is_certain_until_there_is_more() -> None:
    near = trial([sample("Home", 10, 0.09)])
    assert judged([near])["SLA-1"] is Verdict.OPEN
    assert judged([near] * 10)["SLA-1"] is Verdict.MET


def test_one_operation_breaks_it_for_all() -> None:
    found = once(sample("Home", 100, 0), sample("Add", 5, 0.5))
    assert found == {"SLA-1": Verdict.MISSED, "SLA-2": Verdict.MISSED}
    assert shares([trial([sample("Home", 100, 0), sample("Add", 5, 0.5)])], "SLA-1") == {
        "Home": 1,
        "Add": 0.5,
    }


def test_clumps_of_late_answers_are_less_certain_than_even_ones() -> None:
    even = sample("Home", 100, 0.07)
    clumped = Sample("Home", 2.0, even.count, np.where(np.arange(60) % 15 == 0, 0.0, 100.0), even.response)
    assert once(even)["SLA-1"] is Verdict.MET
    assert once(clumped)["SLA-1"] is Verdict.OPEN


def test_a_rare_operation_far_from_its_limit_passes() -> None:
    assert once(sample("Add", 0.5, 0, response_s=0.03))["SLA-2"] is Verdict.MET


def test_a_rare_operation_near_its_limit_does_not() -> None:
    assert once(sample("Add", 0.5, 0, response_s=1.2))["SLA-2"] is Verdict.OPEN


@pytest.mark.parametrize("late", [0.0, 0.5])
def test_one_or_two_operations_say_nothing_unless_they_were_late(late: float) -> None:
    few = sample("Add", 2 / 60, late)
    assert once(sample("Home", 100, 0), few)["SLA-1"] is (Verdict.OPEN if late else Verdict.MET)
    assert unjudged([trial([few])], sla_goals(60)) == ([] if late else ["Add"])


def test_a_service_that_answers_nothing_fails() -> None:
    assert once() == {"SLA-1": Verdict.MISSED, "SLA-2": Verdict.MISSED}


def test_one_faulty_run_may_be_an_accident_two_are_the_service() -> None:
    good, faulty = trial([sample("Home", 100, 0)]), trial([sample("Home", 100, 0)], faulty=True)
    assert judged([faulty])["SLA-1"] is Verdict.OPEN
    assert judged([faulty, faulty])["SLA-1"] is Verdict.MISSED
    assert judged([faulty, good, good])["SLA-1"] is Verdict.MET


def test_invalid_runs_are_left_out() -> None:
    broken = trial([sample("Home", 100, 1)], invalid=True)
    assert judged([broken])["SLA-1"] is Verdict.NOTHING
    assert judged([broken, trial([sample("Home", 100, 0)])])["SLA-1"] is Verdict.MET


def test_four_operations_decide_nothing() -> None:
    few = [sample("Home", 2 / 60, 0), sample("Search", 2 / 60, 0)]
    assert once(*few) == {"SLA-1": Verdict.FEW, "SLA-2": Verdict.FEW}


def test_too_few_operations_are_told_from_a_doubtful_service() -> None:
    scarce = sample("Add", 0.5, 0, response_s=0.65)
    assert once(scarce) == {"SLA-1": Verdict.MET, "SLA-2": Verdict.FEW}
    assert judged([trial([scarce])] * 12)["SLA-2"] is Verdict.MET, "more of the same decides"
    assert once(scarce, sample("Home", 10, 0.009))["SLA-2"] is Verdict.OPEN, "another one was late"
    assert once(scarce, sample("Home", 10, 0.5))["SLA-2"] is Verdict.MISSED
    getting_worse = trial([scarce], trend="worse")
    assert judged([getting_worse])["SLA-2"] is Verdict.OPEN


def test_what_holds_has_a_valid_run() -> None:
    good, bad = sample("Home", 100, 0), sample("Home", 100, 0.5)
    assert once(good, valid=False)["SLA-1"] is Verdict.OPEN
    assert once(bad, valid=False)["SLA-1"] is Verdict.MISSED
    assert judged([trial([good], valid=False), trial([good])])["SLA-1"] is Verdict.MET


def test_a_late_generator_may_add_to_a_valid_run_and_decides_nothing_alone() -> None:
    good, bad = sample("Home", 100, 0), sample("Home", 100, 0.5)
    for one in (good, bad):
        assert once(one, late=True) == {"SLA-1": Verdict.NOTHING, "SLA-2": Verdict.NOTHING}
    near = trial([sample("Home", 10, 0.09)])
    more = trial([good], late=True, valid=False)
    assert judged([near])["SLA-1"] is Verdict.OPEN
    assert judged([near, more])["SLA-1"] is Verdict.MET
    broken = [trial([bad]), trial([good], late=True)]
    assert judged(broken)["SLA-1"] is Verdict.MISSED, "what a sound run showed stays"


def test_what_the_machine_slowed_may_hold_a_goal_and_not_break_it() -> None:
    good, bad = sample("Home", 100, 0), sample("Home", 100, 0.5)
    assert once(bad, slowed=True) == {"SLA-1": Verdict.OPEN, "SLA-2": Verdict.OPEN}
    assert once(good, slowed=True) == {"SLA-1": Verdict.MET, "SLA-2": Verdict.MET}
    slow = trial([bad], slowed=True)
    assert judged([trial([good]), slow])["SLA-1"] is Verdict.MET, "held on the machine at its speed"
    assert judged([trial([bad]), slow])["SLA-1"] is Verdict.MISSED
    assert judged([slow, slow])["SLA-1"] is Verdict.OPEN
    faulty = trial([good], faulty=True, slowed=True)
    assert judged([faulty, faulty])["SLA-1"] is Verdict.OPEN, "the machine may be why they hung"
