"""Nodes: as a clause of the answer, as a key figure, as what they rest on."""

from __future__ import annotations

from loadstone.availability.criterion import SENTENCES
from loadstone.report import format
from loadstone.report.plan_tiers import tiers_clause, tiers_intro, tiers_tile
from loadstone.stages.nodes import Inputs, Nodes


def nodes_clause(nodes: Nodes | None) -> str:
    """How many nodes keep it available, or ""."""
    if not nodes:
        return ""
    if nodes.service:
        return tiers_clause(nodes, nodes.service)
    target, load = format.share(nodes.inputs.target_share), _load(nodes.inputs)
    chosen = nodes.chosen
    if not chosen or chosen.total is None:
        return f"no deployment keeps {load} at {target} availability"
    count = chosen.total
    verb = "node keeps" if count == 1 else "nodes keep"
    return f"{format.whole(count)} {verb} {load} at {target} availability ({chosen.deployment})"


def nodes_tiles(nodes: Nodes | None) -> list[tuple[str, str, str, str]]:
    """Label, value, unit and note of the key figures."""
    tiles = []
    if nodes and nodes.service and nodes.service.total is not None:
        tiles.append(tiers_tile(nodes, nodes.service))
    elif nodes and (chosen := nodes.chosen):
        note = f"{_load(nodes.inputs)}, {format.share(nodes.inputs.target_share)}"
        tiles.append(("Nodes", format.whole(chosen.total), "", note))
    return tiles


def nodes_intro(nodes: Nodes) -> str:
    """What the plan rests on, in a sentence or two."""
    inputs = nodes.inputs
    if nodes.service:
        return tiers_intro(nodes, nodes.service) + judged(inputs.criterion)
    unit = "users" if inputs.load_users is not None else "operations/s"
    per_node = inputs.users_per_node if unit == "users" else inputs.ops_per_s_per_node
    parts = [
        f"For {_load(inputs)} at {format.figure(per_node)} {unit} a node ({inputs.sla})",
        f"a target of {format.share(inputs.target_share)}",
        f"a node crashing at {inputs.crash_rate}" if inputs.crash_rate else "",
        f"failover in {inputs.failover}" if inputs.failover else "",
        f"repair in {inputs.repair}" if inputs.repair else "",
    ]
    return ", ".join(part for part in parts if part) + f".{judged(inputs.criterion)}"


def judged(criterion: str | None) -> str:
    """As a sentence after another one; "" where the record does not say, as older ones."""
    return f" {SENTENCES[criterion]}" if criterion in SENTENCES else ""


def _load(inputs: Inputs) -> str:
    if inputs.load_users is not None:
        return f"{format.whole(inputs.load_users)} users"
    return f"{format.figure(inputs.load_ops_per_s)} operations/s"
