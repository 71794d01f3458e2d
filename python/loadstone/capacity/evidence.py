"""What the measurements at one load say about a goal, and how sure that is.

A goal is about a share: of SLA-1 those within the limit, of `failed < 1 %` those that did not fail. An
operation holds it at a load when that share, in the long run, is at least the goal's. Its verdict
from the runs' seconds is the judge's (`loadstone.judge.goals`), for all runs at that load together.

A load passes when every operation does (each at the full confidence: all must hold), and fails
when one does (each at its part of it: any may fail by chance).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from loadstone.capacity.search import Verdict
from loadstone.goals import Goal
from loadstone.judge import Histogram, Measurement
from loadstone.judge.goals import FEWEST, Part, parts_of, share_verdict
from loadstone.judge.histogram import Floats
from loadstone.judge.intervals import Ratio, ratio
from loadstone.stages.capacity import Trend


@dataclass(frozen=True)
class Sample:
    """One operation (None: all together) in one run: the seconds of the goal's worst window."""

    operation: str | None
    limit_s: float
    """NaN where the goal is not about times."""
    count: Floats
    good: Floats
    """Operations as the goal asks for them: within its limit, not failed, or not dropped."""
    response: Histogram
    """Of right answers; empty where the goal is not about times."""


@dataclass(frozen=True)
class Trial:
    """One run as evidence."""

    samples: Mapping[str, Sequence[Sample]]
    """By goal."""
    faulty: bool = False
    """The service broke a rule of a valid run: errors, wrong pages, operations that hung, its death."""
    invalid: bool = False
    """The load was not what was asked for: the run says nothing."""
    late: bool = False
    """The generator had to wait for a processor. Its lateness counts as the service's, so such a run can only
    look worse than the service is: it may add to what a valid run shows for an SLA, never break it."""
    slowed: bool = False
    """The machine was slower than in another run with as much load or more: this run, too, can only look
    worse than the service is. What it held is held; what it broke shows nothing."""
    trend: Trend = "steady"
    """A run in which the service still got worse does not show that an SLA holds, and one in which it still
    got better does not show that it breaks."""
    valid: bool = True
    """Whether it passed all its checks. What is said to hold an SLA has at least one such run."""


def trial(
    measurement: Measurement,
    goals: Sequence[Goal],
    *,
    faulty: bool,
    invalid: bool,
    late: bool,
    trend: Trend,
    valid: bool,
) -> Trial:
    """The evidence in a run; an operation that never ran gives none.

    A late generator may itself be what broke a rule: such a run says nothing.
    """
    found = {goal.text: _samples(goal, measurement) for goal in goals}
    return Trial(found, faulty, invalid or (late and faulty), late, trend=trend, valid=valid)


def verdicts(trials: Sequence[Trial], goals: Sequence[Goal], confidence: float) -> dict[str, Verdict]:
    """What the trials at one load say about each goal.

    One faulty run may be an accident, two in four are the service: then the load is too much. Without a
    valid run among them no goal is held.
    """
    usable = [one for one in trials if not one.invalid]
    sound = [one for one in usable if not one.late]
    found = _settled_verdicts(sound, goals, confidence)
    settled = [one for one in usable if one.trend != "worse"]
    valid, healthy = any(one.valid for one in sound), not any(one.faulty for one in sound)
    for goal in goals:
        name = goal.text
        if found[name] is Verdict.MET and not valid:
            found[name] = Verdict.OPEN
        elif found[name] in (Verdict.OPEN, Verdict.FEW) and valid and healthy and len(usable) > len(sound):
            found[name] = _better(found[name], _judge(settled, goal, confidence))
    return found


def _settled_verdicts(sound: Sequence[Trial], goals: Sequence[Goal], confidence: float) -> dict[str, Verdict]:
    """As `_sound_verdicts`, but each run counts only for what its trend and its machine leave in no doubt."""
    if not sound:
        return {goal.text: Verdict.NOTHING for goal in goals}
    fast = [one for one in sound if not one.slowed]
    may_hold = [one for one in sound if one.trend != "worse"]
    holding = _sound_verdicts(may_hold, goals, confidence)
    if len(fast) < len(sound):
        # With a slow run among them they may miss what the others hold.
        others = _sound_verdicts([one for one in may_hold if not one.slowed], goals, confidence)
        holding = {name: _better(found, others[name]) for name, found in holding.items()}
    breaking = _sound_verdicts([one for one in fast if one.trend != "better"], goals, confidence)
    return {goal.text: _either(holding[goal.text], breaking[goal.text]) for goal in goals}


def _either(holding: Verdict, breaking: Verdict) -> Verdict:
    """What holds by the ones and does not break by the others, or the reverse; else it is open."""
    if breaking is Verdict.MISSED:
        return Verdict.OPEN if holding is Verdict.MET else Verdict.MISSED
    if holding is Verdict.MET:
        return Verdict.MET
    return Verdict.FEW if holding is breaking is Verdict.FEW else Verdict.OPEN


def _sound_verdicts(sound: Sequence[Trial], goals: Sequence[Goal], confidence: float) -> dict[str, Verdict]:
    if not sound:
        return {goal.text: Verdict.NOTHING for goal in goals}
    faulty = sum(one.faulty for one in sound)
    if 2 * faulty >= len(sound) and faulty:
        broken = Verdict.MISSED if faulty > 1 else Verdict.OPEN
        return {goal.text: _worse(broken, _judge(sound, goal, confidence)) for goal in goals}
    return {goal.text: _judge(sound, goal, confidence) for goal in goals}


def shares(trials: Sequence[Trial], goal: str) -> dict[str | None, float]:
    """Share that is as `goal` asks, of each operation over all trials that are evidence."""
    sound = [one for one in trials if not one.invalid]
    return {name: _pooled(samples)[0].value for name, samples in _by_operation(sound, goal).items()}


def unjudged(trials: Sequence[Trial], goals: Sequence[Goal]) -> list[str]:
    """Operations too rare to say anything about; they do not keep a load from passing."""
    found = set()
    for goal in goals:
        for name, samples in _by_operation(trials, goal.text).items():
            if name is not None and _is_too_rare(_pooled(samples)[0]):
                found.add(name)
    return sorted(found)


def _is_too_rare(share: Ratio) -> bool:
    return share.count < FEWEST and share.value == 1


def _judge(trials: Sequence[Trial], goal: Goal, confidence: float) -> Verdict:
    operations = _by_operation(trials, goal.text)
    if not operations:
        # Not one operation ended in the steady state: the service hangs. Where others did, the goal's own
        # is rare.
        ended = any(samples for one in trials for samples in one.samples.values())
        return Verdict.OPEN if ended else Verdict.MISSED
    wrong = (1 - confidence) / len(operations)
    each = {_operation(samples, goal, confidence, 1 - wrong) for samples in operations.values()}
    if each == {Verdict.NOTHING}:
        return Verdict.FEW
    return next((one for one in (Verdict.MISSED, Verdict.OPEN, Verdict.FEW) if one in each), Verdict.MET)


def _operation(samples: Sequence[Sample], goal: Goal, passing: float, failing: float) -> Verdict:
    """Its own verdict; `FEW` where more of the same would decide, `NOTHING` where it is too rare for that."""
    share, response = _pooled(samples)
    found = Verdict(share_verdict(share, response, samples[0].limit_s, goal.least, passing, failing))
    if found is not Verdict.OPEN or not _wants_more(share, response, samples[0].limit_s, goal.least):
        return found
    return Verdict.NOTHING if _is_too_rare(share) else Verdict.FEW


def _wants_more(share: Ratio, response: Histogram, limit_s: float, least: float) -> bool:
    """Whether all that came is as the goal asks, and by the spread of its times nearly all would be."""
    if share.value < 1 or response.count < FEWEST:
        return share.value == 1
    mean, deviation = response.log_moments()
    room = math.log(limit_s) - mean
    return room > 0 and (not deviation or NormalDist().cdf(room / deviation) >= least)


def _pooled(samples: Sequence[Sample]) -> tuple[Ratio, Histogram]:
    share = ratio(
        np.concatenate([sample.good for sample in samples]),
        np.concatenate([sample.count for sample in samples]),
    )
    values = np.concatenate([sample.response.values_us for sample in samples])
    return share, Histogram(values, np.concatenate([sample.response.counts for sample in samples]))


def _by_operation(trials: Sequence[Trial], goal: str) -> dict[str | None, list[Sample]]:
    found: dict[str | None, list[Sample]] = {}
    for one in trials:
        for sample in one.samples[goal]:
            found.setdefault(sample.operation, []).append(sample)
    return found


def _samples(goal: Goal, measurement: Measurement) -> list[Sample]:
    found = [_sample(part, goal.window_s) for part in parts_of(goal, measurement)]
    return [sample for sample in found if sample]


def _sample(part: Part, window_s: float | None) -> Sample | None:
    window = part.worst(window_s)
    if window is None:
        return None
    return Sample(part.operation, part.limit_s, part.count[window], part.good[window], part.times)


def _better(one: Verdict, other: Verdict) -> Verdict:
    return Verdict.MET if other is Verdict.MET else one


def _worse(one: Verdict, other: Verdict) -> Verdict:
    order = (Verdict.MET, Verdict.FEW, Verdict.OPEN, Verdict.MISSED)
    return max(one, other, key=order.index)
