"""What balancers do: where time goes, who gets requests, what happens when something breaks. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from loadstone.judge.estimates import positive_mean, share_mean
from loadstone.study.balancers.carried import estimate, grouped, response_ms
from loadstone.study.compare import pairwise
from loadstone.study.fairness import fairness

Json = dict[str, Any]

ROTATION = "round-robin"
PLACES = ("client", "network", "balancer", "server")


def segments(rows: list[Json]) -> list[Json]:
    """Mean microseconds and share of the response time by place."""
    found = []
    for group in grouped(rows, "balancer"):
        good = [row for row in group if row["places"]]
        if not good:
            continue
        spent = {place: _place(good, place) for place in PLACES}
        total = sum(one["value"] for one in spent.values() if one)
        found.append(
            {
                "balancer": group[0]["balancer"],
                "requests": sum(row["requests_seen"] for row in good),
                "unmatched": sum(row["unmatched"] for row in good),
                "response_us": total,
                "places": spent,
                "shares": {place: one["value"] / total for place, one in spent.items() if one and total},
                "intervals": _shares(good),
                "requests_per_s": sum(row["requests_per_s"] for row in good) / len(good),
            }
        )
    return found


def _shares(rows: Sequence[Json]) -> Json | None:
    """Each place's share of the response time with its interval over repetitions."""
    by_row = []
    for row in rows:
        times = {place: part["mean_us"] for place, part in row["places"].items() if part}
        by_row.append({place: one / sum(times.values()) for place, one in times.items()})
    return {
        place: estimate(share_mean([row[place] for row in by_row if place in row]))
        for place in PLACES
        if all(place in row for row in by_row)
    }


def _place(rows: Sequence[Json], place: str) -> Json | None:
    """Over repetitions; of a single one, the interval between its own batches."""
    parts = [row["places"][place] for row in rows if row["places"][place] is not None]
    if not parts:
        return None
    if len(parts) > 1:
        return estimate(positive_mean([part["mean_us"] for part in parts]))
    (part,) = parts
    return {
        "value": part["mean_us"], "low": part.get("low_us"), "high": part.get("high_us"), "count": 1,
        "deviation": None,
    }  # fmt: skip


def spread(rows: list[Json]) -> list[Json]:
    """Requests by server for every algorithm of every balancer."""
    return [_served(group) for group in grouped(rows, "balancer", "algorithm", "sticky")]


def _served(group: Sequence[Json]) -> Json:
    counts = {host: sum(row["served"][host] for row in group) for host in group[0]["served"]}
    even = fairness(list(counts.values()))
    return {
        "balancer": group[0]["balancer"],
        "algorithm": group[0]["algorithm"],
        "sticky": group[0]["sticky"],
        "served": counts,
        "fairness": asdict(even) if even else None,
        "exact": all(row["fairness"] and row["fairness"]["exact"] for row in group),
        "failed": sum(sum(row["failed"].values()) for row in group),
        "asked": sum(row["ok"] + sum(row["failed"].values()) for row in group),
    }


def uneven(rows: list[Json]) -> list[Json]:
    """Throughput, response time and shares with one small server."""
    found = []
    plain = {
        group[0]["balancer"]: [row["requests_per_s"] for row in group]
        for group in grouped(
            (row for row in rows if row["algorithm"] == ROTATION and not row["weighted"]), "balancer"
        )
    }
    for group in grouped(rows, "balancer", "algorithm", "weighted"):
        counts = {host: sum(row["served"][host] for row in group) for host in group[0]["served"]}
        total = sum(counts.values())
        found.append(
            {
                "balancer": group[0]["balancer"],
                "algorithm": group[0]["algorithm"],
                "weighted": group[0]["weighted"],
                "requests_per_s": estimate(positive_mean([row["requests_per_s"] for row in group])),
                "response_ms": response_ms(group),
                "shares": {host: count / total if total else None for host, count in counts.items()},
                "failed": sum(sum(row["failed"].values()) for row in group),
                "times_rotation": _times(group, plain.get(group[0]["balancer"], [])),
            }
        )
    return found


def _times(group: Sequence[Json], plain: Sequence[float]) -> Json | None:
    """Requests/s beside those of plain rotation by the same balancer; None for that itself."""
    if group[0]["algorithm"] == ROTATION and not group[0]["weighted"]:
        return None
    compared = pairwise({"this": [row["requests_per_s"] for row in group], "rotation": plain})
    return estimate(compared[0].ratio) if compared else None


def faults(rows: list[Json]) -> list[Json]:
    """What each trouble cost: the worst repetition counts; the first one's course is shown."""
    return [_fault(group) for group in grouped(rows, "balancer", "fault")]


def _fault(group: Sequence[Json]) -> Json:
    first = min(group, key=lambda row: int(row["repetition"]))
    causes: dict[str, int] = {}
    for row in group:
        for cause, count in row["failed"].items():
            causes[cause] = causes.get(cause, 0) + count
    return {
        "balancer": first["balancer"],
        "fault": first["fault"],
        "repetitions": len(group),
        "answered": sum(row["ok"] for row in group),
        "lost": sum(row["lost"] for row in group),
        "lost_by_cause": causes,
        "noticed_s": _worst(group, "noticed_s"),
        "back_s": _worst(group, "back_s"),
        "silence_s": _worst(group, "silence_s"),
        "before_p99_ms": _worst_of(group, "before_ms"),
        "during_p99_ms": _worst_of(group, "during_ms"),
        "during_max_ms": max((row["during_ms"]["max"] or 0 for row in group), default=None),
        "repeated_segments": sum(row["repeated_segments"] for row in group),
        "begun_s": first["begun_s"],
        "begun_uncertain_s": first["begun_uncertain_s"],
        "mended_s": first["mended_s"],
        "timeline": first["timeline"],
    }


def _worst(group: Sequence[Json], key: str) -> float | None:
    """The largest; None when it did not come about in some repetition."""
    values = [row[key] for row in group]
    return None if None in values else float(max(values))


def _worst_of(group: Sequence[Json], key: str) -> float | None:
    values = [row[key]["p99"] for row in group if row[key]["p99"] is not None]
    return max(values, default=None)


DECIDED = "complete"
"""How a search ends that found its answer; all others ended before."""
SATURATED = 0.8
"""Of its quota: a server that uses more has no room for more users."""
FULL = 0.05
"""A machine that is idle for less has none either."""


def site(rows: list[Json]) -> list[Json]:
    """Users at the SLAs by number of servers, and what was at its limit when SLA-1 broke.

    A search that did not come to its end decided nothing: `users` is then None, and `low` and `high` are what
    was seen to hold and to break.
    """
    found = []
    for group in grouped(rows, "servers"):
        row = group[-1]
        # Results kept from before say `fail`.
        broken = [run for run in row["runs"] if run["verdict"]["SLA-1"] in ("missed", "fail")]
        decisive = min(broken, key=lambda run: int(run["users"]), default=None) or max(
            row["runs"], key=lambda run: int(run["users"]), default=None
        )
        found.append(
            {
                "balancer": row["balancer"],
                "servers": row["servers"],
                "SLA-1": _held(row, "SLA-1"),
                "SLA-2": _held(row, "SLA-2"),
                "throughput_ops_per_s": row["requests_per_s"] or None,
                "runs": len(row["runs"]),
                "cpus": row["cpus"],
                "window_s": row["window_s"],
                "outcome": row["capacity_outcome"],
                "at": decisive and _loads(decisive, row["cpus"]),
            }
        )
    return found


def _held(row: Json, sla: str) -> Json:
    users = row[sla]["users"] if row["capacity_outcome"] == DECIDED else None
    return {**row[sla], "users": users}


def _loads(run: Json, cpus: float) -> Json:
    """How busy each tier was in a run, and which of them was at its limit."""
    servers = sum(run["server_cores"]) / len(run["server_cores"]) / cpus
    limit = "machine" if run["idle_share"] < FULL else None
    return {
        "users": run["users"],
        "server_share": servers,
        "balancer_cores": run["balancer_cores"],
        "database_cores": run["database_cores"],
        "idle_share": run["idle_share"],
        "limit": "servers" if servers >= SATURATED else limit,
    }
