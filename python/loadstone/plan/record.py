"""`plan.json`: the record of a plan, as docs/reference/plan.md describes it."""

from __future__ import annotations

import math
from typing import Any

from loadstone.nodes.cluster.answers import Bounds
from loadstone.plan.candidate import Candidate, lines
from loadstone.plan.conduct import Planned
from loadstone.plan.estimate import Estimate
from loadstone.plan.served import Served
from loadstone.plan.tornado import Bar
from loadstone.plan.uncertain import Interval, Uncertainty

FILE = "plan.json"
_MOST_SEEN = 400

Json = dict[str, Any]


def plan_record(found: Planned, typed: Json) -> Json:
    """The whole record; `typed` is what the command line said."""
    inputs, outcome = found.inputs, found.outcome
    year_s = inputs.year_s
    return {
        "format": 1,
        "kind": "plan",
        "name": inputs.name,
        "inputs": {
            "file": str(inputs.path),
            "year_s": year_s,
            "users": _estimate(inputs.users),
            "users_per_node": _estimate(inputs.per_node),
            "curve": [list(point) for point in inputs.curve],
            "availability": float(inputs.availability),
            "corrupt": None if inputs.corrupt is None else float(inputs.corrupt),
            "crashes_a_year": {way.name: _estimate(way.crash, year_s) for way in inputs.ways},
            **typed,
        },
        "chosen": _candidate(outcome.chosen, year_s) if outcome.chosen else None,
        "bill": _bill(outcome.chosen) if outcome.chosen else [],
        "options": [
            *(_candidate(one, year_s) for one in outcome.met),
            *({"option": one.way.name, "why": one.why} for one in outcome.refused),
        ],
        "front": [_candidate(one, year_s) for one in found.front.best],
        "seen": [_candidate(one, year_s) for one in found.front.seen[:_MOST_SEEN]],
        "sensitivity": [_bar(bar, year_s) for bar in found.bars],
        "uncertainty": _uncertainty(found.uncertainty, year_s) if found.uncertainty else None,
        "served": _served(found.served) if found.served else None,
        "warnings": list(inputs.warnings),
    }


def _estimate(one: Estimate, factor: float = 1.0) -> Json:
    ends = {
        name: None if end is None else end * factor for name, end in (("low", one.low), ("high", one.high))
    }
    return {"value": one.value * factor, **ends}


def _candidate(one: Candidate, year_s: float) -> Json:
    return {
        "option": one.way.name,
        "instance": one.way.row.sku,
        "node_type": one.way.node.name,
        "needed": one.needed,
        "active": one.active,
        "pool": one.pool,
        "nodes": one.nodes,
        "down_s_per_year": one.down_s,
        "availability": 1 - one.down_s / year_s,
        "usd_per_month": round(one.usd_per_month, 6),
    }


def _bill(one: Candidate) -> list[Json]:
    return [
        {
            "what": line.what,
            "quantity": float(line.quantity),
            "unit": line.unit,
            "price_usd": float(line.row.price_usd),
            "row": line.row.label(),
            "usd_per_month": {str(months): float(usd) for months, usd in line.usd_per_month.items()},
        }
        for line in lines(one.way, one.active, one.pool)
    ]


def _bar(bar: Bar, year_s: float) -> Json:
    ends = {
        name: _candidate(plan, year_s) if plan else None
        for name, plan in (("at_low", bar.at_low), ("at_high", bar.at_high))
    }
    return {"input": bar.name, "low": bar.low, "high": bar.high, "assumed": bar.assumed, **ends}


def _uncertainty(one: Uncertainty, year_s: float) -> Json:
    return {
        "draws": one.draws,
        "nodes": _interval(one.nodes),
        "usd_per_month": _interval(one.usd_per_month),
        "wins": one.wins,
        "unmet": one.unmet,
        "chosen_holds": one.chosen_holds,
        "chosen_down_s_per_year": _interval(one.chosen_down_s),
        "sure": _candidate(one.sure, year_s) if one.sure else None,
        "sure_holds": one.sure_holds,
    }


def _interval(one: Interval | None) -> Json | None:
    return {"median": one.median, "low": one.low, "high": one.high} if one else None


def _served(one: Served) -> Json:
    outages = one.outages
    return {
        "levels": [vars(level) for level in one.levels],
        "rest": one.rest,
        "mean_share": one.mean_share,
        "user_hours_lost": one.user_hours_lost,
        "first_year_down_s": _bounds(one.first_year_down_s),
        "first_outage_s": _bounds(outages.first_s),
        "outages_per_s": _bounds(outages.per_s),
        "outage_s": _bounds(outages.length_s),
    }


def _bounds(one: Bounds | None) -> list[float | None] | None:
    return [end if math.isfinite(end) else None for end in (one.low, one.high)] if one else None
