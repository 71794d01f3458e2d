"""What each input alone would change: the plan at both ends of its interval, everything else as stated."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from loadstone.plan.candidate import Candidate, Values, base, cheapest_only
from loadstone.plan.estimate import Estimate
from loadstone.plan.read import Inputs

ASSUMED = 2.0
"""An input without an interval is halved and doubled: a what-if, not an uncertainty."""
_END = 1.959963984540054


@dataclass(frozen=True)
class Bar:
    """One input: what it is at both ends, and the cheapest plan there (None: none meets the targets)."""

    name: str
    low: str
    high: str
    assumed: bool
    at_low: Candidate | None
    at_high: Candidate | None

    @property
    def swing(self) -> float:
        """Dollars a month between the two plans; infinite when there is none at an end."""
        if self.at_low is None or self.at_high is None:
            return float("inf")
        return abs(self.at_high.usd_per_month - self.at_low.usd_per_month)


def tornado(inputs: Inputs) -> list[Bar]:
    """A bar for every input, the widest first."""
    stated = base(inputs)
    bars = [
        _estimated(inputs, stated, "users", inputs.users, "users"),
        _estimated(inputs, stated, "users a node holds", inputs.per_node, "per_node"),
        _crash(inputs, stated),
        _factor(inputs, stated, "failover time", "failover_factor"),
    ]
    if any(way.repair_s and not way.endless for way in inputs.ways):
        bars.append(_factor(inputs, stated, "repair time", "repair_factor"))
    bars.append(_target(inputs, stated))
    if inputs.shock:
        bars.append(_shock(inputs, stated, inputs.shock))
    return sorted(bars, key=lambda bar: bar.swing, reverse=True)


def _plan(inputs: Inputs, values: Values) -> Candidate | None:
    return cheapest_only(inputs, values)


def _estimated(inputs: Inputs, stated: Values, name: str, estimate: Estimate, field: str) -> Bar:
    ends = (
        (estimate.end("low"), estimate.end("high"))
        if estimate.uncertain
        else (estimate.value / ASSUMED, estimate.value * ASSUMED)
    )
    plans = [_plan(inputs, replace(stated, **{field: end})) for end in ends]
    return Bar(name, f"{ends[0]:,.4g}", f"{ends[1]:,.4g}", not estimate.uncertain, *plans)


def _crash(inputs: Inputs, stated: Values) -> Bar:
    """Of all ways together: each at the end of its own interval."""
    if all(way.crash.uncertain for way in inputs.ways):
        first = inputs.ways[0].crash
        low, high = (f"{rate * inputs.year_s:.3g}/year" for rate in (first.end("low"), first.end("high")))
        plans = [_plan(inputs, replace(stated, crash_z=z)) for z in (-_END, _END)]
        return Bar("crashes of a node", low, high, False, *plans)
    return _factor(inputs, stated, "crashes of a node", "crash_factor")


def _factor(inputs: Inputs, stated: Values, name: str, field: str) -> Bar:
    plans = [_plan(inputs, replace(stated, **{field: factor})) for factor in (1 / ASSUMED, ASSUMED)]
    return Bar(name, "half", "double", True, *plans)


def _target(inputs: Inputs, stated: Values) -> Bar:
    """A nine less and a nine more."""
    less, more = (1 - (1 - inputs.availability) * factor for factor in (10, Fraction(1, 10)))
    plans = [
        _plan(replace(inputs, availability=target), stated) if target > 0 else None for target in (less, more)
    ]
    return Bar("availability asked for", "a nine less", "a nine more", True, *plans)


def _shock(inputs: Inputs, stated: Values, shock: tuple[float, float]) -> Bar:
    rate, share = shock
    plans = [
        _plan(replace(inputs, shock=(rate * factor, share)), stated) for factor in (1 / ASSUMED, ASSUMED)
    ]
    return Bar("common cause", "half as often", "twice as often", True, *plans)
