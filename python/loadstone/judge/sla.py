"""The SLAs: 90 % and 99 % of each operation within its limit in every window of five minutes.

Source: Cloudstone, section 4.1. "Any 5-minute window" is taken at its word: windows slide by one second.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from loadstone.judge.histogram import Floats
from loadstone.judge.measurement import Measurement, OperationSeries, Rules
from loadstone.stages.run import SlaFigures

WINDOW_S = 300
RAMP_UP_S = 150
ACCOUNTS = 1000
"""What the rules of Cloudstone ask for: the window, U = log10(accounts) >= 3, and a ramp-up long enough that
the mix of logged-in users has settled."""


@dataclass(frozen=True)
class Sla:
    """At least `percent` of each operation within its limit."""

    name: str
    percent: int

    @property
    def share(self) -> float:
        """The same as a share."""
        return self.percent / 100


SLAS = (Sla("SLA-1", 90), Sla("SLA-2", 99))


@dataclass(frozen=True)
class Window:
    """One window of one operation; `at` and `seconds` say which elements of the series it holds."""

    operation: str
    at: int
    seconds: int
    share: float

    @property
    def span(self) -> slice:
        """The window's part of the series."""
        return slice(self.at, self.at + self.seconds)


def worst_window(operation: OperationSeries, window_s: float) -> Window | None:
    """The window with the least share within the limit, the earliest of several; None without operations.

    A steady state shorter than the window is one window. A window without operations judges nothing.
    """
    span = worst_at(operation.within, operation.count, window_s)
    if span is None:
        return None
    share = float(operation.within[span].sum() / operation.count[span].sum())
    return Window(operation.name, span.start, span.stop - span.start, share)


def worst_at(good: Floats, count: Floats, window_s: float) -> slice | None:
    """The window with the least share of what is good, the earliest of several; None without anything.

    Both series have one element a second. A series shorter than the window is one window.
    """
    seconds = min(len(good), max(1, round(window_s)))
    if not seconds:
        return None
    goods, counts = _sliding(good, seconds), _sliding(count, seconds)
    shares = np.divide(goods, counts, out=np.full(len(counts), np.inf), where=counts > 0)
    at = int(np.argmin(shares))
    return None if math.isinf(shares[at]) else slice(at, at + seconds)


def judge_sla(measurement: Measurement, rules: Rules) -> SlaFigures:
    """The `sla` part of `run.json`: the rules by which the SLAs were judged."""
    seconds = len(measurement.users)
    return SlaFigures(
        window_s=rules.sla_window_s,
        compliant=compliant(rules, measurement.steady_s),
        windows=max(1, seconds - round(rules.sla_window_s) + 1) if seconds else 0,
    )


def compliant(rules: Rules, steady_s: float) -> bool | None:
    """Whether a run follows the rules that its scenario claims; None where it claims none."""
    return None if rules.claimed is None else not departures(rules, steady_s)


def departures(rules: Rules, steady_s: float) -> list[str]:
    """Departures of a run from the rules that make figures comparable; empty for a compliant run.

    Only a scenario that claims the rules can depart from them.
    """
    if rules.claimed is None:
        return []
    found = []
    load = rules.plan["load"]
    if rules.sla_window_s < WINDOW_S:
        found.append(f"short window ({rules.sla_window_s:g} s instead of {WINDOW_S} s)")
    elif steady_s < rules.sla_window_s:
        found.append(f"short steady state ({steady_s:g} s instead of {rules.sla_window_s:g} s)")
    if load["ramp_up_s"] < RAMP_UP_S:
        found.append(f"short ramp-up ({load['ramp_up_s']:g} s instead of {RAMP_UP_S} s)")
    if rules.accounts is None:
        found.append("unknown number of accounts (`accounts` is not in [data])")
    elif rules.accounts < ACCOUNTS:
        found.append(f"few accounts ({rules.accounts} instead of {ACCOUNTS}: U = log10(accounts) is under 3)")
    return found


def _sliding(series: Floats, seconds: int) -> Floats:
    total: Floats = np.concatenate([[0.0], np.cumsum(series)])
    return total[seconds:] - total[:-seconds]
