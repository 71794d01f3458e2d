"""Whether measured points tell how a service scales, and the law that they tell. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from loadstone.judge.estimates import CONFIDENCE
from loadstone.judge.histogram import Floats
from loadstone.judge.usl import Ends, Fit
from loadstone.stages.scaling import Counted, CurvePoint, Estimated, Farthest, Scaling, ScalingPoint

FEWEST = 3
"""Different loads: as many as the law has coefficients."""
SPAN = 2.0
"""The most load by the least, at least: nearer loads show no curve."""
MOST_OFF = 0.2
"""A point farther from the law contradicts it, or the other points."""
MOST_SPREAD = 0.1
"""The same, of the points' distances on the whole."""
_BEYOND: dict[Counted, float] = {"users": 1.5, "machines": 2.0}
"""The law is told up to so many times the most that was measured."""
_BENT = 0.75
"""Of what users would do who never wait, the most that users in sum do where the curve has bent.

Users who think between operations do so in proportion up to near the capacity, and then the curve bends more
sharply than the law's: before the bend is seen, the law says nothing of where it lies.
"""
_DRAWN = 24
"""Points of the curve."""
_TENDENCY = 0.001
"""Shares of the greatest throughput: a fall by less is none."""


@dataclass(frozen=True)
class Errors:
    """What the measurements say themselves of their errors."""

    relative: float
    """Standard error of one throughput, a share of it."""
    freedom: float
    """Degrees of freedom behind it."""


def scaling(
    points: Sequence[ScalingPoint],
    counted: Counted,
    unit: str,
    errors: Errors | None = None,
    confidence: float = CONFIDENCE,
) -> Scaling:
    """The law of `points` with profile-likelihood intervals, or the reason why there is none.

    A coefficient's interval has all values with which some law is so near to the points that an F test at
    this confidence does not tell it from the nearest. The error of a point is the greater one of what the
    points' distances from the law show and of `errors`; so a law that fits badly has wide intervals.
    """
    ordered = sorted(points, key=lambda point: (point.load, point.per_s))
    empty = Scaling(counted=counted, unit=unit, points=ordered, confidence=confidence)
    why = _too_little(ordered, counted)
    if why:
        return empty.model_copy(update={"refused": why})
    fit = Fit(np.array([float(one.load) for one in ordered]), np.array([float(one.per_s) for one in ordered]))
    slack = _slack(fit, errors, confidence)
    why = _contradiction(fit, counted)
    if slack is None:
        why = why or (
            f"{len(ordered)} points determine the law and leave nothing that says how sure it is: measure at "
            "one more, or repeat one"
        )
    if why or slack is None:
        return empty.model_copy(update={"refused": why})
    return _fitted(empty, fit, slack)


def _too_little(points: Sequence[ScalingPoint], counted: Counted) -> str | None:
    loads = sorted({float(point.load) for point in points})
    if len(loads) < FEWEST:
        were = "was" if len(loads) == 1 else "were"
        return f"it takes {FEWEST} different numbers of {counted}, and {len(loads)} {were} measured"
    if loads[-1] < SPAN * loads[0]:
        return (
            f"{loads[0]:,.6g} to {loads[-1]:,.6g} {counted} lie too near to each other to show a curve: the "
            f"most must be {SPAN:g} times the least"
        )
    return None


def _farthest(off: Floats) -> int:
    """The point that lies farthest from the law. Of points on it the first: what is left of distances is the
    processor's rounding.
    """
    return int(np.abs(off.round(9)).argmax())


def _contradiction(fit: Fit, counted: Counted) -> str | None:
    """Points that no law of this kind comes near to."""
    off = fit.distances()
    worst = _farthest(off)
    spread = math.sqrt(float((off**2).sum()) / max(1, fit.freedom))
    if abs(off[worst]) <= MOST_OFF and spread <= MOST_SPREAD:
        return None
    way = "more" if off[worst] > 0 else "less"
    return (
        f"the points contradict the law or each other: with {fit.loads[worst]:,.6g} {counted} the throughput "
        f"was {abs(off[worst]):.0%} {way} than the nearest law says"
    )


def _slack(fit: Fit, errors: Errors | None, confidence: float) -> float | None:
    """By how much the squares may grow; None where nothing says how exact the points are."""
    known = []
    if fit.freedom > 0:
        known.append((fit.squares / fit.freedom, float(fit.freedom)))
    if errors and errors.freedom > 0:
        known.append((errors.relative**2, errors.freedom))
    if not known:
        return None
    variance, freedom = max(known)
    return variance * float(stats.f.ppf(confidence, 1, freedom))


def _fitted(empty: Scaling, fit: Fit, slack: float) -> Scaling:
    law, most = fit.law, float(fit.loads.max())
    straight = empty.counted == "users" and law.throughput(most) > _BENT * law.one * most
    end = most if straight else math.floor(_BEYOND[empty.counted] * most)
    off = fit.distances()
    worst = _farthest(off)
    peak = law.peak
    # A peak so flat that the curve does not tell it from a level is none to speak of.
    shown = peak and peak < end and law.throughput(end) < (1 - _TENDENCY) * law.throughput(peak)
    return empty.model_copy(
        update={
            "alone": _interval(law.one, fit.throughput(1.0, slack)),
            "contention": _interval(law.contention, fit.contention(slack)),
            "coherency": _interval(law.coherency, fit.coherency(slack)),
            "peak": _interval(peak, fit.peak(slack)) if shown and peak else None,
            "peak_extrapolated": bool(shown and peak and peak > most),
            "straight": straight,
            "farthest": Farthest(load=float(fit.loads[worst]), error=float(off[worst])),
            "curve": [
                CurvePoint(
                    load=load,
                    value=law.throughput(load),
                    low=ends[0],
                    high=ends[1],
                    extrapolated=load > most,
                )
                for load in _drawn(float(fit.loads.min()), most, end)
                for ends in [fit.throughput(load, slack)]
            ],
        }
    )


def _interval(value: float, ends: Ends) -> Estimated:
    # An end is found but for a hundred-thousandth.
    low, high = ends
    return Estimated(value=value, low=min(low, value), high=None if high is None else max(high, value))


def _drawn(least: float, most: float, end: float) -> list[float]:
    """Whole numbers, evenly from the least to the end; `most` is one of them."""
    if end - least < _DRAWN:
        return [float(load) for load in range(math.ceil(least), math.floor(end) + 1)]
    even = np.linspace(least, end, _DRAWN).round()
    return sorted({float(load) for load in even} | {most})
