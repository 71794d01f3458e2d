"""Sessions of a run: how many ended well, how many were lost by cause, how long they lived."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from loadstone.judge.histogram import EMPTY, Floats, Histogram
from loadstone.stages.quantiles import Quantiles
from loadstone.stages.run_operations import SessionFigures, WholeRun

QUANTILES = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p999": 0.999, "max": 1.0}


@dataclass(frozen=True)
class Tally:
    """Sessions and what became of them."""

    begun: int
    completed: int
    lost: Mapping[str, int]
    """By the cause of the failed operation that ended them."""
    dropped: int
    """Arrived in an open workload when no socket was left."""

    @property
    def unfinished(self) -> int:
        """Neither completed nor lost when the run ended."""
        return self.begun - self.completed - sum(self.lost.values())


@dataclass(frozen=True)
class Sessions:
    """What a run says of its sessions."""

    steady: Tally
    """Of those that began (in an open workload: should have arrived) in the steady state, whenever they
    ended."""
    whole: Tally
    """Of all."""
    whole_s: float
    """Length of the run, seconds."""
    completed: int
    """How many the steady state's seconds completed, whenever they began."""
    ended: int
    """The same with those that were lost."""
    ended_life_s: float
    """Sum of the lives of those, seconds."""
    waits: int
    """Answers 503 of the steady state after which a request was put off, as they asked."""
    connections: Mapping[str, int]
    """`opened`, `reopened` (by a session that had one), `closed_idle` and `closed_with_answer` (by the
    server) in the steady state."""
    whole_connections: Mapping[str, int]
    """The same of the whole run."""
    life_ms: Histogram = EMPTY
    """Milliseconds from beginning to end of completed ones of `steady`."""
    operations: Histogram = EMPTY
    """Operations in each of them."""
    arrived: Floats | None = None
    """Of an open workload: how many should have arrived in each whole second of the steady state."""
    lives_ms: Histogram = EMPTY
    """Lives of all completed ones of the whole run, milliseconds."""
    by_scenario: Mapping[str, Tally] = field(default_factory=dict)
    """`steady` of each of several scenarios."""
    longest_s: float = 0.0
    """Life that 99 % of all completed ones do not exceed, seconds."""

    @property
    def lost_share(self) -> float:
        """Lost ones among all that ended."""
        lost = sum(self.whole.lost.values())
        return lost / (lost + self.whole.completed) if lost else 0.0


def summarise_sessions(
    sessions: Sessions, steady_s: float, load: Mapping[str, Any], lived_s: Floats | None = None
) -> SessionFigures:
    """The `sessions` part of `run.json`; `load` is the plan's.

    `lived_s`: how long sessions lived in each second of the steady state, all together.
    """
    steady, whole = sessions.steady, sessions.whole
    asked = steady.begun + steady.dropped
    return SessionFigures(
        per_s=load.get("sessions_per_s"),
        arrivals=load.get("arrivals"),
        begun=steady.begun,
        completed=steady.completed,
        lost=dict(steady.lost),
        dropped=steady.dropped,
        unfinished=steady.unfinished,
        completed_share=steady.completed / asked if asked else None,
        completed_per_s=sessions.completed / steady_s if steady_s else None,
        life_s=_quantiles(sessions.life_ms, 1000),
        live_mean=float(lived_s.mean()) if lived_s is not None and len(lived_s) else None,
        operations=_quantiles(sessions.operations, 1),
        waits=sessions.waits,
        connections=dict(sessions.connections),
        whole_run=WholeRun(
            seconds=sessions.whole_s,
            begun=whole.begun,
            completed=whole.completed,
            lost=dict(whole.lost),
            dropped=whole.dropped,
            unfinished=whole.unfinished,
            completed_per_s=whole.completed / sessions.whole_s if sessions.whole_s else None,
            connections=dict(sessions.whole_connections),
        ),
    )


def _quantiles(histogram: Histogram, unit: float) -> Quantiles:
    """Mean and quantiles of values of which `unit` make one."""
    if not histogram.count:
        return Quantiles(mean=None, **dict.fromkeys(QUANTILES))
    mean = float((histogram.values_us * histogram.counts).sum()) / histogram.count
    found = {name: histogram.quantile_us(share) for name, share in QUANTILES.items()}
    return Quantiles(mean=mean / unit, **{name: (value or 0.0) / unit for name, value in found.items()})
