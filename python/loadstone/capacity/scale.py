"""What a search has measured of how throughput grows with users."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from loadstone.capacity.steadiness import Steadiness
from loadstone.judge.scaling import Errors, scaling
from loadstone.stages.capacity import ProbeRun
from loadstone.stages.run import Run
from loadstone.stages.scaling import Scaling, ScalingPoint

UNIT = "operations/s"


class Scaled:
    """The points of the law: valid runs that had settled, and probes that held SLA-1."""

    def __init__(self, probes: Sequence[ProbeRun]) -> None:
        """A probe is short, and after the capacity it says more of its queue than of the service."""
        self._short = [
            ScalingPoint(load=one.load, per_s=one.per_s, short=True)
            for one in probes
            if one.held and one.per_s
        ]
        self._runs: list[tuple[ScalingPoint, Steadiness]] = []

    def add(self, load: float, result: Run, steady: Steadiness) -> None:
        """One more run of the search, if it shows a throughput that stays."""
        per_s = result.throughput_ops_per_s
        if result.validity.state == "valid" and per_s and steady.trend in ("steady", "unknown"):
            self._runs.append((ScalingPoint(load=load, per_s=per_s), steady))

    def forget(self, load: float) -> None:
        """Something else disturbed the runs at this load."""
        self._runs = [one for one in self._runs if one[0].load != load]

    def law(self) -> Scaling:
        """As far as the points say."""
        points = [*self._short, *(point for point, _ in self._runs)]
        return scaling(points, "users", UNIT, _errors([steady for _, steady in self._runs]))


def _errors(found: Sequence[Steadiness]) -> Errors | None:
    """Of a run's mean, by how its windows differ, of all runs together."""
    squares, freedom = 0.0, 0
    for rates in (one.rate_per_s for one in found):
        if len(rates) > 1 and (middle := statistics.fmean(rates)):
            squares += (len(rates) - 1) * statistics.variance(rates) / len(rates) / middle**2
            freedom += len(rates) - 1
    return Errors((squares / freedom) ** 0.5, float(freedom)) if freedom else None
