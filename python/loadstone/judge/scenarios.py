"""Of which scenarios a plan consists, and what each of several did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from loadstone.judge.measurement import Measurement, OperationSeries
from loadstone.judge.sessions import Tally
from loadstone.stages.run_operations import ScenarioFigures, ScenarioSessions


def walks(plan: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Each of several scenarios as a plan of its own; the plan itself where it is one.

    >>> plan = {"operations": [{"name": "a.A"}, {"name": "b.B"}],
    ...         "mix": {"a.A": {"a.A": 1}, "b.B": {"b.B": 1}},
    ...         "scenarios": [{"name": "a", "operations": 1}, {"name": "b", "operations": 1}]}
    >>> [walk["operations"] for walk in walks(plan)]
    [[{'name': 'a.A'}], [{'name': 'b.B'}]]
    """
    scenarios = plan.get("scenarios")
    if not scenarios:
        return [plan]
    found, at = [], 0
    for one in scenarios:
        own = plan["operations"][at : at + one["operations"]]
        at += one["operations"]
        mix = {operation["name"]: plan["mix"][operation["name"]] for operation in own}
        found.append({**one, "operations": own, "mix": mix})
    return found


def beside(plan: Mapping[str, Any], operation: str) -> list[str]:
    """The operations of the scenario that has this one."""
    all_of_them = ([one["name"] for one in walk["operations"]] for walk in walks(plan))
    return next(names for names in all_of_them if operation in names)


def summarise_scenarios(measurement: Measurement, plan: Mapping[str, Any]) -> list[ScenarioFigures]:
    """What each of several scenarios did in the steady state; none where the plan is one."""
    if not plan.get("scenarios"):
        return []
    weights = sum(one["weight"] for one in plan["scenarios"])
    series = {operation.name: operation for operation in measurement.operations}
    tallies = measurement.sessions.by_scenario if measurement.sessions else {}
    begun = sum(one.begun for one in tallies.values())
    return [
        _figures(
            walk["name"],
            walk["weight"] / weights,
            [series[one["name"]] for one in walk["operations"]],
            measurement,
            None if plan["load"].get("requests_per_s") else tallies.get(walk["name"]),
            begun,
        )
        for walk in walks(plan)
    ]


def _figures(
    name: str,
    share: float,
    operations: Sequence[OperationSeries],
    measurement: Measurement,
    sessions: Tally | None,
    begun: int,
) -> ScenarioFigures:
    count = _sum(one.count for one in operations)
    right = _sum(one.ok for one in operations)
    return ScenarioFigures(
        name=name,
        share=share,
        count=int(count),
        count_share=count / measurement.count if measurement.count else None,
        throughput_ops_per_s=right / measurement.steady_s if measurement.steady_s else None,
        failed=int(count - right),
        late=int(_sum(one.late for one in operations)),
        dropped=int(_sum(one.dropped for one in operations)),
        sessions=None
        if sessions is None
        else ScenarioSessions(
            begun=sessions.begun,
            begun_share=sessions.begun / begun if begun else None,
            completed=sessions.completed,
            lost=sum(sessions.lost.values()),
            dropped=sessions.dropped,
        ),
    )


def _sum(series: Any) -> float:
    return float(sum(np.sum(one) for one in series))
