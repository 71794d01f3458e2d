"""Our own measurements beside the paper's: outcomes of faults, throughput, shares of time, and dollars."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

import numpy as np

from loadstone.cost.bill import rented
from loadstone.cost.book import shipped
from loadstone.cost.plan import Month
from loadstone.judge.intervals import wilson
from loadstone.nodes.integrity import NODE_TYPES, NodeType, Spread, ranges, shares
from loadstone.nodes.quantities import parse_duration, parse_rate
from loadstone.nodes.sizing import nodes_needed
from loadstone.stages.inject import OUTCOMES, Share
from loadstone.study.nodes import records
from loadstone.study.nodes.asked import Build, Measured, Money
from loadstone.study.nodes.description import Description
from loadstone.study.nodes.throughput import throughput

Json = dict[str, Any]

FAULTS = ("1/month", "27/month", "21.7/day")
"""Ends of the paper's two ranges in figure 7."""
CONFIDENCE = 0.975
"""Of each bound: both together are an interval of 95 %."""
_DOWN = ("crash", "hang", "detected")
"""Until the node is replaced: a fail-stop, too. Table I counts it under crash."""


def outcomes(file: Description, folder: Path) -> list[Json]:
    """Table I: all kernels of a build together, the least and most of them, and the paper's node type."""
    measured = _measured(file)
    found = records.injection(folder / measured.injection)
    return [_outcomes(build, found) for build in measured.build]


def _outcomes(build: Build, found: records.Injection) -> Json:
    own = found.of(build.name)
    total = sum(one.injected for one in own)
    counts = {outcome: sum(one.count(outcome) for one in own) for outcome in OUTCOMES}
    paper = NODE_TYPES[build.beside]
    each = [
        {"kernel": one.kernel, "injected": one.injected}
        | {outcome: one.count(outcome) / one.injected for outcome in OUTCOMES}
        for one in own
        if one.injected
    ]
    return {
        "build": build.name,
        "beside": build.beside,
        "injected": total,
        "shares": [share_of(name, counts[name], total).content() for name in OUTCOMES],
        "down": share_of("down", sum(counts[name] for name in _DOWN), total).content(),
        "kernels": each,
        "paper": {"corrupt": paper.corrupts, "down": paper.crashes, "recovered": paper.retries},
        "from": {
            "command": found.command, "started_at": found.started_at,
            "machine": f"{found.machine.get('cores', '?')} cores, {found.machine.get('cpu', '?')}",
        },
    }  # fmt: skip


def share_of(outcome: str, count: int, total: int) -> Share:
    """One class with its interval of 95 % (Wilson), as a campaign has it."""
    share = count / total if total else 0.0
    low, high = wilson(share, total, CONFIDENCE)
    return Share(outcome=outcome, count=count, share=share, low=low, high=high)


def carried(file: Description, folder: Path) -> list[Json]:
    """Figures 3 and 4: what a build carries against native, where only its own instructions count."""
    measured = _measured(file)
    if measured.kernels is None:
        return []
    found = records.kernels(folder / measured.kernels)
    paper = throughput(file)["measured"]
    rows = []
    for build in measured.build:
        if build.kernels is None:
            continue
        each = {kernel: 1 / ratios[build.kernels] for kernel, ratios in found.ratio.items()}
        rows.append(
            {
                "build": build.name, "beside": build.beside, "kernels": each, "rounds": found.rounds,
                "mean": geometric_mean(each.values()),
                "paper": {one["name"]: one[build.beside] for one in paper if build.beside in one},
                "paper_plans": float(NODE_TYPES[build.beside].throughput),
            }
        )  # fmt: skip
    return rows


def served(file: Description, folder: Path) -> list[Json]:
    """Figures 3 and 4 on servers: throughput against response time by load, and CPU time a request."""
    measured = _measured(file)
    return [
        row
        for each in measured.servers
        for row in _served(Path(each).name, records.servers(folder / each), measured)
    ]


def _served(name: str, rows: list[records.Served], measured: Measured) -> list[Json]:
    found: dict[tuple[str, str], list[records.Served]] = {}
    for row in rows:
        found.setdefault((row.load, row.variant), []).append(row)
    first = rows[0].variant if rows else ""
    keys = ("requests_per_s", "response_ms", "cpu_us", "user_us")
    middle = {
        at: {key: median(getattr(one, key) for one in same) for key in keys} for at, same in found.items()
    }
    ends = {build.servers: build.name for build in measured.build if build.servers}
    return [
        {
            "record": name, "load": load, "variant": variant, "rounds": len(found[load, variant]),
            "build": next((build for end, build in ends.items() if variant.endswith(end)), None),
            "throughput": here["requests_per_s"] / middle[load, first]["requests_per_s"],
            "cpu": middle[load, first]["cpu_us"] / here["cpu_us"] if here["cpu_us"] else None,
            "user": middle[load, first]["user_us"] / here["user_us"] if here["user_us"] else None,
        } | here
        for (load, variant), here in middle.items()
        if (load, first) in middle
    ]  # fmt: skip


def spent(file: Description, folder: Path) -> list[Json]:
    """Figure 7: shares of a month by build, from measured shares of faults, beside the paper's."""
    month_s = float(parse_duration(file.month))
    lines = [float(rate) for rate in np.geomspace(1, 24 * month_s / 86_400, 25)]
    rows = []
    for row in outcomes(file, folder):
        node, paper = node_type(row), NODE_TYPES[row["beside"]]
        found = [shares(node, rate / month_s, month_s) for rate in lines]
        rows.append(
            {
                "build": row["build"], "beside": row["beside"], "faults_a_month": lines,
                "corrupt": [one.corrupt for one in found], "down": [one.down for one in found],
                "points": [_point(node, paper, faults, month_s) for faults in FAULTS],
            }
        )  # fmt: skip
    return rows


def node_type(row: Json, factor: Fraction = Fraction(1)) -> NodeType:
    """The node type of a build: its shares of faults with their intervals."""
    found = {one["outcome"]: one for one in row["shares"]}
    down, corrupt, recovered = row["down"], found["corrupt"], found["recovered"]
    return NodeType(
        row["build"], factor, corrupt["share"], down["share"], recovered["share"],
        source=f"{row['injected']:,} faults",
        spread=Spread(*((one["low"], one["high"]) for one in (corrupt, down, recovered))),
    )  # fmt: skip


def _point(node: NodeType, paper: NodeType, faults: str, month_s: float) -> Json:
    rate = float(parse_rate(faults))
    ours, theirs, ends = (
        shares(node, rate, month_s),
        shares(paper, rate, month_s),
        ranges(node, rate, month_s),
    )
    return {"faults": faults} | {
        name: {
            "value": getattr(ours, name), "low": ends[name][0] if ends else None,
            "high": ends[name][1] if ends else None, "paper": getattr(theirs, name),
        }
        for name in ("correct", "corrupt", "down")
    }  # fmt: skip


def paid(file: Description, folder: Path) -> list[Json]:
    """What a user costs a month on each node type, and how much of the month its node is corrupt."""
    measured = _measured(file)
    if measured.cost is None:
        return []
    factors = {row["build"]: row["mean"] for row in carried(file, folder)}
    rows = [
        _paid(f"{kind.name}, paper", kind, file, measured.cost)
        for kind in dict.fromkeys(NODE_TYPES[build.beside] for build in measured.build)
    ]
    for row, build in zip(outcomes(file, folder), measured.build, strict=True):
        factor = 1.0 if build.beside == "native" else factors.get(build.name)
        if factor is not None:
            node = node_type(row, Fraction(repr(factor)))
            rows.append(_paid(f"{build.name}, measured", node, file, measured.cost))
    return _against_native(rows)


def _paid(name: str, node: NodeType, file: Description, money: Money) -> Json:
    load = Fraction(file.load)
    num = nodes_needed(load, Fraction(1), node.throughput)
    price = shipped().named(money.book).machine(money.instance)
    usd = rented(price, num, Month().hours).usd_per_month[1]
    users = file.load * money.users
    rate, month_s = float(parse_rate(money.faults)), float(parse_duration(file.month))
    ours, ends = shares(node, rate, month_s), ranges(node, rate, month_s)
    high = ends["corrupt"][1] if ends else ours.corrupt
    return {
        "node": name, "throughput": float(node.throughput), "num": num, "users": users,
        "usd_per_month": float(usd), "usd_per_user_month": float(usd / Decimal(users)),
        "faults": money.faults, "corrupt": ours.corrupt, "down": ours.down,
        "corrupt_s_a_month": ours.corrupt * month_s, "corrupt_s_a_month_high": high * month_s,
        "price": price.label(),
    }  # fmt: skip


def _against_native(rows: list[Json]) -> list[Json]:
    """With the extra dollars, and how many times less time corrupt, against native of the same source."""
    first: dict[str, Json] = {}
    for row in rows:
        native = first.setdefault(row["node"].rpartition(", ")[2], row)
        row["extra"] = row["usd_per_user_month"] / native["usd_per_user_month"] - 1
        native_s = native["corrupt_s_a_month"]
        row["times_less"] = native_s / row["corrupt_s_a_month"] if row["corrupt"] else None
        row["times_least"] = native_s / high if (high := row["corrupt_s_a_month_high"]) else None
    return rows


def _measured(file: Description) -> Measured:
    assert file.measured is not None, "no such task without it"
    return file.measured


MEASURED: Mapping[str, Callable[[Description, Path], list[Json]]] = {
    "outcomes": outcomes, "throughput": carried, "servers": served, "integrity": spent, "cost": paid,
}  # fmt: skip
"""By the name of the task."""
