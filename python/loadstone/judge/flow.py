"""Checks on the flow of operations: Little's law, the mix, the pace.

A deviation beyond its tolerance fails only when chance does not explain it (`intervals.SURE`), so that a
short run is not called invalid for being short. What only long runs can show is "not judged" in short ones.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from loadstone.judge.checks import met_if
from loadstone.judge.histogram import Floats, Histogram
from loadstone.judge.intervals import SURE, Ratio, ratio
from loadstone.judge.measurement import Measurement, OperationSeries, Rules
from loadstone.stages.run import Check

TOLERANCE = 0.02
"""Little's law and the mean pace hold within 2 %."""

LOST_SHARE = 0.01
"""When more sessions than these are lost, the walks seen are not those of the mix."""

MIX_POINTS = 2.0
"""Shares of the mix are within 2 percentage points (Faban's default)."""


def littles_law(measurement: Measurement, rules: Rules) -> Check:
    """Users = operations/s x mean cycle.

    Every user's time is a chain of cycles (start to start; with think times: response and pause), so the
    cycles that end within T seconds sum to users x T, except at the two ends: what a user's first cycle began
    before T counts, what its last one has begun does not. Both have the law of the residual cycle, so they
    cancel in the mean and leave a standard error of sqrt(2 · users · var residual) / T.
    It fails when users hang in operations, starve, or never ran.
    """
    part = measurement.settled
    if rules.plan["load"].get("sessions_per_s"):
        return _of_sessions(measurement)
    if rules.plan["load"].get("operations"):
        return _no_cycles(measurement)
    if part.start >= part.stop:
        return _by_expected_cycle(measurement, rules)
    seconds = part.stop - part.start
    weights = _think_weights(rules.plan)
    carried = 0.0
    for operation in measurement.operations:
        carried += _total_s(operation.ended_pace) + weights[operation.name] * _total_s(
            operation.ended_service
        )
    users = float(measurement.users[part].mean())
    paces = _pooled([operation.ended_pace for operation in measurement.operations])
    error = math.sqrt(2 * users * _residual_variance(paces)) / seconds
    return _users_check(carried / seconds, users, error, "")


def _by_expected_cycle(measurement: Measurement, rules: Rules) -> Check:
    """The law with the cycle that the plan asks for, where the run is too short to have seen one whole."""
    weights = _think_weights(rules.plan)
    done = sum(float(o.ok.sum()) for o in measurement.operations)
    if not done or not len(measurement.users):
        return _users_check(0.0, float(rules.plan["load"]["users"]), 0.0, "")
    carried = 0.0
    for operation in measurement.operations:
        carried += float(operation.ok.sum()) * rules.pace_mean_s[operation.name]
        carried += weights[operation.name] * _total_s(operation.service)
    users = float(measurement.users.mean())
    # Arrivals of many users are close to a Poisson stream: the count's error is its root.
    error = users / math.sqrt(done)
    return _users_check(carried / measurement.steady_s, users, error, " (by the expected cycle)")


def _no_cycles(measurement: Measurement) -> Check:
    """Users fall idle one by one when the operations run out: their cycles do not tile the run."""
    users = float(measurement.users.mean())
    return Check(
        name="littles-law",
        verdict="open",
        measured="not judged: users fall idle one by one when the operations run out",
        expected=f"{users:.1f} users ± {100 * TOLERANCE:g} %",
        hint="only a run that ends by the clock can be judged by this",
        about="load",
        required=False,
    )


def _of_sessions(measurement: Measurement) -> Check:
    """Sessions = arrivals/s x life, by the lives of those that ended in the steady state.

    What they lived before it, and what those that are left will live after it, cancel in the mean where the
    number of sessions neither grows nor shrinks. It fails when sessions pile up, or starve.
    """
    sessions, users = measurement.sessions, float(measurement.users.mean()) if len(measurement.users) else 0.0
    # A session that began before the first one could have ended would make the number look as if it grew.
    if not sessions or not sessions.ended or measurement.settled_s > measurement.start_s:
        return _not_judged(
            "littles-law", f"arrivals/s x life = sessions ± {100 * TOLERANCE:g} %", measurement
        )
    carried = sessions.ended_life_s / measurement.steady_s
    # Of the lives at both ends of the span too much or too little is counted, and the sessions that live are
    # seen once a second only; both scatter as Poisson counts do.
    ends = math.sqrt(2 * users) * sessions.ended_life_s / sessions.ended / measurement.steady_s
    error = math.hypot(ends, math.sqrt(users / len(measurement.users)))
    passed = abs(carried - users) <= max(TOLERANCE * users, SURE * error)
    return Check(
        name="littles-law",
        verdict=met_if(passed),
        measured=f"arrivals/s x life = {carried:.1f} sessions"
        + _chance(passed, abs(carried - users) > TOLERANCE * users),
        expected=f"{users:.1f} sessions ± {100 * TOLERANCE:g} %",
        hint="sessions pile up or run dry: the service does not end as many as arrive",
        about="service",
    )


def _users_check(carried: float, users: float, error: float, how: str) -> Check:
    deviation = carried - users
    passed = abs(deviation) <= max(TOLERANCE * users, SURE * error)
    chance = _chance(passed, abs(deviation) > TOLERANCE * users)
    return Check(
        name="littles-law",
        verdict=met_if(passed),
        measured=f"{carried:.1f} users carry the throughput{how}{chance}",
        expected=f"{users:.1f} users ± {100 * TOLERANCE:g} %",
        hint="operations hang or time out: look at failures and at users in an operation"
        if deviation < 0
        else "these users cannot make so many operations: the engine miscounts, please report it",
        about="service" if deviation < 0 else "load",
    )


def mix_share(measurement: Measurement, operation: OperationSeries) -> Ratio:
    """The operation's share of all right answers: in the settled part where that holds most of them, in all
    of a shorter run. What is settled of a run whose operations ran out may be a hundred of twenty thousand.
    """
    answers = _answers(measurement)
    most = 2 * answers[measurement.settled].sum() > answers.sum()
    part = measurement.settled if most else slice(None)
    return ratio(operation.ok[part], answers[part])


def _answers(measurement: Measurement) -> Floats:
    """Right answers of all operations each second."""
    return np.zeros(len(measurement.users)) + sum(o.ok for o in measurement.operations)


def mix(measurement: Measurement, rules: Rules) -> Check:
    """Every operation's share is within 2 points of its stationary share; the worst is shown."""
    part = measurement.settled
    everything = _answers(measurement)[part]
    shares = {o.name: ratio(o.ok[part], everything) for o in measurement.operations}
    if measurement.sessions and measurement.sessions.lost_share > LOST_SHARE:
        return _cut_short(measurement.sessions.lost_share)
    if part.start >= part.stop:
        return _not_judged("mix", f"stationary shares ± {MIX_POINTS:g} points", measurement)
    points = {name: 100 * (share.value - rules.mix[name]) for name, share in shares.items() if share.count}
    if not points:
        return _not_judged("mix", f"stationary shares ± {MIX_POINTS:g} points", measurement)
    strayed = {
        name
        for name in points
        if abs(points[name]) > MIX_POINTS
        and _certain(shares[name], rules.mix_error.get(name, 0), points[name])
    }
    worst = max(strayed or points, key=lambda name: abs(points[name]))
    return Check(
        name="mix",
        verdict=met_if(not strayed),
        measured=f"{worst} {100 * shares[worst].value:.2f} % ({points[worst]:+.2f} points)"
        + _chance(not strayed, abs(points[worst]) > MIX_POINTS),
        expected=f"{worst} {100 * rules.mix[worst]:.2f} % ± {MIX_POINTS:g} points{_simulated(rules, worst)}",
        hint="failing operations, or steps whose conditions never hold, change the mix: look at failures, "
        "and let the ramp-up last several cycles",
        about="load",
    )


def _cut_short(share: float) -> Check:
    return Check(
        name="mix",
        verdict="open",
        measured=f"not judged: {100 * share:.1f} % of the sessions were lost before their walks ended",
        expected=f"stationary shares ± {MIX_POINTS:g} points",
        hint="see why sessions are lost: `failures` in run.json shows the first failed operations",
        about="service",
        required=False,
    )


def pace(measurement: Measurement, rules: Rules) -> Check:
    """Mean cycle or think time before each operation is within 2 % of the plan's; the worst is shown."""
    expected = f"mean pause of each operation ± {100 * TOLERANCE:g} %"
    deviations: dict[str, float] = {}
    strayed: set[str] = set()
    for operation in measurement.operations:
        wanted, seen = rules.pace_mean_s[operation.name], operation.pace
        if seen.count < 2 or wanted <= 0:
            continue
        deviations[operation.name] = (seen.mean_s - wanted) / wanted
        error = seen.deviation_s / math.sqrt(seen.count)
        if abs(seen.mean_s - wanted) > max(TOLERANCE * wanted, SURE * error):
            strayed.add(operation.name)
    if not deviations:
        return _not_judged("pace", expected, measurement)
    worst = max(strayed or deviations, key=lambda name: abs(deviations[name]))
    slow, wanted = deviations[worst] > 0, rules.pace_mean_s[worst]
    return Check(
        name="pace",
        verdict=met_if(not strayed),
        measured=f"{worst} {(1 + deviations[worst]) * wanted:.3f} s ({100 * deviations[worst]:+.2f} %)"
        + _chance(not strayed, abs(deviations[worst]) > TOLERANCE),
        expected=f"{worst} {wanted:.3f} s ± {100 * TOLERANCE:g} %",
        hint="answers come later than the next operation should start: the service cannot carry these users"
        if slow
        else "users start earlier than planned: the engine miscounts, please report it",
        about="service" if slow else "load",
    )


def _chance(passed: bool, beyond: bool) -> str:
    """Says why a figure beyond its tolerance passes: there were too few operations to be sure."""
    return ", within chance" if passed and beyond else ""


def _certain(share: Ratio, error: float, points: float) -> bool:
    """Whether chance, with this error of the expectation, does not explain a deviation of these points."""
    return abs(points) / 100 > SURE * math.hypot(share.error, error)


def _simulated(rules: Rules, name: str) -> str:
    """The standard error of an expected share that was simulated, in words."""
    error = rules.mix_error.get(name, 0)
    return f" (simulated walk, standard error {100 * error:.2f} points)" if error else ""


def _not_judged(name: str, expected: str, measurement: Measurement) -> Check:
    pause = measurement.settled_s - measurement.start_s
    return Check(
        name=name,
        verdict="open",
        measured="not judged: the steady state is too short",
        expected=expected,
        hint=f"make the steady state much longer than {pause:g} s, the longest pause of the plan",
        about="load",
        required=False,
    )


def _think_weights(plan: Mapping[str, Any]) -> dict[str, float]:
    """For each operation, the share of its successors whose pacing is a think time.

    The pause before those begins at the operation's end, so that its service time is part of the cycle.
    """
    think = {
        operation["name"]: float((operation.get("pacing") or plan["pacing"])["kind"] == "think")
        for operation in plan["operations"]
    }
    first = plan["session"]["first"]
    # Where `back` leads depends on the walk; most scenarios pace all operations alike.
    think["back"] = sum(think.values()) / len(think)
    return {
        name: sum(share * think[first if to == "end" else to] for to, share in row.items())
        for name, row in plan["mix"].items()
    }


def _residual_variance(paces: Histogram) -> float:
    """Variance of the time from a random instant to the end of its cycle: E c³ / 3E c - (E c² / 2E c)²."""
    if not paces.count:
        return 0.0
    first, second, third = (paces.moment(power) for power in (1, 2, 3))
    return max(0.0, third / (3 * first) - (second / (2 * first)) ** 2) if first else 0.0


def _pooled(histograms: list[Histogram]) -> Histogram:
    values = np.concatenate([histogram.values_us for histogram in histograms])
    return Histogram(values, np.concatenate([histogram.counts for histogram in histograms]))


def _total_s(histogram: Histogram) -> float:
    return float((histogram.values_us * histogram.counts).sum()) / 1e6
