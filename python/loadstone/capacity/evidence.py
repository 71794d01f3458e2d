"""What the measurements at one number of users say about an SLA, and how sure that is.

An operation holds the SLA at a number of users when its share within the limit, in the long run, is at least
the SLA's. From the runs' seconds we know the share with an error:

- Seconds depend on each other, so the share's variance comes from batch means and is turned into an
  effective number of independent operations (`intervals.effective_count`).
- With that number, Wilson's interval bounds the share (with Student's t, as batches are few). It passes when
  its lower bound holds the SLA, fails when its upper bound does not, and is uncertain in between.
- A rare operation that was never late cannot pass this way: 99 % at 95 % confidence takes some 270 in
  a row. But 20 answers around 30 ms under a limit of 3 s leave no doubt either. Where no answer was late,
  the logarithm of the response times is taken as normal, and its one-sided tolerance bound decides whether
  the SLA's share of all answers would be within the limit. Near capacity response times scatter, the bound
  widens, and the operation stays uncertain until more of it has been seen.

A number of users passes when every operation does (each at the full confidence: all must hold), and fails
when one does (each at its part of it: any may fail by chance).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from loadstone.capacity.search import Verdict
from loadstone.judge import Histogram, Measurement, OperationSeries
from loadstone.judge.histogram import Floats
from loadstone.judge.intervals import Ratio, bounds, ratio, tolerance_factor
from loadstone.judge.sla import SLAS, Sla, worst_window
from loadstone.stages.capacity import Trend

FEWEST = 3
"""Answers of an operation below which not even the logarithms' spread is known."""


@dataclass(frozen=True)
class Sample:
    """One operation in one run: the seconds of its worst SLA window."""

    operation: str
    limit_s: float
    count: Floats
    within: Floats
    response: Histogram


@dataclass(frozen=True)
class Trial:
    """One run as evidence."""

    samples: Sequence[Sample]
    faulty: bool = False
    """The service broke a rule of a valid run: errors, wrong pages, operations that hung, its death."""
    invalid: bool = False
    """The load was not what was asked for: the run says nothing."""
    late: bool = False
    """The generator had to wait for a processor. Its lateness counts as the service's, so such a run can only
    look worse than the service is: it may add to what a valid run shows for an SLA, never break it."""
    trend: Trend = "steady"
    """A run in which the service still got worse does not show that an SLA holds, and one in which it still
    got better does not show that it breaks."""
    valid: bool = True
    """Whether it passed all its checks. What is said to hold an SLA has at least one such run."""


def trial(
    measurement: Measurement,
    window_s: float,
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
    samples = [_sample(operation, window_s) for operation in measurement.operations]
    found = [sample for sample in samples if sample]
    return Trial(found, faulty, invalid or (late and faulty), late, trend, valid)


def verdicts(trials: Sequence[Trial], confidence: float) -> dict[str, Verdict]:
    """What the trials at one number of users say about each SLA.

    One faulty run may be an accident, two in four are the service: then the users are too many. Without a
    valid run among them no SLA is held.
    """
    usable = [one for one in trials if not one.invalid]
    sound = [one for one in usable if not one.late]
    found = _settled_verdicts(sound, confidence)
    settled = [one for one in usable if one.trend != "worse"]
    valid, healthy = any(one.valid for one in sound), not any(one.faulty for one in sound)
    for sla in SLAS:
        if found[sla.name] is Verdict.MET and not valid:
            found[sla.name] = Verdict.OPEN
        elif found[sla.name] is Verdict.OPEN and valid and healthy and len(usable) > len(sound):
            found[sla.name] = _better(Verdict.OPEN, _judge(settled, sla, confidence))
    return found


def _settled_verdicts(sound: Sequence[Trial], confidence: float) -> dict[str, Verdict]:
    """As `_sound_verdicts`, but each run counts only for what its trend leaves in no doubt."""
    if not sound:
        return {sla.name: Verdict.NOTHING for sla in SLAS}
    holding = _sound_verdicts([one for one in sound if one.trend != "worse"], confidence)
    breaking = _sound_verdicts([one for one in sound if one.trend != "better"], confidence)
    return {sla.name: _either(holding[sla.name], breaking[sla.name]) for sla in SLAS}


def _either(holding: Verdict, breaking: Verdict) -> Verdict:
    """What holds by the ones and does not break by the others, or the reverse; else it is open."""
    if breaking is Verdict.MISSED:
        return Verdict.OPEN if holding is Verdict.MET else Verdict.MISSED
    return Verdict.MET if holding is Verdict.MET else Verdict.OPEN


def _sound_verdicts(sound: Sequence[Trial], confidence: float) -> dict[str, Verdict]:
    if not sound:
        return {sla.name: Verdict.NOTHING for sla in SLAS}
    faulty = sum(one.faulty for one in sound)
    if 2 * faulty >= len(sound) and faulty:
        broken = Verdict.MISSED if faulty > 1 else Verdict.OPEN
        return {sla.name: _worse(broken, _judge(sound, sla, confidence)) for sla in SLAS}
    return {sla.name: _judge(sound, sla, confidence) for sla in SLAS}


def shares(trials: Sequence[Trial]) -> dict[str, float]:
    """Share within the limit of each operation over all trials that are evidence."""
    sound = [one for one in trials if not one.invalid]
    return {name: _pooled(samples)[0].value for name, samples in _by_operation(sound).items()}


def unjudged(trials: Sequence[Trial]) -> list[str]:
    """Operations too rare to say anything about; they do not keep a number of users from passing."""
    found = []
    for name, samples in _by_operation(trials).items():
        share, _ = _pooled(samples)
        if share.count < FEWEST and share.value == 1:
            found.append(name)
    return found


def _judge(trials: Sequence[Trial], sla: Sla, confidence: float) -> Verdict:
    operations = _by_operation(trials)
    if not operations:
        # Not one operation ended in the steady state: the service hangs.
        return Verdict.MISSED
    wrong = (1 - confidence) / len(operations)
    each = {_operation(samples, sla, confidence, 1 - wrong) for samples in operations.values()}
    if each == {Verdict.NOTHING}:
        return Verdict.OPEN
    if Verdict.MISSED in each:
        return Verdict.MISSED
    return Verdict.OPEN if Verdict.OPEN in each else Verdict.MET


def _operation(samples: Sequence[Sample], sla: Sla, passing: float, failing: float) -> Verdict:
    """Its own verdict; `NOTHING` where it is too rare to be judged and was never late."""
    share, response = _pooled(samples)
    if bounds(share, passing)[0] >= sla.share:
        return Verdict.MET
    if bounds(share, failing)[1] < sla.share:
        return Verdict.MISSED
    if share.value < 1:
        return Verdict.OPEN
    if share.count < FEWEST:
        return Verdict.NOTHING
    mean, deviation = response.log_moments()
    bound = mean + tolerance_factor(share.count, sla.share, passing) * deviation
    return Verdict.MET if bound <= math.log(samples[0].limit_s) else Verdict.OPEN


def _pooled(samples: Sequence[Sample]) -> tuple[Ratio, Histogram]:
    share = ratio(
        np.concatenate([sample.within for sample in samples]),
        np.concatenate([sample.count for sample in samples]),
    )
    values = np.concatenate([sample.response.values_us for sample in samples])
    return share, Histogram(values, np.concatenate([sample.response.counts for sample in samples]))


def _by_operation(trials: Sequence[Trial]) -> dict[str, list[Sample]]:
    found: dict[str, list[Sample]] = {}
    for one in trials:
        for sample in one.samples:
            found.setdefault(sample.operation, []).append(sample)
    return found


def _sample(operation: OperationSeries, window_s: float) -> Sample | None:
    window = worst_window(operation, window_s)
    if window is None:
        return None
    count, within = operation.count[window.span], operation.within[window.span]
    return Sample(operation.name, operation.limit_s, count, within, operation.response)


def _better(one: Verdict, other: Verdict) -> Verdict:
    return Verdict.MET if other is Verdict.MET else one


def _worse(one: Verdict, other: Verdict) -> Verdict:
    order = (Verdict.MET, Verdict.OPEN, Verdict.MISSED)
    return max(one, other, key=order.index)
