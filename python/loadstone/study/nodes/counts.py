"""Tables II and III: the extra nodes that every cell needs, and what proves that one fewer is not enough."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from loadstone.availability.criterion import FIRST_YEAR
from loadstone.availability.deployments import ARA_CLOUD, PF_CLOUD, PF_ON_PREM, PF_ON_PREM_REPAIR
from loadstone.nodes import texts
from loadstone.nodes.integrity import NODE_TYPES
from loadstone.nodes.quantities import parse_duration, parse_rate, parse_target
from loadstone.nodes.sizing import nodes_needed
from loadstone.nodes.texts import Bounds
from loadstone.plan.compared import Option, option
from loadstone.plan.named import Hazards
from loadstone.study.nodes.description import NODES, Description, PrintedColumn, PrintedTable

Json = dict[str, Any]

UNUSED = Fraction(1)
"""A failover rate for deployments that have none."""
MOST_PROVED = 400
"""Extra nodes up to which the chain itself is solved beside the closed form."""
NONE = "x"
"""As the paper prints it: no number of nodes is enough."""


def base(description: Description) -> list[Json]:
    """Nodes for the load while none fails, by the throughput that each type has in Table I."""
    load = Fraction(description.load)
    return [
        {"node": name, "num": nodes_needed(load, Fraction(1), NODE_TYPES[name].throughput)} for name in NODES
    ]


def table(printed: PrintedTable, description: Description) -> Json:
    """A table of the paper: a cell for every column, node type and reading of the column's heading."""
    cells = [
        _cell(printed, column, crash, name, description)
        for column in printed.column
        for crash in column.crash
        for name in NODES
    ]
    return {"place": printed.place, "title": printed.title, "cells": cells}


def _cell(
    printed: PrintedTable, column: PrintedColumn, crash: str, node: str, description: Description
) -> Json:
    hazards = _hazards(column, crash, description)
    num = nodes_needed(Fraction(description.load), Fraction(1), NODE_TYPES[node].throughput)
    deployment = PF_ON_PREM_REPAIR if column.repair else printed.deployment
    found = option(num, node, deployment, hazards)
    ours: int | str = NONE if found.extra is None else found.extra
    paper = (column.paper or {}).get(node)  # type: ignore[call-overload]
    return {
        "column": column.label,
        "node": node,
        "num": num,
        "crash": crash,
        "fitting": crash == column.crash[0],
        "paper": paper,
        "ours": ours,
        "agrees": None if paper is None else paper == ours,
        "availability": found.availability,
        "why": found.note,
        "note": column.note,
        "proof": _proof(found, deployment, hazards),
    }


def _hazards(column: PrintedColumn, crash: str, description: Description) -> Hazards:
    year_s = description.year_s
    return Hazards(
        crash=parse_rate(crash, year_s),
        failover=1 / parse_duration(column.failover) if column.failover else UNUSED,
        repair=1 / parse_duration(column.repair) if column.repair else None,
        target=parse_target(description.target),
        year_s=year_s,
        criterion=FIRST_YEAR,
        without_spares="never-returns",
    )


def _proof(found: Option, deployment: str, hazards: Hazards) -> Json | None:
    """Bounds of the downtime with the extra nodes and with one fewer; None beyond `MOST_PROVED`.

    When no number is enough: bounds of the downtime that a pool without end leaves.
    """
    allowed = hazards.allowed_s()
    if found.extra is None:
        low, high = _down(found.num, 0, PF_CLOUD, hazards)
        return {"allowed_s": allowed, "endless_s": [low, high], "holds": low > allowed}
    if found.extra > MOST_PROVED:
        return None
    enough = _down(found.num, found.extra, deployment, hazards)
    fewer = _down(found.num, found.extra - 1, deployment, hazards) if found.extra else None
    holds = enough[1] <= allowed and (fewer is None or fewer[0] > allowed)
    return {"allowed_s": allowed, "enough_s": enough, "one_fewer_s": fewer, "holds": holds}


def _down(num: int, extra: int, deployment: str, hazards: Hazards) -> Bounds:
    crash, failover, year_s = float(hazards.crash), float(hazards.failover), float(hazards.year_s)
    if deployment in (PF_ON_PREM, PF_ON_PREM_REPAIR):
        mend = float(hazards.repair) if hazards.repair else 0.0
        return texts.passive_down_s(num, extra, crash, failover, mend, year_s)
    replace = failover if deployment in (ARA_CLOUD, PF_CLOUD) else 0.0
    return texts.active_down_s(num, extra, crash, replace, year_s)
