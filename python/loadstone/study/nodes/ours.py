"""Our own measurements beside the paper's: throughput, shares of time, and dollars; all tasks by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from statistics import geometric_mean
from typing import Any

import numpy as np

from loadstone.cost.bill import rented
from loadstone.cost.book import shipped
from loadstone.cost.plan import Month
from loadstone.nodes.integrity import NODE_TYPES, NodeType, ranges, shares
from loadstone.nodes.quantities import parse_duration, parse_rate
from loadstone.nodes.sizing import nodes_needed
from loadstone.study.nodes import records
from loadstone.study.nodes.asked import Money
from loadstone.study.nodes.description import Description
from loadstone.study.nodes.outcomes import node_type, outcomes, required
from loadstone.study.nodes.servers import live, served
from loadstone.study.nodes.throughput import throughput

Json = dict[str, Any]

FAULTS = ("1/month", "27/month", "21.7/day")
"""Ends of the paper's two ranges in figure 7."""


def carried(file: Description, folder: Path) -> list[Json]:
    """Figures 3 and 4: what a build carries against native, where only its own instructions count."""
    measured = required(file)
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
    measured = required(file)
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
    for row in live(file, folder):
        node = node_type(row, Fraction(repr(row["throughput"])))
        rows.append(_paid(f"{row['build']}, {row['server']}", node, file, measured.cost))
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


MEASURED: Mapping[str, Callable[[Description, Path], list[Json]]] = {
    "outcomes": outcomes, "throughput": carried, "servers": served, "live": live, "integrity": spent,
    "cost": paid,
}  # fmt: skip
"""By the name of the task."""
