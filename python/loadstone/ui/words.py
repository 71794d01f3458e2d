"""What a page is told, ready to be shown: the page itself formats numbers of charts only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from loadstone.live import Live
from loadstone.report import format
from loadstone.report.goals import asked, seen
from loadstone.report.run_answer import offered, run_badge
from loadstone.stages.run import Failure, Run
from loadstone.stages.run_operations import OperationFigures
from loadstone.ui.watched import Watched

MOST_POINTS = 600
"""Of a line that a page draws. Of a longer run every second, third, ... second is sent."""

_KINDS = {"met": "good", "missed": "bad", "open": "warn"}


def begun(live: Live) -> dict[str, Any]:
    """What a page shows of a run before its first second."""
    load = live.plan["load"]
    return {
        "name": live.plan["name"],
        "unit": live.unit.words,
        "things": live.unit.things,
        "asked": load[live.unit],
        "total_s": live.total_s,
        "steady_s": [load["ramp_up_s"], load["ramp_up_s"] + load["steady_s"]],
    }


def standing(watched: Watched) -> dict[str, Any]:
    """The state of a run, and what it has said where it failed."""
    starting = watched.process.said if watched.process and watched.live is None else ""
    return {"state": watched.state, "said": watched.said or starting}


def seconds(live: Live, after: int, resources_after: int) -> dict[str, Any]:
    """What came after so many seconds and lines of resources, thinned to what a chart shows."""
    new, used = live.seconds[after:], live.resources[resources_after:]
    return {
        "seconds": [asdict(one) for one in thinned(new)],
        "resources": [asdict(one) for one in thinned(used)],
        "failures": failures(live.failures()),
        "notes": live.notes,
        "left_s": live.left_s,
        "wanted": live.wanted,
    }


def failures(found: Iterable[Failure]) -> list[dict[str, Any]]:
    """By operation and cause, with the first example."""
    return [one.model_dump() | {"told": one.told()} for one in found]


def thinned(points: Sequence[Any]) -> Sequence[Any]:
    """At most `MOST_POINTS` of them, evenly; the last one is always there.

    >>> list(thinned(range(5))), len(thinned(range(1300))), thinned(range(1300))[-1]
    ([0, 1, 2, 3, 4], 434, 1299)
    """
    step = -(-len(points) // MOST_POINTS) if points else 1
    return points[::-1][::step][::-1]


def judged(run: Run, over: bool) -> dict[str, Any]:
    """Goals, checks, operations and warnings of a record; of one that is not `over` they are so far."""
    counted = any(one.count for one in run.operations.values())
    badge = run_badge(run)
    return {
        "over": over,
        "name": run.name,
        "failures": failures(run.failures),
        "counted": counted,
        "outcome": run.outcome if over else "",
        "badge": {"kind": badge.kind, "words": badge.words, "reasons": badge.reasons},
        "load": offered(run.load),
        "goals": [
            {"name": goal.name, "verdict": goal.verdict, "kind": _KINDS[goal.verdict], "seen": seen(goal),
             "asked": asked(goal), "operation": goal.operation or ""}
            for goal in run.goals.values()
        ],
        "checks": [
            {"name": check.name.replace("-", " "), "verdict": check.verdict, "kind": _KINDS[check.verdict],
             "measured": str(check.measured), "expected": str(check.expected), "hint": check.hint or "",
             "required": check.required}
            for check in run.validity.checks
        ],
        "operations": [_operation(name, one) for name, one in run.operations.items()],
        "limited_by": run.limited_by.said if run.limited_by else "",
        "warnings": run.warnings,
    }  # fmt: skip


def _operation(name: str, one: OperationFigures) -> list[str]:
    times = one.response_ms
    p50, p90, p99 = (times.p50, times.p90, times.p99) if times else (None, None, None)
    return [
        name,
        format.whole(one.count),
        format.whole(sum(one.failed.values())),
        *(format.figure(value) for value in (p50, p90, p99)),
        format.figure(1000 * one.limit_s),
        format.share(one.share_within_limit),
    ]
