"""What `loadstone plan` prints: the answer, then a table for each question."""

from __future__ import annotations

import math

from loadstone.availability.criterion import LONG_RUN, SENTENCES
from loadstone.cli.columns import columns
from loadstone.nodes.quantities import spell_duration
from loadstone.report.figures.plan import nodes, up, ways
from loadstone.report.plan import built
from loadstone.stages.plan import Bar, Candidate, Growth, Interval, Plan, Served, Uncertainty


def tables(found: Plan) -> str:
    """The answer, then a table for each question."""
    blocks = [f"{_answer(found)}\n{SENTENCES[found.inputs.criterion or LONG_RUN]}", _options(found)]
    if found.front:
        blocks.append("What better availability costs\n" + _candidates(found.front))
    if found.sensitivity:
        blocks.append("What each input alone would change\n" + _sensitivity(found.sensitivity))
    if found.uncertainty:
        blocks.append(_uncertainty(found.uncertainty))
    if found.served:
        blocks.append(_served(found.served, found.inputs.users.value))
    if found.growth and found.growth.steps:
        blocks.append(_growth(found.growth))
    return "\n\n".join(blocks)


def _answer(found: Plan) -> str:
    inputs, chosen = found.inputs, found.chosen
    asked = f"{inputs.users.value:,.0f} users, up {inputs.availability:.10g} of the year"
    if not chosen:
        return f"{asked}: nothing in the file meets the targets."
    each = chosen.usd_per_month / inputs.users.value
    return (
        f"{asked}: {built(chosen)}, ${chosen.usd_per_month:,.2f} a month (${each:.4f} a user), "
        f"down {_time(chosen.down_s_per_year)} a year."
    )


def _options(found: Plan) -> str:
    """The best plan with each option; the tier stands first when there are several."""
    several = len(found.inputs.tiers) > 1
    head = [*(["tier"] if several else []), *_HEAD, ""]
    rows = []
    for one in found.options:
        name = [*([one.tier or ""] if several else []), one.option]
        rows.append([*name, *_row(one.plan)[1:], ""] if one.plan else [*name, "–", "–", "–", one.why or ""])
    return columns(head, rows, set(_HEAD[2:]))


_HEAD = ["option", "nodes", "down a year", "$ a month"]


def _row(one: Candidate) -> list[str]:
    return [ways(one), nodes(one), _time(one.down_s_per_year), f"{one.usd_per_month:,.2f}"]


def _candidates(rows: list[Candidate]) -> str:
    return columns(_HEAD, [_row(one) for one in rows], set(_HEAD[2:]))


def _sensitivity(bars: list[Bar]) -> str:
    head = ["input", "from", "to", "plan at from", "plan at to", ""]
    rows = [
        [
            bar.input,
            bar.low,
            bar.high,
            _end(bar.at_low),
            _end(bar.at_high),
            "assumed" if bar.assumed else "95 %",
        ]
        for bar in bars
    ]
    return columns(head, rows, {"from", "to"})


def _end(one: Candidate | None) -> str:
    return f"{nodes(one)}, ${one.usd_per_month:,.0f}" if one else "none meets the targets"


def _uncertainty(one: Uncertainty) -> str:
    lines = [f"Over {one.draws:,} draws of the uncertain inputs (95 % of them):"]
    if one.nodes and one.usd_per_month:
        lines.append(
            f"- the cheapest plan has {_range(one.nodes)} nodes at ${_range(one.usd_per_month)} a month"
        )
    if one.unmet:
        lines.append(f"- in {100 * one.unmet:.1f} % nothing meets the targets")
    lines.append(f"- the plan above meets the target in {100 * one.chosen_holds:.1f} %")
    if sure := one.sure:
        holds = 100 * (one.sure_holds or 0)
        lines.append(f"- {nodes(sure)} at ${sure.usd_per_month:,.2f} a month would in {holds:.1f} %")
    return "\n".join(lines)


def _range(one: Interval) -> str:
    return f"{one.median:,.0f} ({one.low:,.0f}–{one.high:,.0f})"


def _served(one: Served, users: float) -> str:
    head = ["nodes up", "users at the SLA", "share of the year"]
    rows = [
        [up(level), f"{level.users:,.0f}", f"{level.share:.3g}"]
        for level in one.levels
        if level.share > 1e-15
    ]
    lost = f"{one.user_hours_lost:,.3g} of {users * 8766:,.0f} user hours a year are not served at the SLA"
    return columns(head, rows, set(head[1:])) + f"\n{lost}."


def _growth(growth: Growth) -> str:
    """The cheapest plan for a range of users, and the tier that is the next to need a node."""
    stride, wall = growth.stride, growth.users_wall
    every = f" (about one step in {stride} is shown)" if stride > 1 else ""
    end = "" if wall is None else f"; beyond {wall:,} users a tier that does not scale is exceeded"
    several = any(step.limited_by for step in growth.steps)
    rows = []
    for step in growth.steps:
        plan, users = step.plan, f"{step.users_from:,}–{step.users_to:,}"
        built = [nodes(plan), f"{plan.usd_per_month:,.2f}"] if plan else ["none meets the targets", "–"]
        rows.append([users, *built, *([" and ".join(step.limited_by)] if several else [])])
    head = ["users", "nodes", "$ a month", *(["then limited by"] if several else [])]
    return f"Growth, the cheapest plan for so many users{every}{end}\n" + columns(
        head, rows, {"users", "$ a month"}
    )


def _time(seconds: float) -> str:
    return spell_duration(seconds) if math.isfinite(seconds) else "always"
