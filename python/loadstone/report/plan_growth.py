"""The growth of a plan, as a section of its page."""

from __future__ import annotations

from loadstone.report import format
from loadstone.report.figures.plan import nodes
from loadstone.report.sections import Section
from loadstone.report.table import Column, Table, words
from loadstone.stages.plan import Plan


def plan_growth(found: Plan) -> Section | None:
    """The cheapest plans from one user on; None for a plan of a version that did not tell them."""
    growth = found.growth
    if not growth or not growth.steps:
        return None
    stride, wall = growth.stride, growth.users_wall
    thinned = f" About one step in {stride} is shown." if stride > 1 else ""
    end = (
        "" if wall is None else f" Beyond {format.whole(wall)} users a tier that does not scale is exceeded."
    )
    rows = [
        {
            "users": f"{format.whole(step.users_from)}–{format.whole(step.users_to)}",
            "nodes": nodes(step.plan) if step.plan else "; ".join(step.why),
            "usd": step.plan.usd_per_month if step.plan else None,
            "next": " and ".join(step.limited_by),
        }
        for step in growth.steps
    ]
    several = [words("next", "then limited by")] if any(row["next"] for row in rows) else []
    return Section(
        "growth",
        "Growth",
        "The cheapest plan for fewer users, and for more: with the same targets and the same options."
        f"{thinned}{end}",
        tables=[
            Table(
                "growth",
                "From one user to twice those asked for",
                [
                    words("users", "users"),
                    words("nodes", "nodes"),
                    Column("usd", "$ a month", lambda usd: f"{usd:,.2f}"),
                    *several,
                ],
                rows,
            )
        ],
    )
