"""`run.json` as it was before: what its fields of then are today."""

from __future__ import annotations

from typing import Any

from loadstone.stages.verdict import run_state

_PERCENT = {"SLA-1": 90, "SLA-2": 99}
_VERDICTS: dict[Any, str] = {True: "met", False: "missed"}


def from_format_1(content: dict[str, Any]) -> dict[str, Any]:
    """Checks passed or not, a run was valid or not, and an SLA was met or not: nothing was ever open.

    A check that was not required and did not pass had mostly seen too little; one that was required was
    missed. Whether the run was valid follows from the checks, with today's words for who is at fault.
    """
    sla, validity = content.get("sla"), content.get("validity")
    if isinstance(sla, dict):
        content = content | {
            "sla": {key: value for key, value in sla.items() if key not in _PERCENT},
            "goals": {name: _goal(name, sla.get(name)) for name in _PERCENT},
        }
    if isinstance(validity, dict) and isinstance(validity.get("checks", []), list):
        checks = [_check(check) for check in validity.get("checks", [])]
        content = content | {"validity": {"state": _state(validity, checks), "checks": checks}}
    return content


def from_format_2(content: dict[str, Any]) -> dict[str, Any]:
    """Failures were sentences, the first few of all."""
    failures = content.get("failures")
    if not isinstance(failures, list):
        return content
    return content | {"failures": [{"example": one} for one in failures]}


def _goal(name: str, verdict: Any) -> Any:
    """Without an interval: that of then was never written down."""
    if verdict is None:
        verdict = {"percent": _PERCENT[name]}
    if not isinstance(verdict, dict) or not isinstance(verdict.get("worst") or {}, dict):
        return verdict
    percent, worst = verdict.get("percent"), verdict.get("worst") or {}
    return {
        "name": name,
        "verdict": _VERDICTS.get(verdict.get("met"), "open"),
        "limit": percent / 100 if isinstance(percent, int | float) else percent,
        "measured": worst.get("share"),
        "operation": worst.get("operation"),
        "window_start_s": worst.get("window_start_s"),
    }


def _check(check: Any) -> Any:
    if not isinstance(check, dict):
        return check
    missed = "missed" if check.get("required", True) else "open"
    kept = {key: value for key, value in check.items() if key != "passed"}
    return kept | {"verdict": "met" if check.get("passed") is True else missed}


def _state(validity: dict[str, Any], checks: list[Any]) -> str:
    found = [check for check in checks if isinstance(check, dict)]
    state = run_state((one.get("about"), one["verdict"], one.get("required", True)) for one in found)
    # Of the oldest records the checks do not say what they are about.
    return "invalid" if state == "valid" and validity.get("valid") is False else state
