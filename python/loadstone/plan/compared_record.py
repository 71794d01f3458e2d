"""`nodes.json` of one tier: the deployments side by side, as docs/reference/nodes.md describes it."""

from __future__ import annotations

from typing import Any

from loadstone.nodes.integrity import Shares
from loadstone.plan.compared import Option, fewest
from loadstone.stages import nodes as stages


def nodes_record(
    inputs: dict[str, Any],
    sla: str,
    options_per_sla: dict[str, list[Option]],
    integrity: dict[str, Shares],
    warnings: list[str],
    intervals: dict[str, dict[str, tuple[float, float]]] | None = None,
) -> stages.Nodes:
    """The whole record; `options` and `chosen` are those of `sla`. No option meets it: `chosen` is None."""
    per_sla = {name: _options(found) for name, found in options_per_sla.items()}
    return stages.Nodes(
        inputs=stages.Inputs.model_validate(inputs),
        options=per_sla[sla].options,
        chosen=per_sla[sla].chosen,
        per_sla=per_sla,
        integrity=[
            stages.Integrity(
                node_type=name,
                correct=each.correct,
                corrupt=each.corrupt,
                down=each.down,
                interval=_lists(intervals.get(name)) if intervals else None,
            )
            for name, each in integrity.items()
        ],
        warnings=warnings,
    )


def _lists(interval: dict[str, tuple[float, float]] | None) -> dict[str, list[float | None]] | None:
    return None if interval is None else {what: [low, high] for what, (low, high) in interval.items()}


def _options(found: list[Option]) -> stages.PerSla:
    chosen = fewest(found)
    return stages.PerSla(
        options=[_option(option) for option in found], chosen=_option(chosen) if chosen else None
    )


def _option(option: Option) -> stages.Option:
    return stages.Option(
        deployment=option.deployment,
        node_type=option.node_type,
        num=option.num,
        extra=option.extra,
        total=option.total,
        criterion=option.criterion,
        availability=option.availability,
        downtime_s_per_year=option.downtime_s_per_year,
        note=option.note,
        interval=stages.Interval(num=list(option.num_range), total=list(option.total_range)),
    )
