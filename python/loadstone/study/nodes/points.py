"""Figures 5 to 7: availability of a cluster without extra nodes, and the time nodes spend corrupt."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from loadstone.nodes import texts
from loadstone.nodes.integrity import NODE_TYPES
from loadstone.nodes.quantities import parse_duration, parse_rate
from loadstone.study.nodes.description import Availability, Corrupt, Description

Json = dict[str, Any]


def availability(point: Availability, description: Description) -> Json:
    """One point with its bounds: `ours` and `unavailable` are [low, high] shares of the year."""
    year_s = float(description.year_s)
    crash = float(parse_rate(point.crash, description.year_s))
    mend = 1 / float(parse_duration(point.failover)) if point.failover else 0.0
    low, high = texts.active_down_s(point.nodes, 0, crash, mend, year_s)
    ours = (1 - high / year_s, 1 - low / year_s)
    return {
        "place": point.place,
        "nodes": point.nodes,
        "crash": point.crash,
        "failover": point.failover,
        "paper": point.paper or None,
        "ours": ours,
        "unavailable": (low / year_s, high / year_s),
        "agrees": (agrees := _agrees(point, *ours)),
        "holds_to_per_year": _holds_to(point, mend, year_s) if agrees is False else None,
        "note": point.note,
    }


def _holds_to(point: Availability, mend: float, year_s: float) -> float | None:
    """The most crashes of a node in this year with which it would be available as the paper says, by halving;
    None where the paper names no least availability.
    """
    if point.at_least is None:
        return None
    allowed = (1 - point.at_least) * year_s
    low, high = 0.0, float(parse_rate(point.crash)) * year_s
    while high - low > 1e-4 * high:
        middle = (low + high) / 2
        if texts.active_down_s(point.nodes, 0, middle / year_s, mend, year_s)[1] <= allowed:
            low = middle
        else:
            high = middle
    return low


def _agrees(point: Availability, low: float, high: float) -> bool | None:
    """Whether what the paper says holds for all of the bounds; None when it says nothing."""
    said = []
    if point.at_least is not None:
        said.append(low >= point.at_least)
    if point.at_most is not None:
        said.append(high <= point.at_most)
    if point.about is not None and point.within is not None:
        said.append(point.about - point.within <= low and high <= point.about + point.within)
    return all(said) if said else None


def corrupt(point: Corrupt, description: Description) -> Json:
    """One point of figure 7 with its bounds, in percent of the month, and the time down beside it."""
    month_s = float(parse_duration(description.month))
    node = NODE_TYPES[point.node]
    if point.corrupts is not None:
        node = replace(node, corrupts=point.corrupts)
    spent = texts.node_time_s(
        node, float(parse_rate(point.faults)), month_s, float(parse_duration(point.retry))
    )
    percent = {name: (100 * low / month_s, 100 * high / month_s) for name, (low, high) in spent.items()}
    low, high = percent["corrupt"]
    agrees = None
    if point.paper is not None and point.within is not None:
        # A printed figure stands for all that rounds to it, its own end included.
        slack = point.within * (1 + 1e-9)
        agrees = point.paper - slack <= low and high <= point.paper + slack
    return {
        "end": point.end,
        "node": point.node,
        "faults": point.faults,
        "corrupts": node.corrupts,
        "fitted": point.corrupts is not None,
        "retry": point.retry,
        "paper": point.paper,
        "ours": (low, high),
        "down": percent["down"],
        "agrees": agrees,
        "checker": point.checker,
        "note": point.note,
    }
