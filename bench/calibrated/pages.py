"""The page of a calibration, from its summary."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from typing import Any

CHECKS = (
    "littles-law",
    "mix",
    "pace",
    "arrivals",
    "unanswered",
    "late-starts",
    "noise",
    "foreign-cpu",
    "error-rate",
)


def readme(found: Mapping[str, Any]) -> str:
    """All tables that `found` has figures for."""
    parts = [f"# How often the verdicts are wrong\n\nOn {platform.machine()}, two cores."]
    if "command" in found:
        parts.append(f"Simulated with `python {found['command']}`; `summary.json` has every count.")
    if "alarms" in found:
        parts += ["## Healthy runs\n" + _HEALTHY, _alarms(found["alarms"])]
    if "finds" in found:
        parts += ["## Ill runs\n" + _ILL, _finds(found["finds"])]
    if "shares" in found:
        parts += ["## Goals at their limit\n" + _AT_LIMIT, _shares(found["shares"])]
    if "quick" in found:
        parts += ["## A slow part that is rare\n" + _RARE, _quick(found["quick"])]
    if "real" in found:
        parts += ["## Real runs\n" + _REAL, _real(found["real"])]
    return "\n\n".join(parts) + "\n"


_HEALTHY = """Users 1 to 10,000 or arrivals, 20 to 20,000 operations expected, mixes of 1 to 17 operations,
fixed, uniform, log-normal and negative exponential pauses, ramp-ups from none to several cycles. Runs of
fewer than 20 operations are left out. "Alarmed": a required check was missed, which is always false here."""
_ILL = """Three operations, negative exponential cycles of 2 s; by the number of operations, the share of the
runs in which the check, or the goal, was missed."""
_AT_LIMIT = """The true share is exactly the limit, so that `met` and `missed` are both as wrong as they can
be. "Tied": how a second's state depends on the one before. Least and greatest over 1, 10 and 100 operations a
second."""
_RARE = """Answers of 30 ms, but a part of them takes twice the limit of 1 s, so that the goal is missed in
truth. How often it was called met."""
_REAL = """`loadstone run` against servers of known behaviour on the same machine, some 20 users."""


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _percent(part: float, of: float = 1.0) -> str:
    share = 100 * part / of
    return f"{share:.0f} %" if share >= 10 else f"{share:.2g} %" if part else "0"


def _alarms(families: Mapping[str, Mapping[str, int]]) -> str:
    head = ["family", "runs", "alarmed", "inconclusive", *(f"{name} missed / open" for name in CHECKS[:4])]
    head.append("any other missed")
    rows = []
    for name, tally in families.items():
        runs = tally["runs"]
        row = [name, f"{runs:,}", _percent(tally.get("run alarmed", 0), runs)]
        row.append(_percent(tally.get("run inconclusive", 0), runs))
        row += [
            " / ".join(_percent(tally.get(f"{check} {word}", 0), runs) for word in ("missed", "open"))
            for check in CHECKS[:4]
        ]
        others = [key for key in tally if key.endswith(" missed") and key.split()[0] not in CHECKS[:4]]
        row.append(", ".join(f"{key.split()[0]} {_percent(tally[key], runs)}" for key in others) or "0")
        rows.append(row)
    return _table(head, rows)


def _finds(faults: Mapping[str, Mapping[str, Mapping[str, float]]]) -> str:
    lengths = list(next(iter(faults.values())))
    rows = [
        [name, check, *(_percent(by_length[length][check]) for length in lengths)]
        for name, by_length in faults.items()
        for check in by_length[lengths[0]]
    ]
    return _table(["what is wrong", "found by", *(f"{int(length):,}" for length in lengths)], rows)


def _shares(rows: list[dict[str, Any]]) -> str:
    groups: dict[tuple[float, int, float], list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault((row["share"], row["seconds"], row["tied"]), []).append(row)
    shown = []
    for (share, seconds, tied), group in groups.items():
        spans = [
            f"{_percent(min(one[word] for one in group))} to {_percent(max(one[word] for one in group))}"
            for word in ("met", "missed")
        ]
        shown.append([_percent(share), f"{seconds} s", f"{tied:g}", *spans])
    return _table(["limit", "window", "tied", "wrongly met", "wrongly missed"], shown)


def _quick(rows: list[dict[str, Any]]) -> str:
    counts = sorted({row["answers"] for row in rows})
    groups: dict[tuple[float, float], dict[int, float]] = {}
    for row in rows:
        groups.setdefault((row["share"], row["slow"]), {})[row["answers"]] = row["met"]
    shown = [
        [_percent(share), _percent(slow), *(_percent(met[count]) for count in counts)]
        for (share, slow), met in groups.items()
    ]
    return _table(["limit", "slow", *(f"{count} answers" for count in counts)], shown)


def _real(rows: list[dict[str, Any]]) -> str:
    head = ["server", "expected", "seen", "operations"]
    return _table(
        head, [[row["server"], row["expected"], row["seen"], str(row["operations"])] for row in rows]
    )
