"""The answer of a search in words, and its exit code."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from loadstone import leave
from loadstone.cli.columns import columns
from loadstone.errors import RUN_FAILED, RUN_INVALID, RUN_OPEN, SLA_NOT_MET
from loadstone.unit import Unit

if TYPE_CHECKING:
    from loadstone.stages.capacity import Capacity, Held

ENDED = {
    "noisy": "runs near it differ more than --repeats runs can settle",
    "too-few": "too few operations came to be certain: give it a longer --window, or more --repeats",
    "ceiling": "no more were tried (--to)",
    "generator": "the load generator was at its limit",
    "invalid": "runs with more stayed invalid",
    "max-runs": "the search ended after --max-runs runs",
    "interrupted": "the search was interrupted",
    "not-searched": "it was not searched (--only)",
}
"""Why a search knows no more, by `ended_by`. Any other is the name of an error."""

SLAS = ("SLA-1", "SLA-2")
_NEARLY_ALL = 0.99


def concluded(result: Capacity, asked: Sequence[str] = ("SLA-1",)) -> int:
    """The exit code: what is known of the goals `asked` for, and else why it is not known.

    Of several the first that is not 0.
    """
    if result.outcome == "interrupted":
        return leave.INTERRUPTED
    codes = [_code(result.named().get(name)) for name in asked]
    return next((code for code in codes if code), 0)


def _code(held: Held | None) -> int:
    if held is None or held.verdict == "open":
        return RUN_INVALID if held and held.ended_by in ("generator", "invalid") else RUN_OPEN
    if held.verdict == "met":
        return 0
    return RUN_FAILED if held.limited_by and held.limited_by.checks else SLA_NOT_MET


def table(result: Capacity, folder: Path) -> str:
    """The answer, the loads it rests on, and their runs."""
    unit = result.unit
    lines = [sentence(name, held, unit) for name, held in result.named().items()]
    if result.binding:
        by = f", by {result.binding.operation}" if result.binding.operation else ""
        lines.append(f"{result.binding.goal} breaks first{by}")
    if probes := result.probes:
        most = unit.amount(max(one.load for one in probes))
        lines.append(f"{len(probes)} short runs of up to {most} said where to begin")
    goals = list(result.named())
    loads = [
        [unit.number(load.load), str(load.runs), *(load.verdict.get(goal, "-") for goal in goals)]
        for load in result.loads
    ]
    rows = [
        [
            row.folder,
            "-" if row.worst_share is None else f"{100 * row.worst_share:.2f} %",
            *(row.verdict.get(goal, "-") if row.evidence else "no evidence" for goal in goals),
            row.state_said,
            row.trend,
        ]
        for row in result.runs
    ]
    lines += ["", columns([unit.words, "runs", *goals], loads, {unit.words, "runs"})]
    lines += [
        "",
        columns(["run", "least within limit", *goals, "state", "trend"], rows, {"least within limit"}),
    ]
    if result.scaling:
        from loadstone.report.scaling import scaling_lines

        lines += ["", *scaling_lines(result.scaling)]
    return "\n".join([*lines, "", f"{result.outcome}; {folder}"])


def sentence(name: str, held: Held, unit: Unit = Unit.USERS) -> str:
    """What is known of one goal, and nothing else.

    >>> from loadstone.stages.capacity import Held, LimitedBy
    >>> why = LimitedBy(operation="Search", share_at_high=0.84)
    >>> print(sentence("SLA-1", Held(low=57, high=60, limited_by=why, verdict="met", ended_by="tolerance")))
    SLA-1: 57 users hold it, 60 break it, limited by Search (84.0 % within its limit at 60)
    >>> from loadstone.stages.run_hosts import Limit
    >>> cpu = Limit(resource="cpu", share=0.97, host="h3", said="db: CPU 97 %")
    >>> why = LimitedBy(operation="Search", share_at_high=0.84, resource=cpu)
    >>> print(sentence("SLA-1", Held(high=1, limited_by=why, verdict="missed")))
    SLA-1: not even 1 user holds it, limited by Search (84.0 % within its limit at 1), and by db: CPU 97 %
    >>> print(sentence("SLA-1", Held(ended_by="max-runs")))
    SLA-1: open, no number of users is known to hold or to break it: the search ended after --max-runs runs
    """
    low, high = ("-" if end is None else unit.amount(end) for end in (held.low, held.high))
    ended = ENDED.get(held.ended_by or "", f"the search ended with {held.ended_by}")
    if held.verdict == "missed":
        return f"{name}: not even {high} holds it{_why(name, held, unit)}"
    if held.low is None and held.high is None:
        return f"{name}: open, no number of {unit.words} is known to hold or to break it: {ended}"
    if held.low is None:
        why = _why(name, held, unit)
        return f"{name}: open, {high} break it{why}; whether fewer hold it is not known: {ended}"
    if held.high is None:
        return f"{name}: at least {low} hold it; no number is known to break it: {ended}"
    wide = "" if held.ended_by == "tolerance" else f"; the interval is wide: {ended}"
    return f"{name}: {low} hold it, {unit.number(held.high)} break it{_why(name, held, unit)}{wide}"


def _why(name: str, held: Held, unit: Unit) -> str:
    """What broke the goal at `high`; a service that hangs has no share to show."""
    limit = held.limited_by
    if limit is None or limit.share_at_high is None or held.high is None:
        return ", where not one operation ended"
    checks = "".join(f", {name}" for name in limit.checks)
    kept = "within its limit" if name in SLAS else "as it asks"
    by = f"limited by {limit.operation} " if limit.operation else ""
    share = _percent(limit.share_at_high)
    resource = f", and by {limit.resource.said}" if limit.resource else ""
    return f", {by}({share} {kept} at {unit.number(held.high)}{checks}){resource}"


def _percent(share: float) -> str:
    """With the digits in which it differs from all.

    >>> _percent(0.84), _percent(0.99874)
    ('84.0 %', '99.87 %')
    """
    digits = 1 if share < _NEARLY_ALL else 2
    return f"{100 * share:.{digits}f} %"
