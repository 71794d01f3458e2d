"""How much is carried and what it costs: cells, pooled figures and comparisons. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from loadstone.judge.estimates import Estimate, mean, positive_mean
from loadstone.study.balancers.site import DIRECT
from loadstone.study.compare import Difference, pairwise

Json = dict[str, Any]

GENERATOR_BUSY = 0.85
"""Of a processor: a generator that uses more may be what limits the throughput."""
MACHINE_BUSY = 0.05
"""A machine that is idle for less than this share of the time is what limits it."""


def throughput(rows: list[Json]) -> Json:
    """Cells of the matrix, figures pooled as the paper's tables are, and the comparison of all pairs."""
    cells = [_cell(group, rows) for group in grouped(rows, "balancer", "generators", "concurrency")]
    generators = sorted({row["generators"] for row in rows})
    return {
        "cells": cells,
        "pooled": [_pooled(group, cells) for group in grouped(rows, "balancer", "generators")],
        "costs": [_cost(group, rows) for group in grouped(_by(rows, 1), "balancer")],
        "comparisons": {
            str(count): [difference(one) for one in _compared(_by(rows, count))] for count in generators
        },
        "more_generators": _more_generators(rows, generators),
    }


def _more_generators(rows: list[Json], generators: Sequence[int]) -> list[Json]:
    """The most generators beside the fewest, by variant: the ratio over the concurrencies of both."""
    if len(generators) < 2:
        return []
    found = []
    for group in grouped(rows, "balancer"):
        few, many = _by(group, generators[0]), _by(group, generators[-1])
        shared = {row["concurrency"] for row in few} & {row["concurrency"] for row in many}
        samples = {
            name: [
                sum(_rates(one)) / len(one)
                for one in grouped((row for row in those if row["concurrency"] in shared), "repetition")
                if {row["concurrency"] for row in one} == shared
            ]
            for name, those in (("many", many), ("few", few))
        }
        if shared and (compared := pairwise(samples)):
            found.append(
                {
                    "balancer": group[0]["balancer"],
                    "generators": generators[-1],
                    "concurrencies": sorted(shared),
                    "ratio": estimate(compared[0].ratio),
                }
            )
    return found


def peer(rows: list[Json]) -> list[Json]:
    """Our agents beside `ab` on the same variant at the same concurrency."""
    found = []
    for group in grouped(rows, "balancer", "concurrency"):
        by_generator = {
            name: [row["requests_per_s"] for row in group if row["generator"] == name]
            for name in ("loadstone", "ab")
        }
        if all(by_generator.values()):
            compared = pairwise(by_generator)
            found.append(
                {
                    "balancer": group[0]["balancer"],
                    "concurrency": group[0]["concurrency"],
                    **{name: estimate(positive_mean(values)) for name, values in by_generator.items()},
                    "ratio": estimate(compared[0].ratio) if compared else None,
                }
            )
    return found


def reuse(rows: list[Json]) -> list[Json]:
    """Connections to back ends that are kept beside new ones for every request."""
    found = []
    for group in grouped(rows, "balancer"):
        ways = {name: [row for row in group if row["reuse"] is kept] for name, kept in _WAYS}
        if all(ways.values()):
            compared = pairwise({name: _rates(some) for name, some in ways.items()})
            found.append(
                {
                    "balancer": group[0]["balancer"],
                    **{
                        name: {"requests_per_s": estimate(positive_mean(_rates(some))), **_spent(some)}
                        for name, some in ways.items()
                    },
                    "ratio": estimate(compared[0].ratio) if compared else None,
                }
            )
    return found


_WAYS = (("kept", True), ("anew", False))


def growth(rows: list[Json]) -> list[Json]:
    """Throughput by the number of servers."""
    return [
        {
            "balancer": group[0]["balancer"],
            "servers": group[0]["servers"],
            "requests_per_s": estimate(positive_mean(_rates(group))),
            "response_ms": response_ms(group),
            "failed": _failed(group),
        }
        for group in grouped(rows, "balancer", "servers")
    ]


def estimate(one: Estimate) -> Json:
    """As JSON."""
    return asdict(one)


def difference(one: Difference) -> Json:
    """As JSON, with its sentence."""
    return asdict(one) | {"words": one.words()}


def response_ms(rows: Sequence[Json]) -> Json:
    """Mean and quantiles of the response time, each averaged over repetitions with its interval."""
    found = {}
    for name in ("mean", "p50", "p90", "p99"):
        values = [row["response_us"][name] / 1000 for row in rows if row["response_us"].get(name) is not None]
        found[name] = estimate(positive_mean(values)) if values else None
    return found


def grouped(rows: Iterable[Json], *keys: str) -> list[list[Json]]:
    """Rows with the same values of `keys` together, in the order of first appearance sorted by value."""
    groups: dict[tuple[Any, ...], list[Json]] = {}
    for row in rows:
        groups.setdefault(tuple(row[key] for key in keys), []).append(row)
    return [groups[key] for key in sorted(groups, key=_sortable)]


def _sortable(values: tuple[Any, ...]) -> tuple[Any, ...]:
    # The variant without a balancer is the baseline: it comes first.
    return tuple((value != DIRECT, value) if isinstance(value, str) else (True, value) for value in values)


def _by(rows: Iterable[Json], generators: int) -> list[Json]:
    return [row for row in rows if row["generators"] == generators]


def _rates(rows: Iterable[Json]) -> list[float]:
    return [row["requests_per_s"] for row in rows]


def _failed(rows: Iterable[Json]) -> int:
    return sum(sum(row["failed"].values()) for row in rows)


def _spent(rows: Sequence[Json]) -> Json:
    """Processor time a request of the balancer's processes and of the whole machine, microseconds."""
    found: Json = {}
    for kind in ("user_us", "sys_us", "machine_us", "softirq_us"):
        values = [row["cost"][kind] for row in rows if row["cost"].get(kind) is not None]
        found[kind] = estimate(positive_mean(values)) if values else None
    return found


def _cell(group: Sequence[Json], rows: Sequence[Json]) -> Json:
    first = group[0]
    rate = positive_mean(_rates(group))
    response = response_ms(group)
    shares = [row["generator_share"] for row in group]
    idle = [row["cost"]["idle_share"] for row in group]
    little = (
        rate.value * response["mean"]["value"] / 1000 / first["concurrency"] if response["mean"] else None
    )
    return {
        "balancer": first["balancer"],
        "generators": first["generators"],
        "concurrency": first["concurrency"],
        "requests_per_s": estimate(rate),
        "repetitions": _rates(group),
        "response_ms": response,
        **_spent(group),
        "added_us": _added(group, rows),
        "memory_bytes": max((row["cost"].get("memory_bytes") or 0 for row in group), default=0) or None,
        "failed": _failed(group),
        "generator_share": sum(shares) / len(shares),
        "generator_bound": sum(shares) / len(shares) > GENERATOR_BUSY,
        "idle_share": sum(idle) / len(idle),
        "machine_bound": sum(idle) / len(idle) < MACHINE_BUSY,
        # By Little's law users who do not pause are all waiting: 1, except in their first and last moments.
        "little": little,
    }


def _added(group: Sequence[Json], rows: Iterable[Json]) -> Json | None:
    """Processor time of the whole machine a request, beyond that without a balancer in that repetition."""
    if group[0]["balancer"] == DIRECT:
        return None
    at = ("generators", "concurrency", "repetition")
    bare = {
        tuple(row[key] for key in at): row["cost"]["machine_us"] for row in rows if row["balancer"] == DIRECT
    }

    def added(row: Json) -> float | None:
        base = bare.get(tuple(row[key] for key in at))
        return None if base is None or row["cost"]["machine_us"] is None else row["cost"]["machine_us"] - base

    # A difference: it may well be negative.
    values = [value for row in group if (value := added(row)) is not None]
    return estimate(mean(values)) if values else None


def _pooled(group: Sequence[Json], cells: Sequence[Json]) -> Json:
    """All repetitions at all concurrencies together, as the paper's Table 1; the highest mean, as Table 2."""
    first = group[0]
    own = [cell for cell in cells if all(cell[key] == first[key] for key in ("balancer", "generators"))]
    highest = max(own, key=lambda cell: float(cell["requests_per_s"]["value"]))
    return {
        "balancer": first["balancer"],
        "generators": first["generators"],
        "pooled": estimate(positive_mean(_rates(group))),
        "highest": highest["requests_per_s"],
        "highest_at": highest["concurrency"],
    }


def _cost(group: Sequence[Json], rows: Sequence[Json]) -> Json:
    """Processor time a request over all concurrencies of one generator: one figure for each repetition."""
    repetitions = grouped(group, "repetition")
    averaged = [
        {"cost": {kind: _average(one, kind) for kind in ("user_us", "sys_us", "machine_us", "softirq_us")}}
        for one in repetitions
    ]
    added = [_added(one, rows) for one in repetitions]
    values = [one["value"] for one in added if one]
    memory = [row["cost"].get("memory_bytes") for row in group]
    return {
        "balancer": group[0]["balancer"],
        **_spent(averaged),
        "added_us": estimate(mean(values)) if values else None,
        "memory_bytes": max((one for one in memory if one), default=None),
    }


def _average(rows: Sequence[Json], kind: str) -> float | None:
    values = [row["cost"][kind] for row in rows if row["cost"].get(kind) is not None]
    return sum(values) / len(values) if values else None


def _compared(rows: Sequence[Json]) -> list[Difference]:
    """All pairs, by one figure for each repetition: the mean over its concurrencies.

    Repetitions that lack a concurrency (an interrupted study) are left out: their means are of other cells.
    """
    every = {row["concurrency"] for row in rows}
    samples = {
        variant[0]["balancer"]: [
            sum(_rates(one)) / len(one)
            for one in grouped(variant, "repetition")
            if {row["concurrency"] for row in one} == every
        ]
        for variant in grouped(rows, "balancer")
    }
    return pairwise({name: values for name, values in samples.items() if all(value > 0 for value in values)})
