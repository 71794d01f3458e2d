"""What `nodes --tiers` and `cost --tiers` print of a service in tiers; the second with dollars."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from loadstone.availability.criterion import LONG_RUN, SENTENCES
from loadstone.cli.columns import columns
from loadstone.nodes.quantities import spell_availability, spell_duration
from loadstone.stages.dollars import ByMonths
from loadstone.stages.nodes import Limit, Nodes, PlannedTier, Service

_PER_MONTH = "$ a month"
"""Over 12 months: what the cheapest plan is chosen by."""


def plan_text(plan: Nodes) -> str:
    """The plan, what it rests on, one more of each node, and the growth."""
    inputs, service = plan.inputs, plan.service
    year_s = inputs.year_s or 0.0
    assert service
    allowed = spell_duration((1 - Fraction(repr(inputs.target_share))) * year_s)
    return "\n".join([
        f"{inputs.load_users:,.6g} users through {len(plan.tiers)} tiers, up {inputs.target} of a "
        f"{inputs.year} year (at most {allowed} down).",
        SENTENCES[inputs.criterion or LONG_RUN],
        "",
        _tiers_table(plan, year_s),
        "",
        *(_unmet(service) if service.total is None else _met(plan, service, year_s)),
        *(["", _growth_heading(plan), _growth_table(plan)] if plan.growth else []),
    ])  # fmt: skip


def _unmet(service: Service) -> list[str]:
    return [f"No number of nodes meets the target. {why[0].upper()}{why[1:]}." for why in service.why]


def _met(plan: Nodes, service: Service, year_s: float) -> list[str]:
    down, bounds = service.downtime_s_per_year, service.downtime_s_per_year_bounds
    ends = " to ".join(map(_down, bounds or []))
    common = f" ({ends} if the tiers' failures are not independent)" if bounds else ""
    return [
        f"The service: {_count(service.total)} nodes{_range(service.interval.total, service.total)}, up "
        f"{_up(down, year_s)}, {_down(down)} down a year{common}.",
        f"Bottleneck: {' and '.join(service.bottleneck)}. These nodes carry {_count(service.users_carried)} "
        "users at the target.",
        "",
        "One more node of one tier carries more users, or as a spare lets those planned for wait less:",
        _one_more_table(plan, service),
    ]


def _tiers_table(plan: Nodes, year_s: float) -> str:
    head = ["tier", "deployment", "users per node", "loaded", "Num", "extra", "total", "availability",
            "down a year", "of the downtime"]  # fmt: skip
    priced = any(tier.usd_per_month for tier in plan.tiers)
    shown = [*head, *([_PER_MONTH] if priced else [])]
    rows = [
        [*_tier(tier, year_s), *([_dollars(tier.usd_per_month)] if priced else [])] for tier in plan.tiers
    ]
    return columns(shown, rows, set(shown[2:]))


def _tier(tier: PlannedTier, year_s: float) -> list[str]:
    limit, down = tier.limit or Limit(), tier.downtime_s_per_year
    bound = "≤ " if limit.upper_bound else ""
    ends = tier.interval.total if tier.interval else None
    return [
        tier.name, tier.deployment or "-", f"{bound}{limit.users_per_node:,.6g}", _percent(tier.load_share),
        _count(tier.num), _count(tier.extra), _count(tier.total) + _range(ends, tier.total),
        _up(down, year_s), _down(down), _percent(tier.downtime_part),
    ]  # fmt: skip


def _one_more_table(plan: Nodes, service: Service) -> str:
    """What one more node of each tier buys; with its dollars where they are known."""
    priced = any(each.usd_per_month for each in plan.one_more)
    head = ["tier", "users carried", "down a year", "downtime saved", *([_PER_MONTH] if priced else [])]
    rows = []
    for each in plan.one_more:
        gained = each.users_carried - (service.users_carried or 0)
        saved = 1 - each.downtime_s_per_year / (service.downtime_s_per_year or 1)
        rows.append([
            each.tier, f"{each.users_carried:,} (+{gained:,})", _down(each.downtime_s_per_year),
            _percent(saved), *([_dollars(each.usd_per_month)] if priced else []),
        ])  # fmt: skip
    return columns(head, rows, set(head[1:]))


def _growth_heading(plan: Nodes) -> str:
    """What the growth table shows, and where it ends."""
    stride, wall = plan.growth_stride or 1, plan.users_wall
    every = f" (about one step in {stride} is shown)" if stride > 1 else ""
    end = "" if wall is None else f"; beyond {wall:,} users a tier that does not scale is exceeded"
    return f"Growth, nodes of each tier at the target{every}{end}:"


def _growth_table(plan: Nodes) -> str:
    """Users, nodes of each tier, and the tier that is the next to need one."""
    names = [tier.name for tier in plan.tiers]
    priced = any(step.usd_per_month for step in plan.growth)
    numbers = ["users", *names, "total", *([_PER_MONTH] if priced else [])]
    rows = []
    for step in plan.growth:
        nodes = step.nodes or {}
        rows.append([
            f"{step.users_from:,}–{step.users_to:,}", *(_count(nodes.get(name)) for name in names),
            _count(step.total), *([_dollars(step.usd_per_month)] if priced else []),
            " and ".join(step.limited_by),
        ])  # fmt: skip
    return columns([*numbers, "then limited by"], rows, set(numbers))


def _dollars(amounts: ByMonths | None) -> str:
    return f"{amounts.over_12:,.2f}" if amounts else "-"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.3g} %"


def _up(down_s: float | None, year_s: float) -> str:
    return "-" if down_s is None else spell_availability(down_s, year_s)


def _down(down_s: float | None) -> str:
    return "-" if down_s is None else spell_duration(down_s)


def _range(ends: Sequence[float | None] | None, value: float | None) -> str:
    """` (42–45)`; nothing when the interval is the value itself."""
    if not ends or list(ends) == [value, value]:
        return ""
    fewest, most = (_count(end, "?") for end in ends)
    return f" ({fewest}–{most})"


def _count(number: float | None, otherwise: str = "-") -> str:
    return otherwise if number is None else f"{number:,}"
