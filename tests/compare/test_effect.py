"""What a comparison promises, held against simulation, and its arithmetic against other people's. Seeded."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from made_up import alarms, seen
from scipy import stats

from loadstone.compare.effect import effect
from loadstone.compare.figures import RATE, SHARES, TIMES, Mean, Quantile
from loadstone.compare.within import ratio_spread

TRIALS = 150


def most(share: float, trials: int = TRIALS) -> int:
    """So many of `trials` are more only once in a thousand when each has this chance."""
    return int(stats.binom.ppf(0.999, trials, share))


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.8])
def test_single_runs_of_one_release_rarely_differ_though_their_seconds_depend_on_each_other(
    correlation: float,
) -> None:
    random = np.random.default_rng(3)
    found = sum(
        bool(alarms(*([seen(random, correlation=correlation)] for _ in range(2)))) for _ in range(TRIALS)
    )
    assert found <= most(0.05)


def test_seconds_taken_as_independent_would_alarm_far_too_often() -> None:
    """Why the correlation is looked at: the same simulation with the textbook's error of a mean."""
    random = np.random.default_rng(3)
    alarmed = 0
    for _ in range(TRIALS):
        sides = [seen(random, correlation=0.8) for _ in range(2)]
        means = [one.by_second(one.value_ms) / one.ok for one in sides]
        alarmed += stats.ttest_ind(*means, equal_var=False).pvalue < 0.05
    assert alarmed > 0.3 * TRIALS


@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.parametrize("count", [2, 3, 6])
def test_runs_of_one_release_rarely_differ_though_runs_drift(count: int, paired: bool) -> None:
    """The machine's speed wanders from pair to pair, and runs differ more than their seconds show."""
    random = np.random.default_rng(5)
    found = 0
    for _ in range(TRIALS):
        old, new = [], []
        for drift in random.normal(0, 0.1, count):
            for side in (old, new):
                median = 40 * math.exp(drift + random.normal(0, 0.02))
                side.append(seen(random, seconds=8, correlation=0.5, median_ms=median))
        found += bool(alarms(old, new, paired))
    assert found <= most(0.05)


def test_five_percent_are_found_in_ten_pairs_of_a_drifting_machine_and_not_without_pairs() -> None:
    random = np.random.default_rng(7)
    with_pairs = without = 0
    for _ in range(30):
        old, new = [], []
        for drift in random.normal(0, 0.1, 10):
            for side, factor in ((old, 1.0), (new, 1.05)):
                side.append(seen(random, seconds=8, wave=0.02, median_ms=40 * factor * math.exp(drift)))
        with_pairs += "mean" in alarms(old, new, paired=True)
        without += "mean" in alarms(old, new)
    assert with_pairs >= 27
    assert without <= 10


@pytest.mark.parametrize("figure", [*TIMES, RATE], ids=lambda figure: figure.name)
def test_the_interval_of_one_run_holds_the_truth(figure: Mean | Quantile) -> None:
    random = np.random.default_rng(11)
    truth = figure.value(seen(random, seconds=20_000, wave=0.05))
    assert truth is not None
    held = 0
    for _ in range(TRIALS):
        one = seen(random, wave=0.05)
        value, spread = figure.value(one), figure.spread(one)
        assert value is not None and spread is not None
        held += abs(value - truth) <= stats.t.ppf(0.975, spread.freedom) * spread.error
    assert held >= TRIALS - most(0.05)


def test_several_runs_are_welchs_and_pairs_are_students() -> None:
    random = np.random.default_rng(13)
    old, new = ([seen(random, seconds=8) for _ in range(count)] for count in (5, 5))
    logs = [[Mean().value(one) for one in side] for side in (old, new)]
    unpaired, paired = (effect(Mean(), old, new, paired) for paired in (False, True))
    assert unpaired and paired
    assert unpaired.change.p() == pytest.approx(stats.ttest_ind(*logs, equal_var=False).pvalue)
    assert paired.change.p() == pytest.approx(stats.ttest_rel(*logs).pvalue)


def test_one_run_beside_many_is_held_to_their_spread() -> None:
    """A run within the scatter of the others is none to speak of, however steady its own seconds are."""
    random = np.random.default_rng(17)
    many = [seen(random, median_ms=40 * math.exp(random.normal(0, 0.1)), wave=0.01) for _ in range(8)]
    assert alarms(many, [seen(random, median_ms=44, wave=0.01)]) == []
    assert "mean" in alarms(many, [seen(random, median_ms=80, wave=0.01)])


def test_what_all_runs_show_alike_is_not_tested_and_one_failure_proves_nothing() -> None:
    random = np.random.default_rng(19)
    sound = [seen(random, failing=0.0) for _ in range(4)]
    failed = SHARES[1]
    nothing = effect(failed, sound[:2], sound[2:], False)
    assert nothing and nothing.same
    once = [replace(one, failed=one.failed + (np.arange(60) == 7)) for one in sound[2:]]
    one_each = effect(failed, sound[:2], once, False)
    assert one_each and not one_each.same
    p = one_each.change.p()
    assert p is not None and p > 0.1


def test_too_little_is_not_judged() -> None:
    random = np.random.default_rng(23)
    few = seen(random, seconds=60, per_s=0.2)
    assert Mean().value(few) is None
    assert Quantile(0.99, "p99").value(seen(random, seconds=20)) is None
    short = seen(random, seconds=20)
    assert ratio_spread(short.ok, short.length_s) is None
    found = effect(Mean(), [short], [short], False)
    assert found and found.change.p() is None and found.change.bounds(0.95) is None
