"""Checks on what users do, and when: the mix, the pace, the arrivals of an open workload."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from loadstone.judge import offered
from loadstone.judge.checks import SESSIONS_LATE
from loadstone.judge.evidence import count_bounds, dispersion_bounds, level, mean_bounds, share_bounds
from loadstone.judge.histogram import Floats
from loadstone.judge.intervals import Ratio, ratio
from loadstone.judge.laws import Walk, pacing_law, unsettled, variation
from loadstone.judge.measurement import Measurement, OperationSeries, Rules
from loadstone.judge.offered import joined, rate_of
from loadstone.judge.scenarios import walks
from loadstone.stages.run import Check
from loadstone.stages.verdict import About, Verdict
from loadstone.unit import Unit

TOLERANCE = 0.02
"""The mean pace holds within 2 %."""

LOST_SHARE = 0.01
"""When more sessions than these are lost, the walks seen are not those of the mix."""

MIX_POINTS = 2.0
"""Shares of the mix are within 2 percentage points (Faban's default)."""

NOTICED_S = 0.1
"""Arrivals may be noticed so late, some of them, before they count as astray: how many are late at all is the
matter of another check, and a second is as fine as arrivals are counted."""

_LATE_SECONDS = 3
"""Seconds of a run at whose ends that may happen."""

_BLIND = 0.5
"""A pace is open when chance alone may move it by so much of itself, and a share by half as many points."""


def mix_share(measurement: Measurement, operation: OperationSeries, among: Collection[str]) -> Ratio:
    """The operation's share of the right answers `among` these operations: in the settled part where that
    holds most of them, in all of a shorter run. What is settled of a run whose operations ran out may be a
    hundred of twenty thousand.
    """
    answers = _answers(measurement, among)
    most = 2 * answers[measurement.settled].sum() > answers.sum()
    part = measurement.settled if most else slice(None)
    return ratio(operation.ok[part], answers[part])


def _answers(measurement: Measurement, among: Collection[str]) -> Floats:
    """Right answers of these operations each second."""
    return np.zeros(len(measurement.users)) + sum(o.ok for o in measurement.operations if o.name in among)


def mix(measurement: Measurement, rules: Rules) -> Check:
    """Every operation's share is within 2 points of its stationary share; the worst is shown.

    Of several scenarios each has shares of its own: who walks by one asks for nothing of another.

    Shares scatter as those of a walk through the mix do: binomial, of fewer draws the more a walk clumps.
    """
    expected = f"stationary shares ± {MIX_POINTS:g} points"
    if measurement.sessions and measurement.sessions.lost_share > LOST_SHARE:
        lost = f"{100 * measurement.sessions.lost_share:.1f} % of the sessions were lost"
        hint = "see why sessions are lost: `failures` in run.json shows the first failed operations"
        return _check(
            "mix", "open", f"not judged: {lost} before their walks ended", expected, hint, "service"
        )
    part = measurement.settled
    right = {o.name: float(o.ok[part].sum()) for o in measurement.operations}
    seen, bounds = dict[str, float](), dict[str, tuple[float, float]]()
    for walk in walks(rules.plan):
        names = [one["name"] for one in walk["operations"]]
        total = sum(right[name] for name in names)
        if not total:
            return _not_judged("mix", expected, measurement)
        seen |= {name: right[name] / total for name in names}
        bounds |= _mix_bounds(measurement, rules, walk, total)
    points = {name: 100 * (share - rules.mix[name]) for name, share in seen.items()}
    strayed = {name for name, share in seen.items() if not bounds[name][0] <= share <= bounds[name][1]}
    worst = max(strayed or points, key=lambda name: abs(points[name]))
    low, high = bounds[worst]
    blind = max(high - low for low, high in bounds.values()) > _BLIND
    return _check(
        "mix",
        "missed" if strayed else "open" if blind else "met",
        f"{worst} {100 * seen[worst]:.2f} % ({points[worst]:+.2f} points)",
        f"{worst} {100 * max(0, low):.2f} % to {100 * min(1, high):.2f} %{_simulated(rules, worst)}",
        "failing operations, or steps whose conditions never hold, change the mix: look at failures, "
        "and let the ramp-up last several cycles"
        if strayed
        else "more operations show the mix",
        "load",
    )


def _mix_bounds(
    measurement: Measurement, rules: Rules, plan: Mapping[str, Any], total: float
) -> dict[str, tuple[float, float]]:
    """Least and greatest share of each operation of a walk that chance and the tolerance explain."""
    walk = Walk.of(plan)
    names = [operation["name"] for operation in plan["operations"]]
    young = _unsettled(measurement, rules)
    clumping = (
        walk.clumping(rules.mix)
        if walk
        else {name: _seen_clumping(measurement, name, names) for name in names}
    )
    doubt = level(len(measurement.operations))
    found = {}
    for name in names:
        low, high = share_bounds(rules.mix[name], total / clumping[name], doubt)
        away = max(MIX_POINTS / 100, rules.mix[name] - low, high - rules.mix[name])
        error = 4 * rules.mix_error.get(name, 0.0)
        margin = math.hypot(away, error) + young[name]
        found[name] = (rules.mix[name] - margin, rules.mix[name] + margin)
    return found


def _unsettled(measurement: Measurement, rules: Rules) -> dict[str, float]:
    """By operation: how far its share may be from the long run's, as the users' walks are young yet."""
    # The youngest user of the beginning began at the end of the ramp-up.
    age = measurement.settled_s - measurement.start_s
    length = measurement.settled.stop - measurement.settled.start
    lived = float(measurement.lived_s[measurement.settled].sum())
    # The part of the users' time that is that of those who joined later, and how old these were in it.
    end_s = measurement.end_s
    later = [
        (more * (end_s - at) / max(lived, 1.0), max(0.0, measurement.settled_s - at), end_s - at)
        for at, more in joined(rules.plan["load"], measurement.start_s, end_s)
    ]
    found = dict[str, float]()
    for walk in walks(rules.plan):
        names = [operation["name"] for operation in walk["operations"]]
        pace = sum(rules.mix[name] * rules.pace_mean_s[name] for name in names)
        if not pace or rate_of(rules.plan["load"]):
            found |= dict.fromkeys(names, 0.0)
            continue
        for weight, begin, end in [(1.0, age, age + length), *later]:
            away = unsettled(walk, rules.mix, begin / pace, end / pace)
            found |= {name: found.get(name, 0.0) + weight * away[name] for name in names}
    return found


def _seen_clumping(measurement: Measurement, name: str, among: Collection[str]) -> float:
    """Of a walk with a memory, whose law is not known: by batch means, twice as they are few."""
    operation = next(o for o in measurement.operations if o.name == name)
    share = ratio(operation.ok[measurement.settled], _answers(measurement, among)[measurement.settled])
    binomial = share.value * (1 - share.value) / share.count
    return max(1.0, 2 * share.error**2 / binomial) if binomial > 0 and share.error > 0 else 1.0


def pace(measurement: Measurement, rules: Rules) -> Check:
    """Mean cycle or think time before each operation is within 2 % of the plan's; the worst is shown.

    A service that holds its users up is slow, not wrong: the run stands, and its goals are missed. The mean
    of a few draws is judged by the law that the plan states, not by how they happen to scatter.
    """
    expected = f"mean pause of each operation ± {100 * TOLERANCE:g} %"
    judged = [o for o in measurement.operations if o.pace.count and rules.pace_mean_s[o.name] > 0]
    if not judged:
        return _not_judged("pace", expected, measurement)
    young = _unsettled(measurement, rules)
    more = sum(count for _, count in joined(rules.plan["load"], measurement.start_s, measurement.end_s))
    cut = more / sum(o.pace.count for o in judged)
    bounds = {o.name: _pace_bounds(o, rules, level(len(judged)), young[o.name], cut) for o in judged}
    deviation = {o.name: o.pace.mean_s / rules.pace_mean_s[o.name] - 1 for o in judged}
    strayed = {o.name for o in judged if not bounds[o.name][0] <= o.pace.mean_s <= bounds[o.name][1]}
    worst = max(strayed or deviation, key=lambda name: abs(deviation[name]))
    wanted, slow = rules.pace_mean_s[worst], deviation[worst] > 0
    blind = min(bounds[o.name][1] / rules.pace_mean_s[o.name] for o in judged) > 1 + _BLIND
    hint = "more operations show the pace"
    if strayed and slow:
        hint = "answers come later than the next operation should start: the service cannot carry these users"
    elif strayed:
        hint = "users start earlier than planned: the engine miscounts, please report it"
    return _check(
        "pace",
        "missed" if strayed else "open" if blind else "met",
        f"{worst} {(1 + deviation[worst]) * wanted:.3f} s ({100 * deviation[worst]:+.2f} %)",
        f"{worst} {max(0.0, bounds[worst][0]):.3f} to {bounds[worst][1]:.3f} s",
        hint,
        "overload" if slow else "load",
    )


def _pace_bounds(
    operation: OperationSeries, rules: Rules, doubt: float, away: float, cut: float
) -> tuple[float, float]:
    """Least and greatest mean pause that chance and the tolerance explain.

    Where walks are young, pauses and what follows them depend on each other: who drew long ones is at an
    earlier step, at which other operations are likely. By Cauchy and Schwarz no more than the deviation of
    the pauses times that of the operation's share over the steps, relative to it.

    The pause that a user is in when it leaves, or the run ends, is in no mean, and a long one is likelier to
    be it. Those under way at the beginning make up for that, which users that joined later did not have:
    `cut` of them for each pause seen.
    """
    wanted = rules.pace_mean_s[operation.name]
    scatter = variation(pacing_law(rules.plan, operation.name))
    low, high = mean_bounds(wanted, scatter, operation.pace.count, doubt)
    share = rules.mix[operation.name]
    young = wanted * math.sqrt(scatter) * away / share if share else 0.0
    low = min(low, (1 - TOLERANCE) * wanted) - young - wanted * scatter * cut
    return low, max(high, (1 + TOLERANCE) * wanted) + young


def arrivals(measurement: Measurement, rules: Rules) -> list[Check]:
    """Sessions, or requests, arrive by their law: evenly, or as a Poisson stream of the rate.

    Not checked for a workload of users, nor in folders that do not say when sessions arrived.
    """
    load = rules.plan["load"]
    unit = Unit.of(load)
    if not unit.is_rate:
        return []
    if unit is Unit.REQUESTS:
        # The last second of a run need not be whole.
        seconds: Floats | None = measurement.arrived[:-1]
        count, end_s = float(measurement.arrived[:-1].sum()), float(max(0, len(measurement.arrived) - 1))
        end_s += measurement.first_s
    elif measurement.sessions:
        tally, end_s = measurement.sessions.steady, measurement.end_s
        count, seconds = float(tally.begun + tally.dropped), measurement.sessions.arrived
    else:
        return []
    poisson = load.get("arrivals") == "poisson"
    start_s = measurement.first_s if unit is Unit.REQUESTS else measurement.start_s
    wanted = offered.arrivals(load, start_s, end_s)
    low, high = count_bounds(wanted, level(2)) if poisson else (math.floor(wanted) - 1, math.ceil(wanted) + 1)
    # Requests count when the generator notices them. Of sessions only their seconds do: whether they belong
    # to the steady state is known by when they were due.
    late_s = NOTICED_S if unit is Unit.REQUESTS else 0.0
    moved = late_s * offered.arrivals(load, start_s, end_s) / max(1.0, end_s - start_s)
    low, high = max(0.0, low - moved), high + moved
    shown, expected = f"{count:.0f} arrived", f"{low:.0f} to {high:.0f}"
    spaced = True
    if seconds is not None and len(seconds) > 1 and seconds.sum() > 0:
        each = offered.by_second(load, measurement.first_s, len(seconds))
        spaced, words, asked = _spacing(seconds, each, poisson)
        shown, expected = f"{shown}, {words}", f"{expected}, {asked}"
    verdict: Verdict = "met" if low <= count <= high and spaced else "missed"
    hint = (
        f"the generator could not begin {unit.things} when they were due: give it more threads (--threads) "
        "or a machine of its own"
    )
    return [_check(SESSIONS_LATE, verdict, shown, expected, hint, "generator")]


def _spacing(seconds: Floats, wanted: Floats, poisson: bool) -> tuple[bool, str, str]:
    """Whether the counts of whole seconds scatter as the law's do; in words what was seen, what is asked.

    `wanted`: the mean of each second's count, by the plan.
    """
    if poisson:
        some = wanted > 0
        if some.sum() < 2:
            return True, "", ""
        # Of a constant rate, the variance by the mean.
        middle = wanted[some] * seconds[some].sum() / wanted[some].sum()
        dispersion = float((np.square(seconds[some] - middle) / middle).sum() / (some.sum() - 1))
        low, high = dispersion_bounds(int(some.sum()), level(2))
        # Few arrivals a second make the index coarser than its law.
        high += 4 / (float(wanted[some].min()) * math.sqrt(some.sum()))
        # What is noticed late is missing in one second and too much in the next.
        high += 2 * _LATE_SECONDS * NOTICED_S**2 * float(wanted.max()) / int(some.sum())
        return low <= dispersion <= high, f"variance by mean {dispersion:.2f}", f"{low:.2f} to {high:.2f}"
    least, most = int(seconds.min()), int(seconds.max())
    moved = NOTICED_S * max(float(wanted.max()), 1.0)
    lows, highs = np.maximum(0, np.floor(wanted - moved) - 1), np.ceil(wanted + moved) + 1
    right = bool(((lows <= seconds) & (seconds <= highs)).all())
    return right, f"{least} to {most} a second", f"{lows.min():.0f} to {highs.max():.0f} a second"


def _simulated(rules: Rules, name: str) -> str:
    """The standard error of an expected share that was simulated, in words."""
    error = rules.mix_error.get(name, 0)
    return f" (simulated walk, standard error {100 * error:.2f} points)" if error else ""


def _not_judged(name: str, expected: str, measurement: Measurement) -> Check:
    pause = measurement.settled_s - measurement.start_s
    hint = f"make the steady state much longer than {pause:g} s, the longest pause of the plan"
    return _check(name, "open", "not judged: the steady state is too short", expected, hint, "load")


def _check(name: str, verdict: Verdict, measured: str, expected: str, hint: str, about: About) -> Check:
    """What only a longer run could show is told, and does not make this one inconclusive."""
    return Check(
        name=name,
        verdict=verdict,
        measured=measured,
        expected=expected,
        hint=hint,
        about=about,
        required=verdict != "open",
    )
