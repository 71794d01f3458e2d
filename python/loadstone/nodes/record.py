"""`nodes.json`: the record of one plan, as docs/reference/nodes.md describes it."""

from __future__ import annotations

from typing import Any

from loadstone.nodes.integrity import Shares
from loadstone.plan.compared import Option, fewest

FILE = "nodes.json"


def option_record(option: Option) -> dict[str, Any]:
    """One option as JSON: plain numbers, `null` for what cannot be met or is not known."""
    return {
        "deployment": option.deployment,
        "node_type": option.node_type,
        "num": option.num,
        "extra": option.extra,
        "total": option.total,
        "criterion": option.criterion,
        "availability": option.availability,
        "downtime_s_per_year": option.downtime_s_per_year,
        "note": option.note,
        "interval": {"num": list(option.num_range), "total": list(option.total_range)},
    }


def nodes_record(
    inputs: dict[str, Any],
    sla: str,
    options_per_sla: dict[str, list[Option]],
    integrity: dict[str, Shares],
    warnings: list[str],
) -> dict[str, Any]:
    """The whole record; `options` and `chosen` are those of `sla`. No option meets it: `chosen` is null."""
    per_sla = {name: _options(found) for name, found in options_per_sla.items()}
    return {
        "format": 1,
        "kind": "nodes",
        "inputs": inputs,
        **per_sla[sla],
        "per_sla": per_sla,
        "integrity": [
            {"node_type": name, "correct": each.correct, "corrupt": each.corrupt, "down": each.down}
            for name, each in integrity.items()
        ],
        "warnings": warnings,
    }


def _options(found: list[Option]) -> dict[str, Any]:
    chosen = fewest(found)
    return {
        "options": [option_record(option) for option in found],
        "chosen": option_record(chosen) if chosen else None,
    }
