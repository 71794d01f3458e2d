"""`nodes.json` of a service in tiers, as docs/reference/nodes.md describes it."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from loadstone.plan.candidate import Candidate
from loadstone.plan.growth import OneMore, Step, users_carried
from loadstone.plan.part import alone_s, holds
from loadstone.plan.tiers_outlook import Outlook
from loadstone.plan.tiers_read import Service, Stated
from loadstone.stages.nodes import Nodes

Json = dict[str, Any]


def tiers_record(seen: Outlook, inputs: Json) -> Nodes:
    """The whole record; `inputs` are the options as typed."""
    return Nodes.model_validate(_content(seen, inputs))


def _content(seen: Outlook, inputs: Json) -> Json:
    service, plan = seen.service, seen.service.inputs
    down_s = _down_s(seen)
    return {
        "inputs": {
            **inputs, "target_share": float(plan.availability), "criterion": plan.criterion,
            "without_spares": plan.tiers[0].ways[0].without_spares, "load_users": seen.values.users,
            "year": service.year, "year_s": plan.year_s,
        },
        "tiers": [_tier(seen, i, down_s) for i in range(len(plan.tiers))],
        "service": _service(seen, down_s),
        "one_more": [_one_more(service, each) for each in seen.one_more],
        "growth": [_step(service, step) for step in seen.growth.steps],
        "growth_stride": seen.growth.stride,
        "users_wall": seen.growth.wall,
        "warnings": _warnings(seen),
    }  # fmt: skip


def _down_s(seen: Outlook) -> list[float] | None:
    """Of each tier alone, in seconds a year; None when nothing meets the target."""
    chosen = seen.found.answer.chosen
    return [alone_s(seen.service.inputs, seen.values, part) for part in chosen.parts] if chosen else None


def _tier(seen: Outlook, i: int, down_s: list[float] | None) -> Json:
    chosen, ends = seen.found.answer.chosen, (seen.fewest, seen.most)
    plan = seen.service.inputs
    tier, stated, num = plan.tiers[i], seen.service.stated[i], seen.found.num[i]
    assert num is not None
    part = chosen.parts[i] if chosen else None
    # What so many nodes would carry if they all did: of a tier that does not scale one does.
    ssh = num * tier.per_node.value
    return {
        "name": tier.name,
        "deployment": stated.deployment,
        "scales": tier.scales,
        **stated.typed,
        "instance": stated.instance,
        "limit": _limit(stated),
        "num": num,
        "extra": part.nodes - part.needed if part else None,
        "total": part.nodes if part else None,
        "load_share": seen.values.users / ssh,
        "next_node_above_users": math.floor(ssh) if tier.scales else None,
        "availability": None if down_s is None else 1.0 - down_s[i] / plan.year_s,
        "downtime_s_per_year": None if down_s is None else down_s[i],
        "downtime_part": None if down_s is None else down_s[i] / (math.fsum(down_s) or 1.0),
        "interval": {
            "num": [end.num[i] for end in ends],
            "total": [end.answer.chosen.parts[i].nodes if end.answer.chosen else None for end in ends],
        },
    }


def _limit(stated: Stated) -> Json:
    limit = stated.limit
    return {
        "source": limit.source,
        "upper_bound": limit.upper_bound,
        "users_per_node": float(limit.users.value),
        "interval": [_float(limit.users.low), _float(limit.users.high)],
        "requests_per_s": _float(limit.requests_per_s),
        "requests_per_s_per_user": _float(limit.requests_per_s_per_user),
    }


def _service(seen: Outlook, down_s: list[float] | None) -> Json:
    plan, chosen = seen.service.inputs, seen.found.answer.chosen
    ssh = [
        holds(tier, tier.ways[0], tier.per_node.value, num or 1)
        for tier, num in zip(plan.tiers, seen.found.num, strict=True)
    ]
    totals = [part.nodes for part in chosen.parts] if chosen else []
    return {
        "total": chosen.nodes if chosen else None,
        "availability": 1.0 - chosen.down_s / plan.year_s if chosen else None,
        "downtime_s_per_year": chosen.down_s if chosen else None,
        # Whatever the tiers' failures have to do with each other: all at once, or never two.
        "downtime_s_per_year_bounds": [max(down_s), math.fsum(down_s)] if down_s else None,
        "users_carried": users_carried(plan, seen.values, chosen.parts, totals) if chosen else None,
        "bottleneck": [
            tier.name
            for tier, most in zip(plan.tiers, ssh, strict=True)
            if math.isclose(most, min(ssh), rel_tol=1e-12)
        ],
        "interval": {
            "total": [
                end.answer.chosen.nodes if end.answer.chosen else None for end in (seen.fewest, seen.most)
            ]
        },
        "why": list(seen.found.answer.why),
    }


def _one_more(service: Service, each: OneMore) -> Json:
    return {
        "tier": service.inputs.tiers[each.at].name,
        "users_carried": each.users_carried,
        "availability": 1.0 - each.down_s / service.inputs.year_s,
        "downtime_s_per_year": each.down_s,
    }


def _step(service: Service, step: Step) -> Json:
    chosen = step.answer.chosen
    return {
        "users_from": step.users_from,
        "users_to": step.users_to,
        "limited_by": list(step.limited_by),
        "total": chosen.nodes if chosen else None,
        "nodes": _by_tier(service, chosen) if chosen else None,
        "why": list(step.answer.why),
    }


def _by_tier(service: Service, chosen: Candidate) -> dict[str, int]:
    return {service.inputs.tiers[part.at].name: part.nodes for part in chosen.parts}


def _warnings(seen: Outlook) -> list[str]:
    """Those of the limits; and what the low ends of the limits would not carry."""
    told = list(seen.service.inputs.warnings)
    if seen.found.answer.chosen and seen.most.answer.chosen is None:
        told += [f"at the low end of the limits: {why}" for why in seen.most.answer.why]
    return told


def _float(number: Fraction | None) -> float | None:
    return None if number is None else float(number)
