"""The answer in one sentence, and what a reader must know before believing it."""

from __future__ import annotations

from loadstone.report.badge import Badge
from loadstone.report.capacity_answer import capacity_badge, capacity_clause
from loadstone.report.cost import cost_clause
from loadstone.report.folder import Chapter
from loadstone.report.plan_answer import nodes_clause
from loadstone.report.run_answer import run_badge, run_clause

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
    "too-few": "the interval is wider than asked for: too few operations came to be certain",
    "parts-left": "parts of it are not measured yet",
    "ceiling": "the search ended before an SLA was broken",
}
"""How a run or a search ended, other than as planned, where it does not warn of that itself."""

_WARNED = ("generator", "invalid", "max-runs")
"""Outcomes that come with a warning of the search."""


def sentence(chapter: Chapter) -> str:
    """The answer: dollars, nodes, users at the SLAs, as far as the folder has them."""
    return f"{_capital('; '.join(_clauses(chapter)))}."


def claim(chapter: Chapter) -> tuple[str, str]:
    """The same as a headline and what follows it."""
    first, *others = _clauses(chapter)
    return f"{_capital(first)}.", f"{_capital('; '.join(others))}." if others else ""


def badges(chapter: Chapter) -> list[Badge]:
    """The verdict first, then what limits the answer."""
    found = []
    if chapter.capacity:
        found.append(capacity_badge(chapter.capacity))
    elif chapter.detail:
        found.append(run_badge(chapter.detail.summary))
    found += [Badge("warn", words) for words in chapter.withheld]
    outcome = chapter.origin.outcome
    if outcome not in ("complete", *_WARNED):
        found.append(Badge("warn", OUTCOMES.get(outcome, outcome)))
    if chapter.origin.demonstration:
        found.append(Badge("warn", "demonstration"))
    warned = [str(warning) for warning in _warnings(chapter)]
    if (window := _short_window(chapter)) and not any("short window" in warning for warning in warned):
        warned.append(window)
    return found + [Badge("warn", warning) for warning in dict.fromkeys(warned)]


def _clauses(chapter: Chapter) -> list[str]:
    """What a reader came for first. An open capacity comes before all that is said in spite of it."""
    if chapter.capacity:
        measured = capacity_clause(chapter.name, chapter.capacity)
    elif chapter.detail:
        measured = run_clause(chapter.name, chapter.detail.summary)
    else:
        measured = ""
    planned = [cost_clause(chapter.cost), nodes_clause(chapter.nodes)]
    clauses = [measured, *planned] if chapter.withheld else [*planned, measured]
    return [clause for clause in clauses if clause]


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _warnings(chapter: Chapter) -> list[str]:
    """Those that count: a search speaks for its runs."""
    nodes = chapter.nodes.warnings if chapter.nodes else []
    return [*chapter.origin.warnings, *nodes, *(chapter.cost.warnings if chapter.cost else [])]


def _short_window(chapter: Chapter) -> str:
    """A warning when the window is shorter than the SLA's own, else ""."""
    rules = chapter.capacity or (chapter.detail.summary.sla if chapter.detail else None)
    if rules is None or rules.compliant is not False or rules.window_s is None:
        return ""
    short = rules.window_s < SLA_WINDOW_S
    return f"not compliant: short window ({rules.window_s:g} s instead of {SLA_WINDOW_S} s)" if short else ""
