"""What the charts show, computed here as the report only formats: axes, densities, points to draw."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from loadstone.probe.estimate import box, density, rounded
from loadstone.stages.probe import Axis, Box, Drawn, Picture, Steps

_WIDE = 8.0
"""Medians that differ by more get a logarithmic axis: on a linear one the smaller would be a line at 0."""
_POINTS = 40
"""Most points drawn beyond a whisker; of more, a sample at even ranks, always with both ends."""


def round_trips(samples: Mapping[str, Mapping[str, Sequence[float]]]) -> Picture:
    """Boxes and densities of the samples of all groups (by group, then by way of measuring) on one axis."""
    known = {
        group: {way: list(values) for way, values in ways.items() if values}
        for group, ways in samples.items()
    }
    boxes = {(g, w): box(values) for g, ways in known.items() for w, values in ways.items()}
    found = [one for one in boxes.values() if one]
    if not found:
        return Picture(axis=None, groups={})
    medians = [one.median for one in found if one.median > 0]
    log = bool(medians) and max(medians) > _WIDE * min(medians)
    low = 0.75 * min(one.low for one in found if one.low > 0) if log else 0.0
    high = max(one.high for one in found) * (1.3 if log else 1.08)
    return Picture(
        axis=Axis(log=log, low_ms=low, high_ms=high),
        groups={
            group: {way: _drawn(values, log, low, high) for way, values in ways.items()}
            for group, ways in known.items()
        },
    )


def steps(values: Sequence[float]) -> Steps | None:
    """The density of one group's differences, on an axis of its own; None where there is no spread."""
    found = box(values)
    if found is None or found.low == found.high:
        return None
    most = 1.15 * max(abs(found.low), abs(found.high))
    curve = density(values, -most, most)
    if curve is None:
        return None
    beyond = sum(abs(value) > most for value in values)
    return Steps(
        high_ms=most,
        at_ms=rounded(curve.at),
        density=rounded(curve.share_per_unit),
        beyond=beyond,
        values=len(values),
    )


def _drawn(values: Sequence[float], log: bool, low: float, high: float) -> Drawn:
    found = box(values)
    assert found
    shown = [value for value in found.outside if low <= value <= high]
    if log:
        curve = density(
            [math.log10(value) for value in values if value > 0], math.log10(low), math.log10(high)
        )
        at = [10**x for x in curve.at] if curve else []
    else:
        curve = density(values, low, high)
        at = list(curve.at) if curve else []
    picked = np.unique(np.linspace(0, len(shown) - 1, min(_POINTS, len(shown))).astype(int))
    return Drawn(
        values=len(values),
        box_ms=Box(low=found.low, q1=found.q1, median=found.median, q3=found.q3, high=found.high),
        outside=len(found.outside),
        beyond_axis=len([value for value in values if not low <= value <= high]),
        points_ms=rounded(shown[index] for index in picked),
        at_ms=rounded(at),
        density=rounded(curve.share_per_unit) if curve else [],
    )
