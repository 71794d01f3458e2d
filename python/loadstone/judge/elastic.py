"""Servers that came and went in a run: how many there were, the SLA meanwhile, and machine-hours. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from loadstone.judge.measurement import Measurement
from loadstone.judge.sla import SLAS
from loadstone.stages.run_elasticity import Elasticity, Judged, Serving, Started

CHANGES = ("servers", "server-added", "server-removed")
"""Kinds of events, the first of which begins."""

_HOUR_S = 3600.0


def elasticity(
    events: Sequence[Mapping[str, Any]], measurement: Measurement, window_s: float, length_s: float
) -> Elasticity | None:
    """What the events of a run of `length_s` seconds say of its servers; None where none came and went."""
    told = [event for event in events if event["kind"] in CHANGES]
    if not told or told[0]["kind"] != CHANGES[0]:
        return None
    first = told[0]
    serving = [Serving(at_s=one["at_s"], servers=one["servers"]) for one in told]
    spent_s, fixed_s = spent(told, length_s), first["most"] * length_s
    return Elasticity(
        service=first["service"],
        policy=first["policy"],
        least=first["least"],
        most=first["most"],
        servers=serving,
        started=[
            Started(
                host=one["host"],
                asked_s=one["asked_s"],
                serving_s=one["at_s"],
                start_s=one.get("start_s"),
            )
            for one in told
            if one["kind"] == "server-added"
        ],
        removed=sum(one["kind"] == "server-removed" for one in told),
        windows=_windows(measurement, serving, window_s),
        machine_h=spent_s / _HOUR_S,
        fixed_machine_h=fixed_s / _HOUR_S,
        saved_share=1 - spent_s / fixed_s if fixed_s else 0.0,
    )


def spent(told: Sequence[Mapping[str, Any]], length_s: float) -> float:
    """Seconds of servers: one costs from when it is asked for until it has ended.

    >>> added = {"kind": "server-added", "asked_s": 10.0, "at_s": 14.0}
    >>> spent([{"kind": "servers", "servers": 1}, added, {"kind": "server-removed", "at_s": 40.0}], 60)
    90.0
    """
    total = told[0]["servers"] * length_s
    for one in told[1:]:
        if one["kind"] == "server-added":
            total += max(0.0, length_s - one["asked_s"])
        else:
            total -= max(0.0, length_s - one["at_s"])
    return float(total)


def mean_serving(serving: Sequence[Serving], start_s: float, end_s: float) -> float:
    """The mean number of servers between two times.

    >>> mean_serving([Serving(at_s=0, servers=1), Serving(at_s=15, servers=3)], 10, 20)
    2.0
    """
    total = 0.0
    ends = [*(one.at_s for one in serving[1:]), float("inf")]
    for one, end in zip(serving, ends, strict=True):
        total += one.servers * max(0.0, min(end, end_s) - max(one.at_s, start_s))
    return total / (end_s - start_s)


def _windows(measurement: Measurement, serving: Sequence[Serving], window_s: float) -> list[Judged]:
    """Windows side by side; the last one is longer where what is left is less than half of one."""
    seconds, width = len(measurement.users), max(1, round(window_s))
    starts = [at for at in range(0, seconds, width) if seconds - at >= width / 2 or at == 0]
    return [
        _window(measurement, serving, start, end)
        for start, end in zip(starts, [*starts[1:], seconds], strict=True)
    ]


def _window(measurement: Measurement, serving: Sequence[Serving], start: int, end: int) -> Judged:
    span = slice(start, end)
    within: dict[str, float | None] = {}
    for one in measurement.operations:
        count = float(one.count[span].sum())
        within[one.name] = float(one.within[span].sum()) / count if count else None
    shares = [share for share in within.values() if share is not None]
    at_s = measurement.start_s
    return Judged(
        start_s=at_s + start,
        end_s=at_s + end,
        users=float(np.mean(measurement.users[span])),
        servers=mean_serving(serving, at_s + start, at_s + end),
        within=within,
        kept={sla.name: min(shares) >= sla.share if shares else None for sla in SLAS},
    )
