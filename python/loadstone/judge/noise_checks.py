"""The machine's own noise: what it was, and which verdicts it could have changed.

Noise only adds time. So it can have pushed answers over their limit, and a goal about times can be missed
because of it, but not met. Each check bounds how many answers it could have pushed, and is missed only if
some missed goal would be met without them.

An answer took R, its limit is L < R, and its operation has n requests. Delays pushed it only if they add up
to R - L at least, so that one of n + 1 (a start, and the exchanges) was (R - L) / (n + 1) at least. Of N
operations, N times the sum of the chances of that are so delayed on average, whatever delays have to do with
each other (Boole's inequality). No more answers than that were pushed from within the limit to R or beyond.
Processor time that others took, a share c of a machine that was full, makes answers longer by 1 / (1 - c) at
most while nothing queues for it. From `MUCH` on a queue may exist because of it: every late answer counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from loadstone.digits import digits
from loadstone.goals import Goal
from loadstone.judge.checks import CROWDED, NOISY, met_if
from loadstone.judge.goals import judge_goal
from loadstone.judge.histogram import EMPTY, Floats, Histogram
from loadstone.judge.measurement import Measurement, OperationSeries, Rules
from loadstone.judge.noise import Noise, mean
from loadstone.judge.sla import SLAS, worst_at
from loadstone.stages.run import Check
from loadstone.unit import Unit

MUCH = 0.1
"""Share of a full machine that others take, from which on a queue may be their doing."""


LESS_LOAD = 0.02
"""Share of a pause by which the generator itself may lengthen it: the tolerance of the pace."""


def noise_checks(measurement: Measurement, rules: Rules) -> list[Check]:
    """The checks of a run's noise; none of an older folder, which does not know it."""
    noise = measurement.noise
    if noise is None:
        return []
    return [
        _delays(measurement, noise, rules),
        *_processor(measurement, noise, rules),
        _clock(measurement, noise),
    ]


def late_starts_matter(measurement: Measurement, rules: Rules) -> bool:
    """Whether the generator's late starts may have decided something.

    A missed goal would be met without them, or they made pauses so much longer that the load was less.
    """
    pauses = [rules.pace_mean_s.get(one.name, 0.0) for one in measurement.operations]
    of_users = not Unit.of(rules.plan["load"]).is_rate
    shortest = min((pause for pause in pauses if pause > 0), default=math.inf)
    if of_users and measurement.wake_lag.count and measurement.wake_lag.mean_s > LESS_LOAD * shortest:
        return True
    return _changes(measurement, rules, lambda one: pushed(one, EMPTY, measurement.wake_lag, 0.0))


def pushed(operation: OperationSeries, control: Histogram, wake_lag: Histogram, taken: float) -> float:
    """Most answers of an operation that delays like these, and others' processor time, pushed over its limit.

    >>> late = OperationSeries("Home", 0.1, ok=np.array([10.0]), failed={}, late=np.array([2.0]),
    ...                        dropped=np.zeros(1), counters={"requests": np.array([10.0])},
    ...                        response=Histogram(np.array([5e4, 1.1e5, 9e5]), np.array([8.0, 1.0, 1.0])))
    >>> some = Histogram(np.array([100.0, 20_000.0]), np.array([75.0, 25.0]))
    >>> pushed(late, some, EMPTY, 0.0), pushed(late, some, EMPTY, 0.2)
    (1.0, 2.0)
    """
    limit = 1e6 * operation.limit_s
    late = operation.response.values_us > limit
    values, counts = operation.response.values_us[late], operation.response.counts[late]
    if taken >= MUCH:
        return float(counts.sum())
    operations = float(operation.count.sum())
    requests = float(operation.counters.get("requests", np.zeros(1)).sum())
    exchanges = max(1, math.ceil(requests / operations)) if operations else 1
    needed = np.maximum(0.0, values * (1 - taken) - limit) / (exchanges + 1)
    chance = exchanges * _reaches(_excess(control), needed) + _reaches(wake_lag, needed)
    most = 0.0
    # From the latest answers on: of those that took R or longer, no more than are so delayed.
    for answers, delayed in zip(counts[::-1], operations * chance[::-1], strict=True):
        most = min(most + answers, max(most, delayed))
    return float(most)


def _excess(control: Histogram) -> Histogram:
    """The control's times beyond what an exchange usually takes."""
    usual = control.quantile_us(0.5) or 0.0
    return Histogram(np.maximum(0.0, control.values_us - usual), control.counts)


def _reaches(delays: Histogram, needed: Floats) -> Floats:
    """For each time, the share of the delays that are no shorter. No delay is known not to be 0."""
    if not delays.count:
        return np.asarray(needed <= 0, dtype=np.float64)
    shorter = np.searchsorted(delays.values_us, needed, side="left")
    upto = np.concatenate([[0.0], np.cumsum(delays.counts)])
    return np.asarray(1 - upto[shorter] / upto[-1], dtype=np.float64)


def _changes(measurement: Measurement, rules: Rules, most: Callable[[OperationSeries], float]) -> bool:
    """Whether a goal about times is missed that would be met if `most` answers of each operation had come in
    time. `most` is asked about operations whose limit is the goal's."""
    own = [
        Goal(sla.name, "response", math.nan, sla.share, each=True, window_s=rules.sla_window_s)
        for sla in SLAS
    ]
    goals = [goal for goal in (*own, *rules.goals) if goal.measure == "response"]
    missed = [goal for goal in goals if judge_goal(goal, measurement).verdict == "missed"]
    return any(_could_meet(goal, measurement, most) for goal in missed)


def _could_meet(goal: Goal, measurement: Measurement, most: Callable[[OperationSeries], float]) -> bool:
    """All the answers that were pushed may have been in the worst window."""
    chosen = [o for o in measurement.operations if goal.operation in (None, o.name) and o.count.sum()]
    if not goal.own_limit:
        chosen = [replace(o, limit_s=goal.bound, late=o.ok - o.under[goal.bound]) for o in chosen]
    shares = []
    for one in chosen:
        seconds = len(one.count) if goal.window_s is None else goal.window_s
        window = worst_at(one.within, one.count, seconds) or slice(None)
        count = float(one.count[window].sum())
        shares.append((float(one.within[window].sum()) + most(one)) / count)
    return bool(shares) and min(shares) >= (goal.share or 0.0)


def _worst(measurement: Measurement, most: Callable[[OperationSeries], float]) -> str:
    """How many answers could have been pushed, of the operation that it could be most of."""
    shares = {one.name: most(one) / max(1.0, float(one.count.sum())) for one in measurement.operations}
    name = max(shares, key=shares.__getitem__)
    return f"may have pushed {digits(100 * shares[name], 2)} % of {name} over its limit"


def _delays(measurement: Measurement, noise: Noise, rules: Rules) -> Check:
    def most(one: OperationSeries) -> float:
        return pushed(one, noise.control, EMPTY, 0.0)

    told = [digits((noise.control.quantile_us(share) or 0.0) / 1000) for share in (0.99, 0.999)]
    return Check(
        name=NOISY,
        verdict=met_if(not _changes(measurement, rules, most)) if noise.control.count else "open",
        measured=f"a null exchange takes {told[0]} ms (p99), {told[1]} ms (p99.9), which "
        + _worst(measurement, most),
        expected="no verdict hangs on it",
        hint="this machine stands still at times: keep other work off it, or measure on another one",
        about="generator",
        required=bool(noise.control.count),
    )


def _processor(measurement: Measurement, noise: Noise, rules: Rules) -> list[Check]:
    """What others took of this machine's processors. Not checked if the machine was not observed."""
    if not len(noise.busy_share) or np.isnan(noise.busy_share).all():
        return []
    # While answers were late: what was taken at other times pushed none of them.
    late = np.sum([one.late for one in measurement.operations], axis=0)
    taken = float(np.average(noise.taken, weights=late)) if late.sum() else 0.0

    def most(one: OperationSeries) -> float:
        return pushed(one, noise.control, measurement.wake_lag, taken)

    steal, foreign = mean(noise.steal_share), mean(noise.foreign_share)
    known = "unknown" if foreign is None else f"{100 * foreign:.1f} %"
    return [
        Check(
            name=CROWDED,
            verdict=met_if(not taken or not _changes(measurement, rules, most)),
            measured=f"other processes {known}, steal {100 * (steal or 0.0):.1f} % of all processors, which "
            + _worst(measurement, most),
            expected="no verdict hangs on it",
            hint="other work took processors that the service needed: end it, or measure on another machine. "
            "If it belongs to the service, name it with --sut-pid or --db-pid",
            about="generator",
        )
    ]


def _clock(measurement: Measurement, noise: Noise) -> Check:
    """Times are taken from the monotonic clock, which has no steps. Only a date in Retry-After is not."""
    steps, waits = noise.steps, measurement.sessions.waits if measurement.sessions else 0
    furthest = float(np.abs(steps).max(initial=0.0))
    return Check(
        name="clock-steps",
        verdict="open" if len(steps) and waits else "met",
        measured=f"{len(steps)} steps of the time of day"
        + (f", up to {furthest:.3g} s" if len(steps) else ""),
        expected="none while requests wait until a date; other times do not depend on it",
        hint="set the clock before the run, and let a time service correct its rate only",
        about="generator",
        required=bool(len(steps) and waits),
    )
