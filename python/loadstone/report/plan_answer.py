"""Nodes and dollars: as clauses of the answer, as key figures, as what they rest on."""

from __future__ import annotations

from typing import Any

from loadstone.availability.criterion import SENTENCES
from loadstone.report import format
from loadstone.report.folder import Json
from loadstone.report.plan_tiers import tiers_clause, tiers_intro, tiers_tile

HORIZON = "12"
"""Months of operation the answer speaks of."""


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


def cost_clause(cost: Json | None) -> str:
    """What a user costs over `HORIZON` months, or ""."""
    if not cost or not cost["per_user"]:
        return ""
    sla, each = _first(cost["per_user"])
    amount = f"{format.dollars(each[HORIZON])} per user per month over {HORIZON} months at {sla}"
    traffic = (cost.get("per_user_with_egress") or {}).get(sla)
    return f"{amount} ({format.dollars(traffic[HORIZON])} with traffic)" if traffic else amount


def plan_tiles(nodes: Json | None, cost: Json | None) -> list[tuple[str, str, str, str]]:
    """Label, value, unit and note of the stages' key figures."""
    tiles = []
    if nodes and "tiers" in nodes and nodes["service"]["total"] is not None:
        tiles.append(tiers_tile(nodes))
    elif nodes and (chosen := nodes.get("chosen")):
        note = f"{_load(nodes['inputs'])}, {format.share(nodes['inputs']['target_share'])}"
        tiles.append(("Nodes", format.whole(chosen["total"]), "", note))
    if cost and cost["per_user"]:
        sla, each = _first(cost["per_user"])
        tiles.append(("Per user per month", format.dollars(each[HORIZON]), "", f"{HORIZON} months, {sla}"))
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


def cost_intro(cost: Json) -> str:
    """What the dollars are spread over; of a plan in tiers also what it is judged by."""
    return _COST_INTRO + judged((cost.get("plan") or {}).get("inputs"))


_COST_INTRO = (
    "Spread over 1, 12 and 36 months of operation, per user the service carries. "
    "Each line of the bill names the row of the price book it comes from."
)


def _first(per_user: Json) -> tuple[str, Json]:
    """SLA-1's figures, or those of the only SLA there is."""
    sla = "SLA-1" if "SLA-1" in per_user else next(iter(per_user))
    return sla, per_user[sla]


def _load(inputs: Json) -> str:
    if inputs.get("load_users") is not None:
        return f"{format.whole(inputs['load_users'])} users"
    return f"{format.figure(inputs.get('load_ops_per_s'))} operations/s"
