"""`nodes.json` of a service in tiers, as docs/reference/nodes.md describes it."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from loadstone.nodes.quantities import type_duration
from loadstone.plan.candidate import Candidate, sharing
from loadstone.plan.growth import OneMore, Step, users_carried
from loadstone.plan.inputs import Inputs, Way
from loadstone.plan.limit import Limit
from loadstone.plan.part import alone_s, holds
from loadstone.plan.tiers_outlook import Outlook
from loadstone.stages.nodes import Nodes

Json = dict[str, Any]


def tiers_record(seen: Outlook, typed: Json) -> Nodes:
    """The whole record; `typed` is what the command line said."""
    return Nodes.model_validate(_content(seen, typed))


def _content(seen: Outlook, typed: Json) -> Json:
    inputs = seen.inputs
    down_s = _down_s(seen)
    return {
        "inputs": {
            **typed, "target_share": float(inputs.availability), "criterion": inputs.criterion,
            "without_spares": inputs.tiers[0].ways[0].without_spares, "load_users": seen.values.users,
            "year": f"{inputs.year_s / 86_400:.10g}d", "year_s": inputs.year_s,
        },
        "tiers": [_tier(seen, i, down_s) for i in range(len(inputs.tiers))],
        "service": _service(seen, down_s),
        "one_more": [_one_more(inputs, each) for each in seen.one_more],
        "growth": [_step(inputs, step) for step in seen.growth.steps],
        "growth_stride": seen.growth.stride,
        "users_wall": seen.growth.wall,
        "warnings": _warnings(seen),
    }  # fmt: skip


def _down_s(seen: Outlook) -> list[float] | None:
    """Of each tier alone, in seconds a year; None when nothing meets the target."""
    chosen = seen.found.answer.chosen
    return [alone_s(seen.inputs, seen.values, part) for part in chosen.parts] if chosen else None


def _tier(seen: Outlook, i: int, down_s: list[float] | None) -> Json:
    chosen, ends = seen.found.answer.chosen, (seen.fewest, seen.most)
    tier, num, year_s = seen.inputs.tiers[i], seen.found.num[i], seen.inputs.year_s
    assert num is not None and tier.limit is not None
    part = chosen.parts[i] if chosen else None
    way = part.way if part else tier.ways[0]
    most = holds(tier, way, tier.per_node.value, num)
    return {
        "name": tier.name,
        "deployment": way.name,
        "scales": tier.scales,
        **_rates(way, year_s),
        "instance": way.instance,
        "limit": _limit(tier.limit),
        "num": num,
        "extra": part.nodes - part.needed if part else None,
        "total": part.nodes if part else None,
        "load_share": seen.values.users / most,
        "next_node_above_users": math.floor(most) if tier.scales else None,
        "availability": None if down_s is None else 1.0 - down_s[i] / year_s,
        "downtime_s_per_year": None if down_s is None else down_s[i],
        "downtime_part": None if down_s is None else down_s[i] / (math.fsum(down_s) or 1.0),
        "interval": {
            "num": [end.num[i] for end in ends],
            "total": [end.answer.chosen.parts[i].nodes if end.answer.chosen else None for end in ends],
        },
    }


def _rates(way: Way, year_s: float) -> dict[str, str]:
    """How a node fails and is mended, as a file has it; the provider's are not mended but replaced."""
    return {
        "crash_rate": f"{way.crash.value * year_s:.10g}/year",
        "failover": type_duration(way.failover_s),
        "repair": "none" if way.endless or way.repair_s is None else type_duration(way.repair_s),
    }


def _limit(limit: Limit) -> Json:
    return {
        "source": limit.source,
        "upper_bound": limit.upper_bound,
        "users_per_node": float(limit.users.value),
        "interval": [_float(limit.users.low), _float(limit.users.high)],
        "requests_per_s": _float(limit.requests_per_s),
        "requests_per_s_per_user": _float(limit.requests_per_s_per_user),
    }


def _service(seen: Outlook, down_s: list[float] | None) -> Json:
    inputs, chosen = seen.inputs, seen.found.answer.chosen
    ways = [part.way for part in chosen.parts] if chosen else [tier.ways[0] for tier in inputs.tiers]
    held = [
        holds(tier, way, tier.per_node.value, num or 1)
        for tier, way, num in zip(inputs.tiers, ways, seen.found.num, strict=True)
    ]
    # Whatever the tiers' failures have to do with each other: all at once, or never two. With crews that they
    # share the sum of what each would be alone bounds nothing.
    bounded = chosen and not sharing(inputs, chosen.parts)
    totals = [part.nodes for part in chosen.parts] if chosen else []
    return {
        "total": chosen.nodes if chosen else None,
        "availability": 1.0 - chosen.down_s / inputs.year_s if chosen else None,
        "downtime_s_per_year": chosen.down_s if chosen else None,
        "downtime_s_per_year_bounds": [max(down_s), math.fsum(down_s)] if bounded and down_s else None,
        "users_carried": users_carried(inputs, seen.values, chosen.parts, totals) if chosen else None,
        "bottleneck": [
            tier.name
            for tier, most in zip(inputs.tiers, held, strict=True)
            if math.isclose(most, min(held), rel_tol=1e-12)
        ],
        "interval": {
            "total": [
                end.answer.chosen.nodes if end.answer.chosen else None for end in (seen.fewest, seen.most)
            ]
        },
        "why": list(seen.found.answer.why),
    }


def _one_more(inputs: Inputs, each: OneMore) -> Json:
    return {
        "tier": inputs.tiers[each.at].name,
        "users_carried": each.users_carried,
        "availability": 1.0 - each.down_s / inputs.year_s,
        "downtime_s_per_year": each.down_s,
    }


def _step(inputs: Inputs, step: Step) -> Json:
    chosen = step.answer.chosen
    return {
        "users_from": step.users_from,
        "users_to": step.users_to,
        "limited_by": list(step.limited_by),
        "total": chosen.nodes if chosen else None,
        "nodes": _by_tier(inputs, chosen) if chosen else None,
        "why": list(step.answer.why),
    }


def _by_tier(inputs: Inputs, chosen: Candidate) -> dict[str, int]:
    return {inputs.tiers[part.at].name: part.nodes for part in chosen.parts}


def _warnings(seen: Outlook) -> list[str]:
    """Those of the limits; and what the low ends of the limits would not carry."""
    told = list(seen.inputs.warnings)
    if seen.found.answer.chosen and seen.most.answer.chosen is None:
        told += [f"at the low end of the limits: {why}" for why in seen.most.answer.why]
    return told


def _float(number: Fraction | None) -> float | None:
    return None if number is None else float(number)
