"""Advice on length: how long a run takes to show of each operation what SLA-2 asks of it."""

from __future__ import annotations

import math

from loadstone.judge.measurement import Measurement, Rules


def advice(measurement: Measurement, rules: Rules, needed: int, percent: int) -> str:
    """One sentence for a run of at least one operation that has fewer than `needed` of some operation.

    Of an operation that did not come at all, its share of the mix says how often it would.
    """
    each = f"{percent} % of an operation show in {needed} of it"
    rates = {
        operation.name: _rate(operation.name, measurement, rules) for operation in measurement.operations
    }
    rarest = min(rates, key=rates.__getitem__)
    if not rates[rarest]:
        return f"{each}: a longer steady state or more users give more operations"
    if rules.plan["load"].get("operations"):
        all_of_them = rounded_up(needed * measurement.count / (rates[rarest] * measurement.steady_s))
        how = f"a run of about {all_of_them:,} (--set load.operations={all_of_them})"
    else:
        seconds = rounded_up(needed / rates[rarest])
        how = f"a steady state of about {seconds:,} s (--window {seconds})"
    return f"{each}: {how} has so many of {rarest}, the rarest; more users are another way"


def _rate(name: str, measurement: Measurement, rules: Rules) -> float:
    """How often the operation comes, a second; 0 where nothing says it."""
    [operation] = [one for one in measurement.operations if one.name == name]
    seen = float(operation.count.sum()) or measurement.count * rules.mix.get(name, 0.0)
    return seen / measurement.steady_s


def rounded_up(amount: float) -> int:
    """To two digits, and at least to a whole number.

    >>> rounded_up(412.3), rounded_up(8.2), rounded_up(12_001), rounded_up(100)
    (420, 9, 13000, 100)
    """
    step: int = 10 ** max(0, math.floor(math.log10(amount)) - 1)
    return math.ceil(amount / step) * step
