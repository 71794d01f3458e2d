"""Little's law: users, or sessions, are what arrives in a second times how long it lasts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from loadstone.digits import digits
from loadstone.judge.evidence import count_bounds, heavy_deviations, level
from loadstone.judge.histogram import Histogram
from loadstone.judge.laws import moments, pacing_law, variation
from loadstone.judge.measurement import Measurement, Rules
from loadstone.judge.offered import arrivals, joined
from loadstone.judge.scenarios import walks
from loadstone.judge.sessions import Sessions
from loadstone.stages.run import Check
from loadstone.stages.verdict import About, Verdict
from loadstone.unit import Unit

TOLERANCE = 0.02
"""It holds within 2 %."""

_LIFE_STEP_S = 0.001
"""Lives are counted in whole milliseconds, the rest is cut off."""

_ANSWERED = 0.99
"""Share of the requests that must be answered rightly, so that the times of those stand for all."""

_FEWEST = 10
"""Operations, or sessions, that a run must have led to expect, so that missing ones show."""


def littles_law(measurement: Measurement, rules: Rules) -> Check:
    """Users = operations/s x mean cycle, of an open workload sessions = arrivals/s x life."""
    load = rules.plan["load"]
    if load.get("sessions_per_s"):
        return _of_sessions(measurement, even=load.get("arrivals") != "poisson")
    if load.get("requests_per_s"):
        return _of_requests(measurement)
    if load.get("operations"):
        return _check("open", "not judged: users fall idle one by one when the operations run out", "users")
    if measurement.settled.start >= measurement.settled.stop:
        return _by_expected_cycle(measurement, rules)
    return _by_cycles(measurement, rules)


def hung(measurement: Measurement, rules: Rules) -> bool:
    """Of a run in which no operation ended: whether by its users and its length many should have."""
    load = rules.plan["load"]
    if Unit.of(load).is_rate:
        return arrivals(load, measurement.start_s, measurement.end_s) >= _FEWEST
    paces = rules.pace_mean_s.values()
    lived = float(measurement.lived_s.sum())
    return lived / max(paces, default=math.inf) >= _FEWEST


def _by_cycles(measurement: Measurement, rules: Rules) -> Check:
    """Every user's time is a chain of cycles (start to start; with think times: response and pause), so the
    cycles that end within T seconds sum to users x T, except at the two ends: what a user's first cycle began
    before T counts, what its last one has begun does not. Both have the law of the residual cycle, so they
    cancel in the mean and leave a variance of 2 · users · var residual where they do not depend on each
    other. Fixed cycles tie the ends: a user makes ⌊T/c⌋ or ⌈T/c⌉ of them, a variance of up to c² / 4, which
    is 3 times that of the residual.

    Users that joined later brought no such beginning: of each, the last cycle's age is missing, and the pause
    before its first operation, which is the rest of a cycle.
    """
    part = measurement.settled
    weights = _all_think_weights(rules.plan)
    carried = sum(
        _total_s(o.ended_pace) + weights[o.name] * (_total_s(o.ended_service) + _total_s(o.ended_called))
        for o in measurement.operations
    )
    lived = float(measurement.lived_s[part].sum())
    users = lived / (part.stop - part.start)
    age, variance = _residual(measurement, rules)
    later = joined(rules.plan["load"], measurement.start_s, measurement.end_s)
    missing = sum(more * min(2 * age, measurement.end_s - at) for at, more in later)
    at_ends = users + sum(more for _, more in later)
    allowed = max(TOLERANCE * lived, heavy_deviations(level(), at_ends) * math.sqrt(3 * at_ends * variance))
    shown = f"{carried / (part.stop - part.start):.1f} users carry the throughput"
    expected = f"{users:.1f} users ± {digits(100 * allowed / lived if lived else 0, 2)} %"
    if missing:
        fewer = f"{missing / (part.stop - part.start):.1f} fewer"
        expected += f", or {fewer}: first and last cycles of those who joined later"
    if carried + missing < lived - allowed:
        hint = "operations hang or time out: look at failures and at users in an operation"
        return _check("missed", shown, expected, hint)
    if carried > lived + allowed:
        hint = "these users cannot make so many operations: the engine miscounts, please report it"
        return _check("missed", shown, expected, hint, "load")
    return _check("met", shown, expected)


def _by_expected_cycle(measurement: Measurement, rules: Rules) -> Check:
    """The law with the cycle that the plan asks for, where the run is too short to have seen one whole.

    It can tell that cycles are missing. More than expected may be chance, the run's edges, or cycles shorter
    than a run that sees no long ones should assume: then nothing is known.
    """
    weights = _all_think_weights(rules.plan)
    lived = float(measurement.lived_s.sum())
    ended = sum(float(o.count.sum()) for o in measurement.operations)
    service = sum(_total_s(o.service) + _total_s(o.called) for o in measurement.operations)
    answers = sum(o.service.count for o in measurement.operations)
    each = service / answers if answers else 0.0
    carried = sum(
        float(o.count.sum()) * rules.pace_mean_s[o.name]
        + weights[o.name] * (_total_s(o.service) + _total_s(o.called))
        for o in measurement.operations
    )
    cycle = carried / ended if ended else min(rules.pace_mean_s.values())
    # An operation that began before the steady state, or ends after it, is in no count.
    whole = max(0.0, 1 - each / measurement.steady_s) if measurement.steady_s else 0.0
    spread = max(1.0, *(variation(pacing_law(rules.plan, o.name)) for o in measurement.operations))
    wanted = lived / cycle * whole if cycle else 0.0
    low, high = count_bounds(wanted, level(), spread)
    shown = f"{ended:.0f} operations"
    expected = f"{min(low, wanted * (1 - TOLERANCE)):.0f} to {high:.0f}, by the expected cycle"
    if ended < min(low, wanted * (1 - TOLERANCE)):
        hint = "operations hang or time out: look at failures and at users in an operation"
        return _check("missed", shown, expected, hint)
    if wanted < _FEWEST or ended > max(high, wanted * (1 + TOLERANCE)):
        return _check("open", f"not judged: {shown} in a steady state shorter than a cycle", expected)
    return _check("met", shown, expected)


def _of_sessions(measurement: Measurement, even: bool) -> Check:
    """The lives of the sessions that ended in the steady state are the time that sessions lived in it, but
    for those that live at its two ends: what they lived before it is too much, what others have lived at its
    end is missing. Where the number of sessions neither grows nor shrinks, both have the law of a life's age.
    """
    sessions = measurement.sessions
    # A session that began before the first one could have ended would make the number look as if it grew.
    if not sessions or not sessions.ended or measurement.settled_s > measurement.start_s:
        shown = "not judged: the steady state is too short"
        return _check("open", shown, "arrivals/s x life = sessions", _longer(measurement))
    if sessions.steady.begun + sessions.steady.dropped < _FEWEST:
        shown, hint = "not judged: too few sessions began", "a longer steady state shows more sessions"
        return _check("open", shown, "arrivals/s x life = sessions", hint)
    seconds = measurement.steady_s
    integral = measurement.sessions_s
    lived = float((measurement.users if integral is None else integral).sum())
    ended, at_once = sessions.ended_life_s, lived / seconds
    age = _mean_square_age(sessions)
    longest = max(sessions.longest_s, sessions.ended_life_s / sessions.ended)
    chance = heavy_deviations(level(), at_once) * math.sqrt(2 * at_once * age)
    allowed = max(TOLERANCE * lived, chance + longest + _LIFE_STEP_S * sessions.ended)
    if integral is None:
        # Once a second the number is seen, between two arrivals or on one: even ones always alike.
        sampled = seconds if even else heavy_deviations(level(), lived) * math.sqrt(max(1.0, lived))
        allowed = max(allowed, sampled)
    shown = f"arrivals/s x life = {ended / seconds:.3g} sessions"
    expected = f"{at_once:.3g} sessions ± {allowed / seconds:.2g}"
    if integral is None and allowed > 0.2 * lived:
        return _check("open", f"not judged: {shown}, seen once a second only", expected, "measure again")
    if abs(ended - lived) <= allowed:
        return _check("met", shown, expected)
    hint = "sessions pile up or run dry: the service does not end as many as arrive"
    return _check("missed", shown, expected, hint)


def _of_requests(measurement: Measurement) -> Check:
    """The response times of what ended in the steady state are the time that requests lived in it, but for
    those that live at its two ends. A service that answers fewer than arrive has more of them at its end.
    """
    answered = sum(o.response.count for o in measurement.operations)
    ended = sum(float(o.count.sum()) for o in measurement.operations)
    if answered < _FEWEST or answered < _ANSWERED * ended:
        shown = "not judged: how long failed requests lived is not known" if answered >= _FEWEST else (
            "not judged: too few requests were answered")  # fmt: skip
        return _check("open", shown, "arrivals/s x response time = requests at once")
    responses = [o.response for o in measurement.operations if o.response.count]
    # A request lives while it calls a function, too, though that is no response time.
    called = sum(_total_s(o.called) for o in measurement.operations)
    carried = (sum(_total_s(one) for one in responses) + called) * ended / answered
    lived, seconds = float(measurement.lived_s.sum()), measurement.steady_s
    at_once = lived / seconds
    first, third = (sum(one.moment(power) * one.count for one in responses) / answered for power in (1, 3))
    age = third / (3 * first) if first else 0.0
    longest = max((one.quantile_us(0.99) or 0.0) for one in responses) / 1e6
    chance = heavy_deviations(level(), at_once) * math.sqrt(2 * at_once * age)
    allowed = max(TOLERANCE * lived, chance + longest * max(1.0, at_once))
    shown = f"arrivals/s x response time = {carried / seconds:.3g} requests"
    expected = f"{at_once:.3g} requests at once ± {allowed / seconds:.2g}"
    if abs(carried - lived) <= allowed:
        return _check("met", shown, expected)
    return _check("missed", shown, expected, "requests pile up: the service does not end as many as arrive")


def _check(
    verdict: Verdict, measured: str, expected: str, hint: str = "", about: About = "overload"
) -> Check:
    return Check(
        name="littles-law",
        verdict=verdict,
        measured=measured,
        expected=expected,
        hint=hint or "only a longer run that ends by the clock can be judged by this",
        about=about,
        required=verdict != "open",
    )


def _longer(measurement: Measurement) -> str:
    pause = measurement.settled_s - measurement.start_s
    return f"make the ramp-up longer by {pause:.2g} s, so that sessions end as fast as they arrive"


def _mean_square_age(sessions: Sessions) -> float:
    """Of a session that lives at some instant: E W³ / 3 E W, by all lives seen.

    A short steady state completes of the sessions that begin in it only those of short lives.
    """
    lives = sessions.lives_ms
    if not lives.count or not lives.moment(1):
        return (sessions.ended_life_s / sessions.ended) ** 2
    # The histogram's unit is milliseconds where others have microseconds.
    return lives.moment(3) / (3 * lives.moment(1)) * 1e6


def _residual(measurement: Measurement, rules: Rules) -> tuple[float, float]:
    """Most that the mean can be of the time from a random instant to the end of its cycle, E c² / 2E c, and
    its variance, E c³ / 3E c - (E c² / 2E c)².

    By the plan's laws; a service that makes cycles longer than they are drawn adds what it takes.
    """
    counts = {o.name: max(1.0, float(o.count.sum())) for o in measurement.operations}
    total = sum(counts.values())
    laws = {name: moments(pacing_law(rules.plan, name)) for name in counts}
    first, second, third = (
        sum(counts[name] * laws[name][power] for name in counts) / total for power in range(3)
    )
    drawn = second / (2 * first) if first else 0.0
    variance = max(0.0, third / (3 * first) - drawn**2) if first else 0.0
    services = [
        (o.ended_service.moment(2), o.ended_service.mean_s)
        for o in measurement.operations
        if o.ended_service.count
    ]
    # The age of a sum is at most the sum of the ages, by Jensen's inequality.
    ages = [square / (2 * mean) for square, mean in services if mean]
    return drawn + max(ages, default=0.0), variance + max((square for square, _ in services), default=0.0)


def _all_think_weights(plan: Mapping[str, Any]) -> dict[str, float]:
    """Those of all scenarios."""
    return {name: weight for walk in walks(plan) for name, weight in _think_weights(walk).items()}


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


def _total_s(histogram: Histogram) -> float:
    return float((histogram.values_us * histogram.counts).sum()) / 1e6
