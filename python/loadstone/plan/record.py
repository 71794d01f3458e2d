"""`plan.json`: the record of a plan, as docs/reference/plan.md describes it."""

from __future__ import annotations

import math
from typing import Any

from loadstone.availability.chain import Bounds
from loadstone.plan.candidate import Candidate, sharing
from loadstone.plan.conduct import Planned
from loadstone.plan.estimate import Estimate
from loadstone.plan.growth import Step
from loadstone.plan.inputs import Inputs, Tier
from loadstone.plan.part import Part, lines
from loadstone.plan.served import Served
from loadstone.plan.tornado import Bar
from loadstone.plan.uncertain import Interval, Uncertainty
from loadstone.stages.plan import Plan

_MOST_SEEN = 400

Json = dict[str, Any]


def plan_record(found: Planned, typed: Json) -> Plan:
    """The whole record; `typed` is what the command line said."""
    return Plan.model_validate(_content(found, typed))


def _content(found: Planned, typed: Json) -> Json:
    inputs, outcome = found.inputs, found.outcome
    year_s = inputs.year_s
    return {
        "name": inputs.name,
        "inputs": {
            "file": str(inputs.path),
            "year_s": year_s,
            "users": _estimate(inputs.users),
            "availability": float(inputs.availability),
            "corrupt": None if inputs.corrupt is None else float(inputs.corrupt),
            "criterion": inputs.criterion,
            "crews": inputs.crews,
            "tiers": [_tier(tier, year_s) for tier in inputs.tiers],
            **typed,
        },
        "chosen": _candidate(outcome.chosen, inputs) if outcome.chosen else None,
        "share_crews": [_name(inputs, part.at) for part in sharing(inputs, outcome.chosen.parts)]
        if outcome.chosen
        else [],
        "bill": _bill(outcome.chosen) if outcome.chosen else [],
        "options": [
            *(
                {"tier": _name(inputs, part.at), "option": part.way.name, "plan": _candidate(one, inputs)}
                for part, one in outcome.met
            ),
            *(
                {"tier": _name(inputs, one.at), "option": one.way.name, "why": one.why}
                for one in outcome.refused
            ),
        ],
        "front": [_candidate(one, inputs) for one in found.front.best],
        "seen": [_candidate(one, inputs) for one in found.front.seen[:_MOST_SEEN]],
        "sensitivity": [_bar(bar, inputs) for bar in found.bars],
        "uncertainty": _uncertainty(found.uncertainty, inputs) if found.uncertainty else None,
        "served": _served(found.served, inputs) if found.served else None,
        "growth": {
            "steps": [_step(step, inputs) for step in found.growth.steps],
            "stride": found.growth.stride,
            "users_wall": found.growth.wall,
        },
        "warnings": list(inputs.warnings),
    }


def _estimate(one: Estimate, factor: float = 1.0) -> Json:
    ends = {
        name: None if end is None else end * factor for name, end in (("low", one.low), ("high", one.high))
    }
    return {"value": one.value * factor, **ends}


def _name(inputs: Inputs, at: int) -> str | None:
    """Of a tier; None when it is the whole service."""
    return inputs.tiers[at].name or None


def _tier(tier: Tier, year_s: float) -> Json:
    return {
        "tier": tier.name or None,
        "users_per_node": _estimate(tier.per_node),
        "curve": [list(point) for point in tier.curve],
        "scales": tier.scales,
        "rank": tier.rank,
        "crashes_a_year": {way.name: _estimate(way.crash, year_s) for way in tier.ways},
    }


def _candidate(one: Candidate, inputs: Inputs) -> Json:
    return {
        "parts": [_part(part, inputs) for part in one.parts],
        "nodes": one.nodes,
        "down_s_per_year": one.down_s,
        "availability": 1 - one.down_s / inputs.year_s,
        "usd_per_month": round(one.usd_per_month, 6),
    }


def _part(part: Part, inputs: Inputs) -> Json:
    return {
        "tier": _name(inputs, part.at),
        "option": part.way.name,
        "instance": part.way.instance,
        "node_type": part.way.node.name,
        "node_source": part.way.node.source,
        "images": part.images,
        "needed": part.needed,
        "active": part.active,
        "pool": part.pool,
        "nodes": part.nodes,
        "usd_per_month": round(part.usd_per_month, 6),
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
        for part in one.parts
        for line in lines(part.way, part.active, part.pool)
    ]


def _bar(bar: Bar, inputs: Inputs) -> Json:
    ends = {
        name: _candidate(plan, inputs) if plan else None
        for name, plan in (("at_low", bar.at_low), ("at_high", bar.at_high))
    }
    return {"input": bar.name, "low": bar.low, "high": bar.high, "assumed": bar.assumed, **ends}


def _uncertainty(one: Uncertainty, inputs: Inputs) -> Json:
    return {
        "draws": one.draws,
        "nodes": _interval(one.nodes),
        "usd_per_month": _interval(one.usd_per_month),
        "wins": [
            {"tier": tier.name or None, "option": name, "share": share}
            for tier, wins in zip(inputs.tiers, one.wins, strict=True)
            for name, share in wins.items()
        ],
        "unmet": one.unmet,
        "chosen_holds": one.chosen_holds,
        "chosen_down_s_per_year": _interval(one.chosen_down_s),
        "sure": _candidate(one.sure, inputs) if one.sure else None,
        "sure_holds": one.sure_holds,
    }


def _interval(one: Interval | None) -> Json | None:
    return {"median": one.median, "low": one.low, "high": one.high} if one else None


def _step(step: Step, inputs: Inputs) -> Json:
    return {
        "users_from": step.users_from,
        "users_to": step.users_to,
        "limited_by": [name for name in step.limited_by if name],
        "plan": _candidate(step.answer.chosen, inputs) if step.answer.chosen else None,
        "why": list(step.answer.why),
    }


def _served(one: Served, inputs: Inputs) -> Json:
    outages = one.outages
    return {
        "levels": [
            {
                "tier": None if level.at is None else _name(inputs, level.at),
                "nodes": level.nodes,
                "users": level.users,
                "share": level.share,
            }
            for level in one.levels
        ],
        "rest": one.rest,
        "mean_share": one.mean_share,
        "user_hours_lost": one.user_hours_lost,
        "first_year_down_s": _bounds(one.first_year_down_s),
        "first_outage_s": _bounds(outages.first_s if outages else None),
        "outages_per_s": _bounds(outages.per_s if outages else None),
        "outage_s": _bounds(outages.length_s if outages else None),
    }


def _bounds(one: Bounds | None) -> list[float | None] | None:
    return [end if math.isfinite(end) else None for end in (one.low, one.high)] if one else None
