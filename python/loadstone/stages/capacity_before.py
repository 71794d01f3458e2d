"""`capacity.json` of formats 1 and 2, both about users. The first wrote 0 for what it did not know."""

from __future__ import annotations

from typing import Any

_GOALS = ("SLA-1", "SLA-2")
_VERDICTS = {"pass": "met", "fail": "missed", "uncertain": "open", "invalid": "open"}


def from_format_1(content: dict[str, Any]) -> dict[str, Any]:
    """0 becomes None, as do `users` whose runs were all not valid.

    The verdict of a run was that of all runs so far at its users: the last one is that of the load, and those
    of single runs are not known.
    """
    rows = content.get("runs")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        return content
    goals = {
        name: _goal(content[name], rows, content.get("outcome"))
        for name in _GOALS
        if isinstance(content.get(name), dict)
    }
    return content | goals | {"runs": [_row(row) for row in rows], "loads": _loads(rows)}


def from_format_2(content: dict[str, Any]) -> dict[str, Any]:
    """`users` becomes `load`. What is not of its shape is left for the check that follows."""
    goals = content.get("goals")
    found = content | {name: _held(content[name]) for name in _GOALS if name in content}
    if isinstance(goals, dict):
        found["goals"] = {name: _held(held) for name, held in goals.items()}
    if "binding" in content:
        found["binding"] = _loaded(content["binding"])
    for name in ("probes", "loads", "runs"):
        if isinstance(rows := content.get(name), list):
            found[name] = [_loaded(row) for row in rows]
    return found


def _held(held: Any) -> Any:
    if not isinstance(held, dict):
        return held
    ends = {name: _loaded(held[name]) for name in ("last_passing", "first_failing") if name in held}
    return _loaded(held | ends)


def _loaded(piece: Any) -> Any:
    if not isinstance(piece, dict):
        return piece
    return {"load" if key == "users" else key: value for key, value in piece.items()}


def _goal(held: dict[str, Any], rows: list[dict[str, Any]], outcome: Any) -> dict[str, Any]:
    low, high, users = held.get("low") or None, held.get("high"), held.get("users") or None
    at_users = [row.get("valid") for row in rows if row.get("users") == users]
    proven = True in at_users or not at_users
    least = low is None and high == 1
    return {
        **held,
        "low": low,
        "users": users if proven else None,
        "verdict": "met" if low and users and proven else "missed" if least else "open",
        "ended_by": "least" if least else "tolerance" if outcome == "complete" else outcome,
    }


def _row(row: dict[str, Any]) -> dict[str, Any]:
    state = "valid" if row.get("valid") is True else "failed" if _is_missed(row) else "invalid"
    kept = {key: value for key, value in row.items() if key != "valid"}
    return kept | {"state": state, "evidence": _is_evidence(row), "verdict": {}}


def _is_missed(row: dict[str, Any]) -> bool:
    return _is_evidence(row) and "fail" in row["verdict"].values()


def _is_evidence(row: dict[str, Any]) -> bool:
    verdict = row.get("verdict")
    return isinstance(verdict, dict) and any(word != "invalid" for word in verdict.values())


def _loads(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    judged = [row for row in rows if _is_evidence(row) and isinstance(row.get("users"), int)]
    last = {row["users"]: row for row in judged}
    return [
        {
            "users": users,
            "runs": sum(row["users"] == users for row in judged),
            "verdict": {name: _VERDICTS.get(str(word), word) for name, word in row["verdict"].items()},
        }
        for users, row in sorted(last.items())
    ]
