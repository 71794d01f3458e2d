"""`nodes.json` of a service in tiers, as docs/reference/nodes.md describes it."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from loadstone.nodes.tiers.growth import OneMore, Outlook, Step, users_carried, wall
from loadstone.nodes.tiers.plan import Allocation, Planned
from loadstone.nodes.tiers.read import Tier, Tiers

Json = dict[str, Any]


def tiers_record(seen: Outlook, inputs: Json) -> Json:
    """The whole record; `inputs` are the options as typed."""
    service, found = seen.service, seen.found
    return {
        "format": 1,
        "kind": "nodes",
        "inputs": {
            **inputs, "target_share": float(service.target), "criterion": service.criterion,
            "without_spares": service.without_spares, "load_users": float(seen.users),
            "year": service.year, "year_s": float(service.year_s),
        },
        "tiers": [_tier(seen, i) for i in range(len(service.tiers))],
        "service": _service(seen),
        "one_more": [_one_more(service, each) for each in seen.one_more],
        "growth": [_step(service, step) for step in seen.growth],
        "growth_stride": seen.stride,
        "users_wall": wall(service),
        "warnings": _warnings(service, found, seen.most),
    }  # fmt: skip


def _tier(seen: Outlook, i: int) -> Json:
    service, chosen, ends = seen.service, seen.found.chosen, (seen.fewest, seen.most)
    tier, num = service.tiers[i], seen.found.num[i]
    assert num is not None
    down = chosen.down[i] if chosen else None
    return {
        "name": tier.name,
        "deployment": tier.deployment,
        "scales": tier.scales,
        **tier.typed,
        "instance": tier.instance,
        "limit": _limit(tier),
        "num": num,
        "extra": chosen.extra[i] if chosen else None,
        "total": chosen.totals[i] if chosen else None,
        "load_share": float(seen.users / (num * tier.limit.users.value)),
        "next_node_above_users": math.floor(num * tier.limit.users.value) if tier.scales else None,
        "availability": None if down is None else 1.0 - down,
        "downtime_s_per_year": _seconds(service, down),
        "downtime_part": None if chosen is None or down is None else down / (math.fsum(chosen.down) or 1.0),
        "interval": {
            "num": [end.num[i] for end in ends],
            "total": [end.chosen.totals[i] if end.chosen else None for end in ends],
        },
    }  # fmt: skip


def _limit(tier: Tier) -> Json:
    limit = tier.limit
    return {
        "source": limit.source,
        "upper_bound": limit.upper_bound,
        "users_per_node": float(limit.users.value),
        "interval": [_float(limit.users.low), _float(limit.users.high)],
        "requests_per_s": _float(limit.requests_per_s),
        "requests_per_s_per_user": _float(limit.requests_per_s_per_user),
    }


def _service(seen: Outlook) -> Json:
    service, found, chosen = seen.service, seen.found, seen.found.chosen
    down = chosen.share_down if chosen else None
    reach = [num * tier.limit.users.value for tier, num in zip(service.tiers, found.num, strict=True) if num]
    return {
        "total": sum(chosen.totals) if chosen else None,
        "availability": None if down is None else 1.0 - down,
        "downtime_s_per_year": _seconds(service, down),
        # Whatever the tiers' failures have to do with each other: all at once, or never two.
        "downtime_s_per_year_bounds": [
            _seconds(service, max(chosen.down)),
            _seconds(service, math.fsum(chosen.down)),
        ]
        if chosen
        else None,
        "users_carried": users_carried(service, chosen.totals) if chosen else None,
        "bottleneck": [
            tier.name for tier, most in zip(service.tiers, reach, strict=True) if most == min(reach)
        ],
        "interval": {
            "total": [sum(end.chosen.totals) if end.chosen else None for end in (seen.fewest, seen.most)]
        },
        "why": list(found.why),
    }


def _one_more(service: Tiers, each: OneMore) -> Json:
    return {
        "tier": each.tier,
        "users_carried": each.users_carried,
        "availability": 1.0 - each.share_down,
        "downtime_s_per_year": _seconds(service, each.share_down),
    }


def _step(service: Tiers, step: Step) -> Json:
    return {
        "users_from": step.users_from,
        "users_to": step.users_to,
        "limited_by": list(step.limited_by),
        "total": sum(step.chosen.totals) if step.chosen else None,
        "nodes": _by_tier(service, step.chosen),
        "why": list(step.why),
    }


def _by_tier(service: Tiers, chosen: Allocation | None) -> dict[str, int] | None:
    if chosen is None:
        return None
    return {tier.name: total for tier, total in zip(service.tiers, chosen.totals, strict=True)}


def _warnings(service: Tiers, found: Planned, most: Planned) -> list[str]:
    """Those of the limits; and what the low ends of the limits would not carry."""
    told = list(service.warnings)
    if found.chosen and most.chosen is None:
        told += [f"at the low end of the limits: {why}" for why in most.why]
    return told


def _seconds(service: Tiers, share: float | None) -> float | None:
    return None if share is None else share * float(service.year_s)


def _float(number: Fraction | None) -> float | None:
    return None if number is None else float(number)
