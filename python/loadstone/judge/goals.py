"""SLA-1, SLA-2 and goals of the user's own (`loadstone.goals`): met, missed, or left open by the run.

A goal about times, failures or drops is one about a share: "p95 < 300 ms" is met when at least 95 % of the
operations, failed ones included, are right and within 300 ms. The worst window of the worst operation
decides.

What a window shows is a sample of what the service does in the long run:

- Seconds depend on each other, so Wilson's interval is taken for the effective number of independent
  operations (`intervals.bounds`). Met is a goal whose lower bound holds, missed one whose upper bound does
  not.
- A rare operation that was never late cannot pass this way: 99 % takes some 270 in a row. So where none of
  `FEWEST` or more was late, the logarithm of the response times is taken as normal, and its one-sided
  tolerance bound must be within the limit. The record says so (`by`), and its lower bound is that of this
  law. A slow part that did not show is outside of the law: docs/background/evidence.md has how often.
- To be met, every operation and window must hold, each at the full confidence. One that breaks it may do so
  by chance, so that each has only its part of the doubt.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from loadstone.goals import Goal
from loadstone.judge import quantiles
from loadstone.judge.histogram import EMPTY, Floats, Histogram
from loadstone.judge.intervals import Ratio, bounds, ratio, tolerance_share
from loadstone.judge.measurement import Measurement, OperationSeries, Rules
from loadstone.judge.sla import SLAS, worst_at
from loadstone.stages.run import GoalFigures
from loadstone.stages.verdict import Verdict

CONFIDENCE = 0.95
"""Of either bound."""

FEWEST = 20
"""Answers of an operation from which on their spread may speak for it. A slow part of one in seven shows
among as many with a confidence of 95 %, among three with one of 37 %: a handful of quick answers says nothing
of the slow ones of a cache that is empty at times."""

_FEWEST_BATCHES = 5
"""The mean of fewer batches of seconds has an interval that says nothing."""


@dataclass(frozen=True)
class Part:
    """What one operation (None: all together) shows: what is good, and of how many, each second."""

    operation: str | None
    good: Floats
    count: Floats
    times: Histogram = EMPTY
    """Right answers, of a goal about times."""
    limit_s: float = math.nan

    def worst(self, window_s: float | None) -> slice | None:
        """The window with the least share of what is good; None without operations.

        `window_s` None: the steady state as a whole.
        """
        return worst_at(self.good, self.count, len(self.count) if window_s is None else window_s)


def judge_goals(measurement: Measurement, rules: Rules) -> list[GoalFigures]:
    """SLA-1 and SLA-2, then the user's own."""
    return [judge_goal(goal, measurement) for goal in (*sla_goals(rules.sla_window_s), *rules.goals)]


def sla_goals(window_s: float) -> list[Goal]:
    """SLA-1 and SLA-2 in windows of this length."""
    return [
        Goal(sla.name, "response", math.nan, share=sla.share, each=True, window_s=window_s) for sla in SLAS
    ]


def judge_goal(goal: Goal, measurement: Measurement) -> GoalFigures:
    """How the run stands to `goal`. A run without operations misses it; one without those of the goal leaves
    it open."""
    parts = [part for part in parts_of(goal, measurement) if part.count.sum()]
    if not parts:
        limit, shown = _limit(goal)
        return _unseen(goal, shown(limit), "open" if measurement.count else "missed")
    seconds = len(measurement.users)
    windows = 1 if goal.window_s is None else max(1.0, seconds / max(1.0, goal.window_s))
    doubt = (1 - CONFIDENCE) / (len(parts) * windows)
    found = [_figures(goal, part, measurement.first_s, 1 - doubt) for part in parts]
    order: Sequence[Verdict] = ("missed", "open", "met")
    # Of equally good ones that with the least room: it would break first.
    return min(found, key=lambda one: (order.index(one.verdict), _room(one)))


def share_verdict(
    seen: Ratio, times: Histogram, limit_s: float, share: float, passing: float, failing: float
) -> Verdict:
    """Whether at least `share` of an operation's answers are within its limit, in the long run.

    `passing` and `failing`: one-sided confidences of the lower and the upper bound. `times`: of its right
    answers; empty where the goal is not about times.
    """
    if bounds(seen, passing)[0] >= share:
        return "met"
    if bounds(seen, failing)[1] < share:
        return "missed"
    if seen.value < 1 or times.count < FEWEST:
        return "open"
    return "met" if _share_by_spread(times, limit_s, passing) >= share else "open"


def _share_by_spread(times: Histogram, limit_s: float, confidence: float) -> float:
    """Lower bound of the share within the limit, with the times' logarithms taken as normal."""
    mean, deviation = times.log_moments()
    room = math.log(limit_s) - mean
    if not deviation:
        return float(room >= 0)
    return tolerance_share(times.count, room / deviation, confidence)


def parts_of(goal: Goal, measurement: Measurement) -> Iterator[Part]:
    """What `goal` looks at: each operation that it judges, or all of them together."""
    chosen = [o for o in measurement.operations if goal.operation in (None, o.name)]
    each = [_part(goal, operation) for operation in chosen]
    if goal.each or goal.operation or not each:
        yield from each
        return
    good = np.sum([part.good for part in each], axis=0)
    seconds = goal.measure == "throughput"
    yield Part(None, good, each[0].count if seconds else np.sum([part.count for part in each], axis=0))


def _part(goal: Goal, operation: OperationSeries) -> Part:
    name, count = operation.name, operation.count
    match goal.measure:
        case "response" if goal.own_limit:
            return Part(name, operation.within, count, operation.response, operation.limit_s)
        case "response":
            return Part(name, operation.under[goal.bound], count, operation.response, goal.bound)
        case "failed":
            return Part(name, operation.ok, count)
        case "dropped":
            return Part(name, count, count + operation.dropped)
        case "throughput":
            return Part(name, operation.ok, np.ones(len(count)))


def _figures(goal: Goal, part: Part, first_s: float, failing: float) -> GoalFigures:
    """The worst window of one operation, or of all together."""
    limit, shown = _limit(goal)
    window = part.worst(goal.window_s)
    assert window is not None, "a part without operations is not asked"
    seen = ratio(part.good[window], part.count[window], tied=True)
    by = "count"
    if goal.measure == "throughput":
        low, high = _rate_bounds(seen)
        verdict: Verdict = "met" if low >= limit else "missed" if high < limit else "open"
    else:
        low, high = bounds(seen, CONFIDENCE)
        verdict = share_verdict(seen, part.times, part.limit_s, limit, CONFIDENCE, failing)
        if verdict == "met" and low < limit:
            by, low = "spread", _share_by_spread(part.times, part.limit_s, CONFIDENCE)
    ends = sorted((shown(low), shown(high)))
    return _unseen(goal, shown(limit), verdict).model_copy(
        update={
            "measured": shown(seen.value),
            "low": ends[0],
            "high": None if math.isinf(ends[1]) else ends[1],
            "by": by,
            "operation": part.operation,
            "window_start_s": None if goal.window_s is None else first_s + window.start,
        }
    )


def _unseen(goal: Goal, limit: float, verdict: Verdict) -> GoalFigures:
    return GoalFigures(
        name=goal.text,
        verdict=verdict,
        limit=limit,
        unit="per_s" if goal.measure == "throughput" else "share",
        at_least=goal.measure in ("response", "throughput"),
        confidence=CONFIDENCE,
    )


def _limit(goal: Goal) -> tuple[float, Callable[[float], float]]:
    """The least good figure that meets the goal, and how a good figure is shown."""
    if goal.measure in ("failed", "dropped"):
        return goal.least, lambda good: 1 - good
    return goal.least, lambda good: good


def _rate_bounds(rate: Ratio) -> tuple[float, float]:
    """Bounds of a mean over seconds by Student's t over its batches, each at `CONFIDENCE`."""
    if rate.batches < _FEWEST_BATCHES:
        return 0.0, math.inf
    half = quantiles.student(CONFIDENCE, rate.batches - 1) * rate.error
    return max(0.0, rate.value - half), rate.value + half


def _room(figures: GoalFigures) -> float:
    """How far the measured figure is from breaking the limit."""
    return ((figures.measured or 0.0) - figures.limit) * (1 if figures.at_least else -1)
