"""What each input alone would change: the plan at both ends of its interval, everything else as stated."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from loadstone.parallel import Parallel
from loadstone.plan.candidate import Candidate, cheapest_only
from loadstone.plan.estimate import Estimate
from loadstone.plan.inputs import Inputs
from loadstone.plan.part import Values, base

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


_Case = tuple[Inputs, Values]


@dataclass(frozen=True)
class _WhatIf:
    """A bar that is not drawn yet: inputs and values at both ends (None: that end makes no sense)."""

    name: str
    low: str
    high: str
    assumed: bool
    ends: tuple[_Case | None, _Case | None]


def tornado(inputs: Inputs, parallel: Parallel) -> list[Bar]:
    """A bar for every input, the widest first."""
    stated = base(inputs)
    ways = [way for tier in inputs.tiers for way in tier.ways]
    asked = [_users(inputs, stated)]
    for at in range(len(inputs.tiers)):
        asked += [_per_node(inputs, stated, at), _crash(inputs, stated, at)]
    less, more = (replace(stated, failover_factor=factor) for factor in (1 / ASSUMED, ASSUMED))
    asked.append(_mean_time(inputs, "failover time", less, more))
    if any(way.repair_s and not way.endless for way in ways):
        less, more = (replace(stated, repair_factor=factor) for factor in (1 / ASSUMED, ASSUMED))
        asked.append(_mean_time(inputs, "repair time", less, more))
        if inputs.crews:
            asked.append(_crews(inputs, stated, inputs.crews))
    asked.append(_target(inputs, stated))
    if inputs.shock:
        asked.append(_shock(inputs, stated, inputs.shock))
    plans = parallel(lambda case: case and cheapest_only(*case), [case for one in asked for case in one.ends])
    bars = [
        Bar(one.name, one.low, one.high, one.assumed, *plans[2 * number : 2 * number + 2])
        for number, one in enumerate(asked)
    ]
    return sorted(bars, key=lambda bar: bar.swing, reverse=True)


def _users(inputs: Inputs, stated: Values) -> _WhatIf:
    ends = _ends(inputs.users)
    cases = [(inputs, replace(stated, users=end)) for end in ends]
    return _WhatIf(
        "users", _count(ends[0]), _count(ends[1]), not inputs.users.uncertain, (cases[0], cases[1])
    )


def _per_node(inputs: Inputs, stated: Values, at: int) -> _WhatIf:
    tier = inputs.tiers[at]
    ends = _ends(tier.per_node)
    cases = [(inputs, replace(stated, per_node=_with(stated.per_node, at, end))) for end in ends]
    return _WhatIf(
        tier.said("users a node holds"), _count(ends[0]), _count(ends[1]), not tier.per_node.uncertain,
        (cases[0], cases[1]),
    )  # fmt: skip


def _ends(estimate: Estimate) -> tuple[float, float]:
    if estimate.uncertain:
        return estimate.end("low"), estimate.end("high")
    return estimate.value / ASSUMED, estimate.value * ASSUMED


def _count(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.4g}"


def _with(all_: tuple[float, ...], at: int, value: float) -> tuple[float, ...]:
    return (*all_[:at], value, *all_[at + 1 :])


def _crash(inputs: Inputs, stated: Values, at: int) -> _WhatIf:
    """Of all ways of a tier together: each at the end of its own interval."""
    tier = inputs.tiers[at]
    name, first = tier.said("crashes of a node"), tier.ways[0].crash
    if all(way.crash.uncertain for way in tier.ways):
        low, high = (f"{rate * inputs.year_s:.3g}/year" for rate in (first.end("low"), first.end("high")))
        cases = [(inputs, replace(stated, crash_z=_with(stated.crash_z, at, z))) for z in (-_END, _END)]
        return _WhatIf(name, low, high, False, (cases[0], cases[1]))
    cases = [(_crashing(inputs, at, factor), stated) for factor in (1 / ASSUMED, ASSUMED)]
    return _WhatIf(name, "half", "double", True, (cases[0], cases[1]))


def _crashing(inputs: Inputs, at: int, factor: float) -> Inputs:
    tier = inputs.tiers[at]
    ways = tuple(replace(way, crash=way.crash.times(factor)) for way in tier.ways)
    tiers = (*inputs.tiers[:at], replace(tier, ways=ways), *inputs.tiers[at + 1 :])
    return replace(inputs, tiers=tiers)


def _crews(inputs: Inputs, stated: Values, crews: int) -> _WhatIf:
    counts = (max(1, crews - 1), crews + 1)
    cases = [(replace(inputs, crews=count), stated) for count in counts]
    return _WhatIf("crews", str(counts[0]), str(counts[1]), True, (cases[0], cases[1]))


def _mean_time(inputs: Inputs, name: str, half: Values, double: Values) -> _WhatIf:
    return _WhatIf(name, "half", "double", True, ((inputs, half), (inputs, double)))


def _target(inputs: Inputs, stated: Values) -> _WhatIf:
    """A nine less and a nine more."""
    less, more = (1 - (1 - inputs.availability) * factor for factor in (10, Fraction(1, 10)))
    ends = [(replace(inputs, availability=target), stated) if target > 0 else None for target in (less, more)]
    return _WhatIf("availability asked for", "a nine less", "a nine more", True, (ends[0], ends[1]))


def _shock(inputs: Inputs, stated: Values, shock: tuple[float, float]) -> _WhatIf:
    rate, share = shock
    cases = [(replace(inputs, shock=(rate * factor, share)), stated) for factor in (1 / ASSUMED, ASSUMED)]
    return _WhatIf("common cause", "half as often", "twice as often", True, (cases[0], cases[1]))
