"""What the results amount to: cells, targets and the paper's findings beside ours. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from loadstone.judge.estimates import median
from loadstone.study.connectors.claims import claims
from loadstone.study.connectors.compared import ratio
from loadstone.study.connectors.description import BEST, OWN, Description, Experiment, Paper, Target
from loadstone.study.definition import judged
from loadstone.study.results import Results

Json = dict[str, Any]

FIGURES = (
    "completed",
    "completed_share",
    "sessions_per_s",
    "steady_sessions_per_s",
    "replies_per_s",
    "life_s_mean",
    "calls_completed_mean",
    "response_ms_mean",
    "response_ms_p50",
    "response_ms_p99",
    "timeouts",
    "refused",
    "answered_wrong",
    "closed_by_server",
    "connections",
    "server_cpu_us",
    "asked_in_vain_share",
)
"""Of a cell, each with its median over the repetitions and an interval."""


def findings(description: Description, results: Results) -> Json:
    """Everything that is computed, from the rows that there are, by the definition they were measured by."""
    found = {
        one.name: {
            "title": one.title,
            "compare": one.compare,
            "arrive_s": one.arrive_s,
            "capacity_sessions_per_s": one.capacity_sessions_per_s,
            "cells": cells(results.measured(one.name)),
        }
        for one in description.experiment
        if results.measured(one.name)
    }
    content: Json = {
        "variants": [
            {"name": one.name, "label": one.label, "kind": one.kind, "charted": one.charted}
            for one in description.server
        ],
        "parts": found,
        "targets": [verdict(one, description, found) for one in description.target],
        "paper": [beside(one, description.experiment_of(one.experiment), found) for one in description.paper],
        "peer": peer(found),
        "warnings": [],
    }
    return content | {"findings": claims(content)}


def cells(rows: Sequence[Json]) -> list[Json]:
    """Rows with the same case together; in the order of load, server and client."""
    groups: dict[tuple[float, str, str], list[Json]] = {}
    for row in rows:
        case = row["case"]
        key = (case["sessions_per_s"], case["server"], case["client"])
        groups.setdefault(key, []).append(row)
    return [
        {
            "sessions_per_s_offered": offered,
            "server": server,
            "client": client,
            "repetitions": len(group),
            "figures": {name: _figure(name, group) for name in FIGURES},
            "by_repetition": {
                str(row["repetition"]): {name: _value(name, row["measured"]) for name in FIGURES}
                for row in group
            },
        }
        for (offered, server, client), group in sorted(groups.items())
    ]


def _figure(name: str, rows: Sequence[Json]) -> Json | None:
    values = [value for row in rows if (value := _value(name, row["measured"])) is not None]
    return asdict(median(values)) if values else None


def _value(name: str, measured: Json) -> float | None:
    """One repetition's figure; None where its client does not count it."""
    begun = measured.get("begun", measured.get("sessions", 0)) + measured.get("dropped", 0)
    failed, replies = measured.get("failed"), measured["replies"]
    match name:
        case "completed_share":
            return measured["completed"] / begun if begun else None
        case "timeouts":
            return float(measured["timeouts"] if failed is None else failed.get("timeout", 0))
        case "refused":
            return float(measured["refused"] if failed is None else failed.get("refused", 0))
        case "answered_wrong":
            return None if failed is None else failed.get("status", 0) + failed.get("marker", 0)
        case "server_cpu_us":
            return measured["server_cpu_s"] * 1e6 / replies if replies else None
        case "asked_in_vain_share":
            calls = measured.get("database_calls")
            return max(0.0, 1 - replies / calls) if calls else None
    found = measured.get(name)
    return None if found is None else float(found)


def verdict(target: Target, description: Description, found: Json) -> Json:
    """The target with what was measured: `measured` (with its interval) and its verdict, or None for both."""
    kinds = {one.name: one.kind for one in description.server}
    at = [
        cell
        for cell in found.get(target.experiment, {"cells": []})["cells"]
        if cell["client"] == "loadstone" and cell["sessions_per_s_offered"] == target.sessions_per_s
    ]
    by_name = {cell["server"]: cell for cell in at if cell["figures"][target.figure]}
    content = target.model_dump() | {
        "measured": None,
        "verdict": None,
        "who": target.server,
        "other": target.against,
    }
    names = [target.server] if target.server != OWN else [name for name in by_name if kinds[name] == OWN]
    if not names or not all(name in by_name for name in names):
        return content
    measured = {name: by_name[name]["figures"][target.figure] for name in names}
    who = min(measured, key=lambda name: measured[name]["value"])
    content["who"] = who
    result: Json | None = measured[who]
    if target.value is not None:
        result = _scaled(measured[who], target.value)
    elif target.against is not None:
        others = [name for name in by_name if name not in names]
        if target.against != BEST:
            others = [target.against] if target.against in by_name else []
        if not others:
            return content
        other = max(others, key=lambda name: by_name[name]["figures"][target.figure]["value"])
        content["other"] = other
        result = ratio(by_name[who], by_name[other], target.figure)
    return content | {"measured": result, "verdict": judged(result, target.least, target.most)}


def _scaled(one: Json, divisor: float) -> Json:
    return one | {
        name: None if one[name] is None else one[name] / divisor
        for name in ("value", "low", "high", "deviation")
    }


def beside(paper: Paper, experiment: Experiment, found: Json) -> Json:
    """A finding of the paper with ours: hybrid and threaded at the highest load both were measured under."""
    content: Json = paper.model_dump() | {"ours": None}
    hybrid, threaded = experiment.compare
    part = found.get(experiment.name)
    if part is None:
        return content
    at: dict[float, dict[str, Json]] = {}
    for cell in part["cells"]:
        if cell["client"] == "loadstone" and cell["server"] in experiment.compare:
            at.setdefault(cell["sessions_per_s_offered"], {})[cell["server"]] = cell
    both = [load for load, cells_ in at.items() if len(cells_) == 2]
    if both:
        load = max(both)
        content["ours"] = {
            "sessions_per_s_offered": load,
            "hybrid": at[load][hybrid]["figures"][paper.figure],
            "threaded": at[load][threaded]["figures"][paper.figure],
        }
    return content


def peer(found: Json) -> list[Json]:
    """httperf beside our engine on the same server under the same load."""
    pairs = []
    for part in found.values():
        ours = {
            (cell["server"], cell["sessions_per_s_offered"]): cell
            for cell in part["cells"]
            if cell["client"] == "loadstone"
        }
        for cell in part["cells"]:
            own = ours.get((cell["server"], cell["sessions_per_s_offered"]))
            if cell["client"] == "httperf" and own:
                pairs.append(
                    {
                        "server": cell["server"],
                        "sessions_per_s_offered": cell["sessions_per_s_offered"],
                        "loadstone": {name: own["figures"][name] for name in _COMMON},
                        "httperf": {name: cell["figures"][name] for name in _COMMON},
                        "agree": _overlap(own["figures"]["completed"], cell["figures"]["completed"]),
                    }
                )
    return pairs


_COMMON = ("completed", "sessions_per_s", "life_s_mean", "response_ms_mean", "timeouts")


def _overlap(first: Json, second: Json) -> bool | None:
    """Whether two intervals have values in common; None without intervals."""
    if first["low"] is None or second["low"] is None:
        return None
    return bool(first["low"] <= second["high"] and second["low"] <= first["high"])
