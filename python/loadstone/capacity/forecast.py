"""How long a search takes: as expected, at worst, and from where it stands."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, replace

from loadstone.capacity.recovery import Recovery
from loadstone.capacity.search import Bracket, Limits, Search, Verdict
from loadstone.measure import Job

START_S = 2.0
"""To reset the service and to start it, until a run has shown how long that takes."""


@dataclass(frozen=True)
class Lengths:
    """Of one run of the search and of one probe, seconds; 0 where there are no probes."""

    run_s: float
    probe_s: float = 0.0
    recovery_s: float = 0.0
    """At most, between two of them."""


@dataclass(frozen=True)
class Forecast:
    """Seconds from now on."""

    expected_s: float
    """If no run has to be repeated."""
    worst_s: float
    """If the search needs all the runs that it may make, and the service long to recover from each."""


def lengths(job: Job, probe: Job | None = None) -> Lengths:
    """Of the runs that `job` makes, and of the probes that `probe` makes."""
    return Lengths(_length_s(job), _length_s(probe) if probe else 0.0, Recovery(job).most_s)


def _length_s(job: Job) -> float:
    load = job.scenario.file.load
    return START_S + load.ramp_up_s + load.steady_s + load.ramp_down_s


def forecast(limits: Limits, lengths: Lengths) -> Forecast:
    """Of a search that has not begun.

    The capacity is taken to lie in the middle of the range, by ratio: half of the doublings lead there, in
    probes if there are any.
    """
    limits = replace(limits, only=())  # whatever they are called: of several the first decides most
    doublings = math.log2(limits.most / limits.first)
    middle = round(math.sqrt(limits.first * limits.most))
    worst_run_s = lengths.run_s + lengths.recovery_s
    if not lengths.probe_s:
        runs = runs_left(Search(["capacity"], limits), middle)
        return Forecast(runs * lengths.run_s, limits.runs * worst_run_s)
    runs = runs_left(Search(["capacity"], limits.near(middle)))
    likely, most = math.ceil(doublings / 2) + 2, math.ceil(doublings) + 1
    return Forecast(
        min(likely, most) * lengths.probe_s + runs * lengths.run_s,
        most * (lengths.probe_s + lengths.recovery_s) + limits.runs * worst_run_s,
    )


def runs_left(search: Search, capacity: int | None = None) -> int:
    """Runs that the search still needs if every run decides, and the capacity is this one or a likely one."""
    ahead = copy.deepcopy(search)
    assumed = {name: capacity or _likely(one, ahead.limits) for name, one in ahead.brackets.items()}
    runs = 0
    while (load := ahead.next()) is not None:
        answers = {name: Verdict.MET if load <= at else Verdict.MISSED for name, at in assumed.items()}
        ahead.record(load, answers)
        runs += 1
    return runs


def _likely(bracket: Bracket, limits: Limits) -> float:
    """The middle of the interval; near its end where it has only one."""
    low, high = bracket.low, bracket.high
    if low is not None and high is not None:
        return math.sqrt(low * high)
    if high is not None:
        return high / (1 + limits.tolerance) - 1
    return (low or limits.first) * (1 + limits.tolerance)
