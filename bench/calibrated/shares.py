"""Verdicts on goals about shares, where the true share is known: seconds depend on each other, logarithms of
times are not normal."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import numpy as np
from scipy.special import expit, logit

from calibrated.world import Floats
from loadstone.goals import Goal
from loadstone.judge import Histogram, Measurement, OperationSeries
from loadstone.judge.goals import judge_goal
from loadstone.judge.histogram import EMPTY

WINDOWS = (60, 300)
PER_S = (1, 10, 100)
TIED = (0.0, 0.5, 0.8)
"""Of each second's state to the one before: the coefficient of a first-order autoregression."""

SPREAD = 1.0
"""Of the logit of the share of late answers from second to second, where seconds depend on each other."""

SLOW = (0.02, 0.05, 0.15)
QUICK = (3, 10, 20, 40, 60, 100, 300)


def wrong_verdicts(runs: int, rng: np.random.Generator) -> list[dict[str, Any]]:
    """Verdicts on a share that is exactly the limit, where either is wrong by a hair, and as often."""
    found = []
    for share in (0.9, 0.99):
        for seconds in WINDOWS:
            for per_s in PER_S:
                for tied in TIED:
                    tally: Counter[str] = Counter()
                    for _ in range(runs):
                        tally[_verdict(share, seconds, per_s, tied, rng)] += 1
                    row = {"share": share, "seconds": seconds, "per_s": per_s, "tied": tied}
                    row |= {word: tally[word] / runs for word in ("met", "missed", "open")}
                    found.append(row)
                    print(row, flush=True)
    return found


def _verdict(share: float, seconds: int, per_s: float, tied: float, rng: np.random.Generator) -> str:
    late = np.full(seconds, 1 - share)
    if tied:
        late = _late(1 - share, seconds, tied, rng)
    count = rng.poisson(per_s, seconds).astype(float)
    return _judged(share, count, rng.binomial(count.astype(int), late).astype(float))


def _late(mean: float, seconds: int, tied: float, rng: np.random.Generator) -> Floats:
    """Share of late answers in each second: its logit is an autoregression, its mean is `mean`."""
    state = np.empty(seconds)
    state[0] = rng.standard_normal()
    noise = rng.standard_normal(seconds) * np.sqrt(1 - tied**2)
    for second in range(1, seconds):
        state[second] = tied * state[second - 1] + noise[second]
    return np.asarray(expit(_middle(mean) + SPREAD * state))


@cache
def _middle(mean: float) -> float:
    """The logit around which a normal one of deviation `SPREAD` has this mean share."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    low, high = logit(mean) - 3, logit(mean) + 1
    for _ in range(60):
        middle = (low + high) / 2
        seen = float(weights @ expit(middle + SPREAD * nodes)) / float(weights.sum())
        low, high = (middle, high) if seen < mean else (low, middle)
    return float(low)


def quick_answers(runs: int, rng: np.random.Generator) -> list[dict[str, Any]]:
    """How often an operation is met whose answers are quick but for a part that takes twice the limit."""
    found = []
    for share in (0.9, 0.99):
        for slow in SLOW:
            if slow <= 1 - share:
                continue
            for count in QUICK:
                met = sum(_bimodal(share, slow, count, rng) == "met" for _ in range(runs)) / runs
                found.append({"share": share, "slow": slow, "answers": count, "met": met})
        print(found[-len(QUICK) :], flush=True)
    return found


def _bimodal(share: float, slow: float, count: int, rng: np.random.Generator) -> str:
    late = rng.random(count) < slow
    times = np.where(late, 2e6, 3e4 * np.exp(0.3 * rng.standard_normal(count)))
    at = rng.integers(0, 60, count)
    each, spoiled = (np.bincount(one, minlength=60).astype(float) for one in (at, at[late]))
    return _judged(share, each, spoiled, Histogram(np.sort(times), np.ones(count)))


def _judged(share: float, count: Floats, late: Floats, times: Histogram = EMPTY) -> str:
    seconds, zeros = len(count), np.zeros(len(count))
    one = OperationSeries("Page", 1.0, count, {}, late, zeros, {}, response=times)
    seen = Measurement(0, seconds, 0, (one,), zeros, zeros, zeros, zeros, zeros, 1)
    goal = Goal("SLA", "response", np.nan, share=share, each=True, window_s=float(seconds))
    return judge_goal(goal, seen).verdict
