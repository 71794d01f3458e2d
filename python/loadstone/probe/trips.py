"""Round trips of one pair or of a group: from the lines of a probe to what is said of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from loadstone.probe.estimate import (
    differences,
    mean_of,
    rounds_differ,
    share_of,
    smoothed_jitter,
)
from loadstone.stages.probe import IcmpTrips, Jitter, Loss, TcpTrips, Trips

Entry = dict[str, Any]
Sample = tuple[int, list[float]]
"""The round, and the round trips in it, ms."""


def icmp_trips(entries: Sequence[Entry]) -> IcmpTrips | None:
    """What the pings saw; None without any. An entry is a line of kind `icmp`, or its `under_load`."""
    samples = [(entry["round"], [ms for _, ms in entry["replies"]]) for entry in entries]
    sent = sum(entry["sent"] for entry in entries)
    found = trips(samples, sent)
    return IcmpTrips(**dict(found), duplicates=sum(e["duplicates"] for e in entries)) if found else None


def tcp_trips(entries: Sequence[Entry]) -> TcpTrips | None:
    """What the connections saw; None without any. Entries are lines of kind `tcp`."""
    samples = [(entry["round"], [ms for ms in entry["times_ms"] if ms is not None]) for entry in entries]
    found = trips(samples, sum(len(entry["times_ms"]) for entry in entries))
    if not found:
        return None
    return TcpTrips(
        **dict(found),
        ports=sorted({entry["port"] for entry in entries}),
        accepted=sum(entry["accepted"] for entry in entries),
        refused=sum(entry["refused"] for entry in entries),
    )


def trips(samples: Sequence[Sample], sent: int) -> Trips | None:
    """Counts, quantiles, and the mean with its interval over rounds, of a sample of round trips."""
    if not sent:
        return None
    values = [ms for _, sample in samples for ms in sample]
    lost = sent - len(values)
    low, high = share_of(lost, sent)
    rounds = by_round(samples)
    packets = Loss(sent=sent, lost=lost, loss=lost / sent, loss_low=low, loss_high=high)
    if not values:
        return Trips(**dict(packets), rounds=len(rounds), mean_ms=None)
    least, q1, median, q3, p95, p99, most = (
        float(one) for one in np.quantile(values, [0, 0.25, 0.5, 0.75, 0.95, 0.99, 1])
    )
    numbers = sorted({number for number, _ in samples})
    return Trips(
        **dict(packets),
        rounds=len(rounds),
        mean_ms=mean_of([float(np.mean(one)) for one in rounds if one]),
        min_ms=least,
        q1_ms=q1,
        median_ms=median,
        q3_ms=q3,
        p95_ms=p95,
        p99_ms=p99,
        max_ms=most,
        median_by_round_ms={
            str(number): float(np.median(one)) for number, one in zip(numbers, rounds, strict=True) if one
        },
        rounds_differ_p=rounds_differ(rounds),
    )


def jitter(entries: Sequence[Entry]) -> Jitter | None:
    """Differences of consecutive round trips of lines of kind `icmp`; None where there are none."""
    by_entry = [(entry, differences([(one[0], one[1]) for one in entry["replies"]])) for entry in entries]
    steps = [step for _, found in by_entry for step in found]
    if not steps:
        return None
    absolute = np.abs(steps)
    rounds = by_round([(entry["round"], [abs(step) for step in found]) for entry, found in by_entry])
    pairs = {(entry["from"], entry["to"]): None for entry in entries}
    smoothed = [
        smoothed_jitter(
            step for entry, found in by_entry if (entry["from"], entry["to"]) == pair for step in found
        )
        for pair in pairs
    ]
    median, p95, p99 = (float(one) for one in np.quantile(absolute, [0.5, 0.95, 0.99]))
    return Jitter(
        differences=len(steps),
        mean_ms=mean_of([float(np.mean(one)) for one in rounds if one]),
        median_ms=median,
        p95_ms=p95,
        p99_ms=p99,
        rfc3550_ms=float(np.mean([one for one in smoothed if one is not None])),
    )


def all_differences(entries: Iterable[Entry]) -> list[float]:
    """All differences of consecutive round trips, signed, ms."""
    return [step for entry in entries for step in differences([(one[0], one[1]) for one in entry["replies"]])]


def by_round(samples: Sequence[Sample]) -> list[list[float]]:
    """The values of each round, of all pairs together, in the order of rounds."""
    rounds: dict[int, list[float]] = {}
    for number, values in samples:
        rounds.setdefault(number, []).extend(values)
    return [rounds[number] for number in sorted(rounds)]
