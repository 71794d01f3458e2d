"""Nodes: as a clause of the answer, as a key figure, as what they rest on."""

from __future__ import annotations

from typing import Any

from loadstone.availability.criterion import SENTENCES
from loadstone.report import format
from loadstone.report.folder import Json
from loadstone.report.plan_tiers import tiers_clause, tiers_intro, tiers_tile


def nodes_clause(nodes: Json | None) -> str:
    """How many nodes keep it available, or ""."""
    if not nodes:
        return ""
    if "tiers" in nodes:
        return tiers_clause(nodes)
    target, load = format.share(nodes["inputs"]["target_share"]), _load(nodes["inputs"])
    chosen = nodes.get("chosen")
    if not chosen or chosen.get("total") is None:
        return f"no deployment keeps {load} at {target} availability"
    count = chosen["total"]
    verb = "node keeps" if count == 1 else "nodes keep"
    return f"{format.whole(count)} {verb} {load} at {target} availability ({chosen['deployment']})"


def nodes_tiles(nodes: Json | None) -> list[tuple[str, str, str, str]]:
    """Label, value, unit and note of the key figures."""
    tiles = []
    if nodes and "tiers" in nodes and nodes["service"]["total"] is not None:
        tiles.append(tiers_tile(nodes))
    elif nodes and (chosen := nodes.get("chosen")):
        note = f"{_load(nodes['inputs'])}, {format.share(nodes['inputs']['target_share'])}"
        tiles.append(("Nodes", format.whole(chosen["total"]), "", note))
    return tiles


def nodes_intro(nodes: Json) -> str:
    """What the plan rests on, in a sentence or two."""
    if "tiers" in nodes:
        return tiers_intro(nodes) + judged(nodes["inputs"])
    inputs = nodes["inputs"]
    unit = "users" if inputs.get("load_users") is not None else "operations/s"
    per_node = inputs.get("users_per_node") if unit == "users" else inputs.get("ops_per_s_per_node")
    parts = [
        f"For {_load(inputs)} at {format.figure(per_node)} {unit} a node ({inputs.get('sla')})",
        f"a target of {format.share(inputs['target_share'])}",
        f"a node crashing at {inputs['crash_rate']}" if inputs.get("crash_rate") else "",
        f"failover in {inputs['failover']}" if inputs.get("failover") else "",
        f"repair in {inputs['repair']}" if inputs.get("repair") else "",
    ]
    return ", ".join(part for part in parts if part) + f".{judged(inputs)}"


def judged(inputs: Any) -> str:
    """By what criterion, as a sentence after another one; "" where the record does not say, as older ones."""
    name = inputs.get("criterion") if isinstance(inputs, dict) else None
    sentence = SENTENCES.get(name) if isinstance(name, str) else None
    return f" {sentence}" if sentence else ""


def _load(inputs: Json) -> str:
    if inputs.get("load_users") is not None:
        return f"{format.whole(inputs['load_users'])} users"
    return f"{format.figure(inputs.get('load_ops_per_s'))} operations/s"
