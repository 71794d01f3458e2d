"""Nodes of each tier that carry the users and stay up, by the search of `loadstone nodes --tiers`. Pure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.plan.part import base
from loadstone.plan.read import plan_of
from loadstone.plan.tiers_outlook import at_end
from loadstone.plan.tiers_read import counted
from loadstone.scenario.findings import Source
from loadstone.scenario.written import parse_toml
from loadstone.study.stacks.description import Configuration, Description
from loadstone.study.stacks.hosts import FRONT
from loadstone.study.stacks.money import whole

Json = dict[str, Any]

TIERS = ("app", "database")
_PATH = Path("stacks")


def planned(one: Configuration) -> tuple[str, ...]:
    """The tiers of a plan: a balancer that shares a server is no tier of its own."""
    return (*TIERS, FRONT) if one.front else TIERS


def nodes(one: Configuration, file: Description, users: float, tiers: Json) -> Json:
    """`needed` and `nodes` of each tier, or `why` there is no such plan.

    `users` held the SLA on the hosts measured, and `tiers` is what these used then. The tier that had used
    most of its quota carries as many; another one more, in proportion to its use: an extrapolation.
    """
    shares = {name: tiers[name]["cpu_cores"] / tiers[name]["quota_cores"] for name in planned(one)}
    most = max(shares.values())
    carried = {name: users * float(whole(one, file, "now")) * most / shares[name] for name in shares}
    carried["app"] /= one.servers
    content = _plan(one, file, carried)
    _, positions = parse_toml(b"", _PATH)
    inputs = counted(plan_of(_PATH, Source(str(_PATH), positions, content, {})))
    try:
        found = at_end(inputs, base(inputs), "value").answer.chosen
    except LoadstoneError as error:
        return {"users_per_node": carried, "why": error.message}
    if found is None:
        return {"users_per_node": carried, "why": _why_none(carried["database"], file.nodes.users)}
    made = {
        name: {"needed": part.needed, "nodes": part.nodes}
        for name, part in zip(carried, found.parts, strict=True)
    }
    return {"users_per_node": carried, "tiers": made, "nodes": sum(part["nodes"] for part in made.values())}


def _why_none(database: float, users: int) -> str:
    """More databases carry no more in this plan: each has to take every write."""
    if database < users:
        return f"one database carries {database:,.0f} of the {users:,} users"
    return "no number of nodes carries so many users and stays up"


def _plan(one: Configuration, file: Description, carried: dict[str, float]) -> Json:
    wanted = file.nodes
    kinds = {"app": one.machine, "database": "compute", FRONT: one.front}
    machines = {name: file.machine[kind].now for name, kind in kinds.items() if kind}
    failovers = {"app": wanted.app_failover, "database": wanted.database_failover, FRONT: wanted.app_failover}
    return {
        "format": 1,
        "name": one.name,
        "load": {"users": wanted.users},
        "target": {"availability": wanted.target},
        "failures": {"crash": wanted.crash},
        "tier": {
            name: {
                "capacity": {"users": round(carried[name], 3)},
                "scales": name != "database",
                "failover": failovers[name],
                "option": [
                    {
                        "name": "rented",
                        "deployment": "active",
                        "instance": machines[name],
                        "book": file.prices.now,
                    }
                ],
            }
            for name in carried
        },
    }
