"""The answer in one sentence, and what a reader must know before believing it."""

from __future__ import annotations

from dataclasses import dataclass

from loadstone.report import format
from loadstone.report.cost import cost_clause
from loadstone.report.folder import Chapter
from loadstone.report.plan_answer import nodes_clause
from loadstone.stages.capacity import Capacity, Held
from loadstone.stages.run import Check, GoalFigures, Run

SLA_WINDOW_S = 300

OUTCOMES = {
    "interrupted": "interrupted: what was measured until then was kept",
    "crashed": "crashed: what was measured until then was recovered",
    "sut-died": "the service died during the run",
    "sut-unreachable": "the service could not be reached",
    "sut-start": "the service did not start",
    "reset-failed": "the data could not be reset",
    "load-data": "the data could not be loaded",
    "disk-full": "the disk was full: what was written until then was kept",
    "searching": "the search has not ended",
    "noisy": "the interval is wider than asked for: the verdicts near it are uncertain",
    "ceiling": "the search ended before an SLA was broken",
}
"""How a run or a search ended, other than as planned, where it does not warn of that itself."""

_STATES = {
    "failed": ("bad", "FAILED"),
    "inconclusive": ("warn", "inconclusive"),
    "invalid": ("bad", "INVALID"),
}
"""The badge of a run that is not valid."""

_WARNED = ("generator", "invalid", "max-runs")
"""Outcomes that come with a warning of the search."""


@dataclass(frozen=True)
class Badge:
    """A label beside the answer. `kind` is good, bad or warn."""

    kind: str
    words: str
    reasons: tuple[str, ...] = ()


def sentence(chapter: Chapter) -> str:
    """The answer: users at the SLAs, nodes, dollars, as far as the folder has them."""
    if chapter.capacity:
        start = _capacity_clause(chapter, chapter.capacity)
    elif chapter.detail:
        start = _run_clause(chapter, chapter.detail.summary)
    else:
        start = ""
    clauses = [start, nodes_clause(chapter.nodes), cost_clause(chapter.cost)]
    words = "; ".join(clause for clause in clauses if clause)
    return words[:1].upper() + words[1:] + "."


def badges(chapter: Chapter) -> list[Badge]:
    """Validity first, then what limits the answer."""
    found = [_validity(chapter)] if chapter.detail or chapter.capacity else []
    outcome = chapter.origin.outcome
    if outcome not in ("complete", *_WARNED):
        found.append(Badge("warn", OUTCOMES.get(outcome, outcome)))
    if chapter.origin.demonstration:
        found.append(Badge("warn", "demonstration"))
    warned = [str(warning) for warning in _warnings(chapter)]
    if (window := _short_window(chapter)) and not any("short window" in warning for warning in warned):
        warned.append(window)
    return found + [Badge("warn", warning) for warning in dict.fromkeys(warned)]


def _warnings(chapter: Chapter) -> list[str]:
    """Those that count: a search speaks for its runs."""
    nodes = chapter.nodes.warnings if chapter.nodes else []
    return [*chapter.origin.warnings, *nodes, *(chapter.cost.warnings if chapter.cost else [])]


def _capacity_clause(chapter: Chapter, capacity: Capacity) -> str:
    first, second = capacity.sla_1 or Held(), capacity.sla_2 or Held()
    if not (first.users or second.users):
        if first.verdict == "missed":
            return f"{chapter.name} on this machine does not hold SLA-1, not even with one user"
        if first.high:
            most = f"fewer than {format.whole(first.high)} users at SLA-1"
            return f"{chapter.name} on this machine holds {most}; how many is open"
        return f"the capacity of {chapter.name} on this machine is open: the search decided nothing"
    lenient = _users(first, "SLA-1", " concurrent users")
    strict = _users(second, "SLA-2", "" if first.users else " concurrent users")
    return f"{chapter.name} on this machine holds {lenient} and {strict}"


def _users(found: Held, sla: str, unit: str) -> str:
    if not found.users:
        if found.verdict == "missed":
            return f"not even one user at {sla}"
        return f"fewer than {format.whole(found.high)} at {sla}" if found.high else f"nothing known at {sla}"
    return f"{format.whole(found.users)}{unit} at {sla} ({_interval(found)})"


def _interval(found: Held) -> str:
    if found.high is None:
        return "no number of users tried breaks it"
    return f"{format.whole(found.low)}–{format.whole(found.high)}"


def _run_clause(chapter: Chapter, run: Run) -> str:
    rate = run.load.sessions_per_s
    users = f"{format.whole(run.load.users)} users" if rate is None else f"{rate:g} sessions/s"
    if run.validity.state != "valid":
        return f"this run of {chapter.name} with {users} is {run.validity.state} and answers nothing"
    done = format.figure(run.throughput_ops_per_s)
    held = " and ".join(_held(name, goal) for name, goal in run.goals.items())
    return f"{chapter.name} on this machine with {users}: {done} operations/s; {held}"


def _held(name: str, goal: GoalFigures) -> str:
    if goal.verdict == "open":
        return f"{name} is open: too little was seen"
    at = f" ({goal.operation} {format.share(goal.measured)} within its limit)" if goal.operation else ""
    return f"{name} held" if goal.verdict == "met" else f"{name} broken{at}"


def _validity(chapter: Chapter) -> Badge:
    """The badges of the run, or of a search: whether runs had to be left out."""
    if chapter.capacity:
        rows = chapter.searched
        invalid = [row for row in rows if not row.judged]
        if rows and len(invalid) == len(rows):
            return Badge("bad", "INVALID", ("every run of the search was invalid",))
        reasons = (f"{len(invalid)} of {len(rows)} runs were invalid and not judged",) if invalid else ()
        if not any(held.users for held in chapter.capacity.named().values()):
            return Badge("warn", "no capacity known", reasons)
        return Badge("good", "valid", reasons)
    assert chapter.detail is not None
    validity = chapter.detail.summary.validity
    if validity.state == "valid":
        return Badge("good", "valid")
    unmet = [check for check in validity.checks if check.required and check.verdict != "met"]
    kind, words = _STATES[validity.state]
    return Badge(kind, words, tuple(_reason(check) for check in unmet))


def _reason(check: Check) -> str:
    words = f"{check.name}: measured {check.measured}, expected {check.expected}"
    return f"{words}; {check.hint}" if check.hint else words


def _short_window(chapter: Chapter) -> str:
    """A warning when the window is shorter than the SLA's own, else ""."""
    rules = chapter.capacity or (chapter.detail.summary.sla if chapter.detail else None)
    if rules is None or rules.compliant is not False or rules.window_s is None:
        return ""
    short = rules.window_s < SLA_WINDOW_S
    return f"not compliant: short window ({rules.window_s:g} s instead of {SLA_WINDOW_S} s)" if short else ""
