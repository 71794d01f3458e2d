"""What the rows amount to: users, dollars, costs of an operation and nodes of each configuration. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from loadstone.judge.estimates import positive_mean
from loadstone.study.results import Results
from loadstone.study.stacks.claims import claims
from loadstone.study.stacks.description import Configuration, Description
from loadstone.study.stacks.hosts import CACHE, CLIENT, FRONT
from loadstone.study.stacks.money import dollars
from loadstone.study.stacks.tiers import TIERS, nodes, planned

Json = dict[str, Any]

SLAS = ("SLA-1", "SLA-2")
DECIDED = "tolerance"
"""What ends the search of an SLA that has found its answer."""
DIFFERS = "differs"
"""In place of it, where searches of one configuration say different things."""


def findings(file: Description, results: Results) -> Json:
    """Everything that is computed, from the rows that there are."""
    found = {
        one.name: _configuration(one, file, searches)
        for one in file.configuration
        if (searches := _searches(one, results))
    }
    content: Json = {
        "cpus": {name: one.cpus for name, one in file.machine.items()},
        "prices": file.prices.model_dump(),
        "nodes_for": file.nodes.model_dump(),
        "parts": found,
        "paper": [one.model_dump() | {"ours": _translation(file, one.number, found)} for one in file.paper],
    }
    return content | {"findings": claims(content)}


def _searches(one: Configuration, results: Results) -> list[Json]:
    """What each search of a configuration has said last; the latest search comes last."""
    last: dict[str, Json] = {}
    for row in results.rows:
        if row["part"] == one.name and "error" not in row:
            last.pop(row["measured"]["folder"], None)
            last[row["measured"]["folder"]] = row["measured"]
    return list(last.values())


def _translation(file: Description, number: int, found: Json) -> str | None:
    names = [one.name for one in file.configuration if one.paper == number]
    return names[0] if names and names[0] in found else None


def _configuration(one: Configuration, file: Description, searches: Sequence[Json]) -> Json:
    best = {sla: _best(sla, searches) for sla in SLAS if any(sla in search for search in searches)}
    row = best.get("SLA-1") or searches[-1]
    # One that Ctrl-C cut short before its steady state has nothing of the hosts that serve.
    runs = [run for run in row["runs"] if run["ops_per_s"] and "app" in run["tiers"]]
    held = {
        sla: _held(one, file, _together(found[sla], [other[sla] for other in searches if sla in other]))
        for sla, found in best.items()
    }
    first = held.get("SLA-1")
    return {
        **one.model_dump(exclude={"first"}),
        "compliant": row["compliant"],
        "window_s": row["window_s"],
        "outcome": row["outcome"],
        **held,
        "runs": [_run(run) for run in runs],
        "cpu_ms_per_op": _costs(runs),
        "memory_bytes": {
            tier: max(run["tiers"][tier]["memory_bytes"] for run in runs)
            for tier in TIERS
            if runs and all("memory_bytes" in run["tiers"].get(tier, {}) for run in runs)
        },
        "operations": sum(run["operations"] for run in runs),
        "failed": _sum_of([run["failed"] for run in runs]),
        "wrong_bodies": sum(run["wrong_bodies"] for run in runs),
        "machine_load": _machine_load(runs),
        "nodes": _nodes(one, file, first, runs),
        "took_s": row["took_s"],
    }


def _best(sla: str, searches: Sequence[Json]) -> Json:
    """The search that knows most of an SLA, the latest of those: one that came to its end, or else one that
    saw it hold and break. A later one that was cut short does not hide it.
    """

    def known(at: int) -> tuple[bool, int, int]:
        held = searches[at].get(sla)
        if held is None:
            return False, -1, at
        return _is_decided(held), sum(held[end] is not None for end in ("low", "high")), at

    return searches[max(range(len(searches)), key=known)]


def _together(held: Json, every: Sequence[Json]) -> Json:
    """What a search says of an SLA; where another one broke at what it held, or held what broke it, the
    interval around all of them and no number: each alone would claim more than is known.
    """
    differing = [other for other in every if _is_below(other, held) or _is_below(held, other)]
    if not differing:
        return held
    lows, highs = zip(*((one["low"], one["high"]) for one in [held, *differing]), strict=True)
    return held | {
        "users": None,
        "low": None if None in lows else min(lows),
        "high": None if None in highs else max(highs),
        "ended_by": DIFFERS,
    }


def _is_below(one: Json, other: Json) -> bool:
    """Whether it broke where the other held."""
    return None not in (one["high"], other["low"]) and one["high"] <= other["low"]


def _is_decided(held: Json) -> bool:
    return held["ended_by"] == DECIDED and bool(held["users"])


def _held(one: Configuration, file: Description, held: Json) -> Json:
    decided = _is_decided(held)
    return held | {"decided": decided, "usd": dollars(one, file, held, decided=decided)}


def _run(run: Json) -> Json:
    kept = ("users", "state", "verdict", "worst_share", "missed_checks", "ops_per_s", "limit", "wrong_bodies")
    told = {"memory_us": run["machine"].get("memory_us"), "slowed": run.get("slowed")}
    return {name: run[name] for name in kept} | {name: value for name, value in told.items() if value}


def _costs(runs: Sequence[Json]) -> Json:
    """Processor time of an operation by tier, over the runs; {} without any.

    Runs that the service failed are left out where there are others: it had collapsed under them.
    """
    runs = [run for run in runs if run["state"] == "valid"] or runs
    found = {}
    for tier in (*TIERS, CACHE, FRONT, CLIENT):
        each = [
            1000 * run["tiers"][tier]["cpu_cores"] / run["ops_per_s"] for run in runs if tier in run["tiers"]
        ]
        if each:
            found[tier] = asdict(positive_mean(each))
    return found


def _sum_of(counts: Sequence[Json]) -> Json:
    """Failures by cause over all runs."""
    found: dict[str, int] = {}
    for one in counts:
        for cause, count in one.items():
            found[cause] = found.get(cause, 0) + count
    return found


def _machine_load(runs: Sequence[Json]) -> Json:
    """How busy the machine that all hosts share was, how much of that was this lab, and how long the same
    work took it: least and most.
    """
    return {
        name: [min(values), max(values)]
        for name in ("busy_cores", "lab_cores", "steal_share", "compute_us", "memory_us")
        if (values := [run["machine"][name] for run in runs if run["machine"].get(name) is not None])
    }


def _nodes(one: Configuration, file: Description, held: Json | None, runs: Sequence[Json]) -> Json | None:
    """Of a capacity that was found at SLA-1; a bracket is none."""
    if not held or not held["decided"]:
        return None
    at = [run for run in runs if run["users"] == held["users"] and set(planned(one)) <= run["tiers"].keys()]
    return nodes(one, file, held["users"], at[-1]["tiers"]) if at else None
