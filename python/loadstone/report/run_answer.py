"""One run: its verdict as a badge, what it found out as a clause, its key figures."""

from __future__ import annotations

from collections.abc import Iterable

from loadstone.report import format
from loadstone.report.badge import Badge
from loadstone.report.goals import amount, asked, seen
from loadstone.stages.run import Check, Generator, GoalFigures, Load, Run
from loadstone.stages.run_hosts import Sut

_KINDS = {"failed": "bad", "inconclusive": "warn", "invalid": "bad"}
"""Kind of the badge of a run that is not valid."""

_MEANING = {
    "failed": "failed: the service did not do its work",
    "inconclusive": "is inconclusive: too little was seen",
    "invalid": "is invalid and says nothing of the service",
}


def run_badge(run: Run) -> Badge:
    """The run's verdict: what its goals came to, or why they do not count."""
    state = run.validity.state
    if state != "valid":
        return Badge(_KINDS[state], state, tuple(_reason(check) for check in unmet(run)))
    verdicts = {goal.verdict for goal in run.goals.values()}
    if len(verdicts) == 1:
        (verdict,) = verdicts
        return Badge({"met": "good", "missed": "bad", "open": "warn"}[verdict], verdict)
    # Not one word for all goals: each has its own.
    words = "; ".join(f"{', '.join(names)} {verdict}" for verdict, names in _by_verdict(run))
    return Badge("warn", words)


def run_clause(name: str, run: Run) -> str:
    """What the run found out."""
    load = offered(run.load) + (", changed by hand meanwhile" if run.changed else "")
    if run.validity.state != "valid":
        first, *others = [check.name.replace("-", " ") for check in unmet(run)] or [""]
        rest = f" and {len(others)} more" if others else ""
        why = f" (check {first}{rest})" if first else ""
        return f"this run of {name} with {load} {_MEANING[run.validity.state]}{why}"
    done = format.figure(run.throughput_ops_per_s)
    told = "; ".join(
        f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'} {verdict}{_least(run, names, verdict)}"
        for verdict, names in _by_verdict(run)
    )
    return f"{name} on this machine answers {done} operations a second of {load}: {told}"


def unmet(run: Run) -> list[Check]:
    """The checks for which the run is not valid: those missed, or else those open."""
    required = [check for check in run.validity.checks if check.required]
    missed = [check for check in required if check.verdict == "missed"]
    return missed or [check for check in required if check.verdict == "open"]


def offered(load: Load) -> str:
    """What was asked of the service."""
    if not load.unit.is_rate:
        return f"{format.whole(load.users)} users"
    return f"{format.brief(load.amount)} {load.unit.things} a second"


def run_tiles(run: Run) -> list[tuple[str, str, str, str]]:
    """Label, value, unit and note of the key figures."""
    sut, generator, load, limit = run.sut or Sut(), run.generator or Generator(), run.load, run.limited_by
    first = (
        ("Users", format.whole(load.users), "", "")
        if not load.unit.is_rate
        else ("Offered", format.figure(load.amount), load.unit.words, "")
    )
    goals = [
        (goal.name, amount(goal, goal.measured), "", f"{asked(goal)}: {goal.verdict}")
        for goal in _deciding(run.goals.values())
        if run.validity.state != "invalid"
    ]
    return [
        first,
        ("Throughput", format.figure(run.throughput_ops_per_s), "operations/s", ""),
        *goals,
        *([("Limited by", limit.tier or "host", limit.service or limit.host, limit.said)] if limit else []),
        ("CPU of the SUT", format.figure(sut.cpu_cores_mean), "cores", ""),
        ("Memory of the SUT", format.size(sut.rss_bytes_max), "at most", ""),
        ("CPU of the generator", format.share(generator.cpu_share), "", ""),
    ]


def _deciding(goals: Iterable[GoalFigures]) -> list[GoalFigures]:
    return [goal for goal in goals if goal.measured is not None]


def _by_verdict(run: Run) -> list[tuple[str, list[str]]]:
    """The goals' names by verdict: met, missed, open."""
    found = [
        (verdict, [name for name, goal in run.goals.items() if goal.verdict == verdict])
        for verdict in ("met", "missed", "open")
    ]
    return [(verdict, names) for verdict, names in found if names]


def _least(run: Run, names: list[str], verdict: str) -> str:
    """What a goal that is not met rests on."""
    goal = run.goals[names[-1]]
    if verdict == "met" or goal.measured is None:
        return ""
    of = f"{goal.operation}: " if goal.operation else ""
    return f" ({of}{seen(goal)}, {asked(goal)} asked for)"


def _reason(check: Check) -> str:
    name = check.name.replace("-", " ")
    words = f"{name}: measured {check.measured}, expected {check.expected}"
    return f"{words}; {check.hint}" if check.hint else words
