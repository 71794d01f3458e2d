"""The users that a plan serves in every degraded state: a section of its page."""

from __future__ import annotations

from loadstone.nodes.quantities import spell_duration
from loadstone.report import format
from loadstone.report.figures.plan import served_figure, up
from loadstone.report.sections import Section, numbered
from loadstone.report.table import Column, Table, words
from loadstone.stages.plan import Plan, Served

_LEAST = 1e-15
"""Of the year: less is not told."""


def plan_served(found: Plan) -> Section | None:
    """The section; None where the plan does not tell them."""
    if not found.served:
        return None
    return Section(
        "served",
        "Users served at the SLA",
        "Not only nodes up: the users that those still up hold, and for what share of the year.",
        wide=numbered("w", [served_figure(found.served)]),
        facts=_outages(found.served),
        tables=[_levels(found.served)],
    )


def _levels(one: Served) -> Table:
    rest = [{"up": "fewer", "users": 0, "share": one.rest}] if one.rest > _LEAST else []
    levels = [vars(level) | {"up": up(level)} for level in one.levels if level.share > _LEAST]
    return Table(
        "levels",
        "In every degraded state",
        [
            words("up", "nodes up"),
            Column("users", "users held at the SLA", format.whole),
            Column("share", "share of the year", lambda share: f"{share:.3g}"),
        ],
        [*levels, *rest],
    )


def _outages(one: Served) -> list[tuple[str, str]]:
    facts = [
        ("Mean share of users served", f"{one.mean_share:.10f}"),
        ("User hours not served a year", f"{one.user_hours_lost:,.4g}"),
    ]
    if one.first_outage_s:
        facts.append(("First shortage, on average after", _span(one.first_outage_s)))
    if one.first_year_down_s:
        facts.append(("Short in a first year that starts with all up", _span(one.first_year_down_s)))
    if one.outages_per_s and one.outages_per_s[1] is not None and one.outage_s:
        facts.append(("Shortages a year", f"{one.outages_per_s[1] * 31_557_600:.4g}"))
        facts.append(("Mean length of a shortage", _span(one.outage_s)))
    return facts


def _span(bounds: list[float | None]) -> str:
    return "never" if bounds[1] is None else spell_duration(bounds[1])
