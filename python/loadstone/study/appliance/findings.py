"""What the results amount to: cells, targets and the paper's findings beside ours. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from loadstone.judge.estimates import Estimate, median
from loadstone.study.appliance.claims import claims
from loadstone.study.appliance.description import PARTS, Compared, Description, Target, Values
from loadstone.study.definition import judged
from loadstone.study.results import Results

Json = dict[str, Any]


def findings(description: Description, results: Results) -> Json:
    """Everything that is computed, from the rows that there are."""
    found = {name: cells(rows) for name in PARTS if (rows := results.measured(name))}
    labels = {one.name: one.label for one in description.storage}
    labels |= {one.name: one.label for one in description.page}
    content: Json = {
        "labels": labels | {"image": "image", "linux": "Linux guest"},
        "parts": found,
        "targets": [verdict(one, found) for one in description.target],
        "paper": [one.model_dump() | {"ours": beside(one, found)} for one in description.paper],
    }
    return content | {"findings": claims(content)}


def cells(rows: Sequence[Json]) -> list[Json]:
    """Rows with the same case together, in the order of their first measurement by case; each figure with
    its median over the repetitions and its range, and by repetition.
    """
    groups: dict[str, list[Json]] = {}
    for row in rows:
        groups.setdefault(json.dumps(row["case"], sort_keys=True), []).append(row)
    return [
        {
            "case": group[0]["case"],
            "repetitions": len(group),
            "figures": {
                name: asdict(ranged([row["measured"][name] for row in group]))
                for name in group[0]["measured"]
            },
            "by_repetition": {str(row["repetition"]): row["measured"] for row in group},
        }
        for _, group in sorted(groups.items())
    ]


def ranged(values: Sequence[float]) -> Estimate:
    """The median with the least and the greatest value: of a few repetitions nothing better can be said."""
    found = median(values)
    return Estimate(found.value, min(values), max(values), found.count, found.deviation)


def beside(compared: Compared, found: Json) -> list[Json]:
    """Every cell that is meant, with its figure or, when it is compared, with the ratio to its counterpart.

    The interval of a ratio is that of the ratios within each repetition, which were measured close together.
    """
    made = []
    for cell in found.get(compared.part, ()):
        if not _has(cell["case"], compared.of):
            continue
        if compared.against is None:
            value = cell["figures"].get(compared.figure)
        else:
            other = _counterpart(cell, compared.against, found[compared.part])
            value = _ratio(cell, other, compared.figure) if other else None
        if value is not None:
            made.append({"case": cell["case"], "value": value})
    return made


def verdict(target: Target, found: Json) -> Json:
    """The target with the worst of its cells: `measured`, `case` and its verdict, None where nothing was
    measured."""
    content: Json = target.model_dump() | {"measured": None, "case": None, "verdict": None, "cells": 0}
    compared = beside(target, found)
    if not compared:
        return content
    pick = max if target.least is None else min
    worst = pick(compared, key=lambda one: float(one["value"]["value"]))
    return content | {
        "measured": worst["value"],
        "case": worst["case"],
        "verdict": judged(worst["value"], target.least, target.most),
        "cells": len(compared),
    }


def _has(case: Json, values: Values) -> bool:
    return all(case.get(name) == value for name, value in values.items())


def _counterpart(cell: Json, against: Values, cells_: Sequence[Json]) -> Json | None:
    wanted = cell["case"] | against
    return next((one for one in cells_ if one["case"] == wanted), None)


def _ratio(first: Json, second: Json, figure: str) -> Json | None:
    """Of the medians, with an interval of the ratios within repetitions (`median`)."""
    if figure not in first["figures"] or figure not in second["figures"]:
        return None
    within = [
        row[figure] / other[figure]
        for number, row in first["by_repetition"].items()
        if (other := second["by_repetition"].get(number)) and other[figure]
    ]
    under = second["figures"][figure]["value"]
    if not within or not under:
        return None
    value = first["figures"][figure]["value"] / under
    spread = median(within)
    return asdict(Estimate(value, spread.low, spread.high, len(within)))
