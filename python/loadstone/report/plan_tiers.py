"""A service in tiers: its clause of the answer, its key figure, what it rests on, its tables."""

from __future__ import annotations

from collections.abc import Sequence

from loadstone.availability.deployments import DEPLOYMENTS, PF_ON_PREM_REPAIR
from loadstone.report import format
from loadstone.report.table import Column, Row, Table, words
from loadstone.stages.dollars import ByMonths
from loadstone.stages.nodes import Limit, Nodes, PlannedTier, Service

HORIZONS = ("1", "12", "36")
_UNMENDED = tuple(name for name in DEPLOYMENTS if name != PF_ON_PREM_REPAIR)
"""Named deployments without repair, for which records of before have one all the same."""


def tiers_clause(nodes: Nodes, service: Service) -> str:
    """How many nodes of which tiers keep it available."""
    inputs = nodes.inputs
    load = f"{format.whole(inputs.load_users)} users at {format.share(inputs.target_share)} availability"
    if service.total is None:
        return f"no number of nodes in {len(nodes.tiers)} tiers keeps {load}"
    each = ", ".join(f"{format.whole(tier.total)} {tier.name}" for tier in nodes.tiers)
    return f"{format.whole(service.total)} nodes keep {load} ({each})"


def tiers_tile(nodes: Nodes, service: Service) -> tuple[str, str, str, str]:
    """Label, value, unit and note of the key figure."""
    ends = _ends(service.interval.total, service.total)
    return ("Nodes", format.whole(service.total), "", f"in {len(nodes.tiers)} tiers{ends}")


def tiers_intro(nodes: Nodes, service: Service) -> str:
    """What the plan rests on, and what it comes to."""
    inputs = nodes.inputs
    start = (
        f"For {format.whole(inputs.load_users)} users through {len(nodes.tiers)} tiers in series "
        f"({inputs.sla}), a target of {format.share(inputs.target_share)}. "
    )
    if service.total is None:
        return start + " ".join(f"{why}." for why in service.why)
    bounds = service.downtime_s_per_year_bounds
    ends = " to ".join(map(format.downtime, bounds or []))
    whatever = f" if the tiers fail independently, and {ends} whatever they have in common" if bounds else ""
    return start + (
        f"{format.whole(service.total)} nodes{_ends(service.interval.total, service.total)}, down "
        f"{format.downtime(service.downtime_s_per_year)} a year{whatever}. "
        f"Bottleneck: {' and '.join(service.bottleneck)}."
    )


def tiers_tables(nodes: Nodes, service: Service) -> list[Table]:
    """Each tier, one more node of each, the growth."""
    return [_tiers(nodes, service), _one_more("nodes", nodes, service), _growth("nodes", nodes)]


def tiers_cost_tables(plan: Nodes, service: Service) -> list[Table]:
    """The same of the cheapest plan, in dollars."""
    return [_priced(plan), _one_more("cost", plan, service), _growth("cost", plan)]


def _tiers(nodes: Nodes, service: Service) -> Table:
    columns = [
        words("name", "tier"),
        words("deployment", "deployment"),
        Column("users_per_node", "users a node carries"),
        words("limit", "that is"),
        Column("load_share", "loaded", format.share),
        Column("num", "Num"),
        Column("extra", "extra"),
        Column("total", "nodes"),
        Column("total_low", "at least"),
        Column("total_high", "at most"),
        Column("availability", "availability", format.share),
        Column("downtime_s_per_year", "down a year", format.downtime),
        Column("downtime_part", "of the downtime", format.share),
        words("crash_rate", "crashes"),
        words("failover", "failover"),
        words("repair", "repair"),
    ]
    note = (
        "Num: needed to carry the load. Extra: active spares (ARA) or the pool (PF). At least and at most: "
        "with every limit at the ends of its interval. The bottleneck in bold."
    )
    rows = [_tier(tier) for tier in nodes.tiers]
    return Table(
        "nodes",
        "Nodes of each tier",
        [column for column in columns if any(row[column.key] is not None for row in rows)],
        rows,
        note,
        highlight=lambda row: "chosen" if row["name"] in service.bottleneck else "",
    )


def _tier(tier: PlannedTier) -> Row:
    low, high = (tier.interval and tier.interval.total) or (None, None)
    limit = tier.limit or Limit()
    kinds = ["at most" if limit.upper_bound else "", "" if tier.scales else "a second adds none"]
    keys = (
        "name", "deployment", "load_share", "num", "extra", "total", "availability", "downtime_s_per_year",
        "downtime_part", "crash_rate", "failover",
    )  # fmt: skip
    return {key: getattr(tier, key) for key in keys} | {
        "users_per_node": limit.users_per_node,
        "limit": ", ".join(filter(None, [limit.source, *kinds])),
        "total_low": low,
        "total_high": high,
        "repair": None if tier.repair == "none" or tier.deployment in _UNMENDED else tier.repair,
    }


def _one_more(slug: str, plan: Nodes, service: Service) -> Table:
    """`slug` cost: with the dollars of the node."""
    rows = [vars(each) | _dollars(each.usd_per_month) for each in plan.one_more]
    columns = [
        words("tier", "one more"),
        Column("users_carried", "users carried at the target"),
        Column("downtime_s_per_year", "or as a spare: down a year", format.downtime),
    ]
    note = (
        f"Against {format.whole(service.users_carried)} users carried and "
        f"{format.downtime(service.downtime_s_per_year)} down a year without it."
        if rows
        else ""
    )
    columns += _dollar_columns(rows)
    return Table(f"{slug}-one-more", "What one more node of a tier buys", columns, rows, note)


def _growth(slug: str, plan: Nodes) -> Table:
    names = [tier.name for tier in plan.tiers]
    rows = [
        {f"nodes_{name}": (step.nodes or {}).get(name) for name in names}
        | {key: getattr(step, key) for key in ("users_from", "users_to", "total")}
        | {"limited_by": " and ".join(step.limited_by)}
        | _dollars(step.usd_per_month)
        for step in plan.growth
    ]
    columns = [Column("users_from", "users from"), Column("users_to", "to")]
    columns += [Column(f"nodes_{name}", name) for name in names]
    columns += [Column("total", "nodes"), *_dollar_columns(rows), words("limited_by", "then limited by")]
    stride, wall, users = plan.growth_stride, plan.users_wall, plan.inputs.load_users
    notes = ["The nodes of each tier at the target, from one user on. In bold: the users planned for."]
    if stride and stride > 1:
        notes.append(f"About one step in {stride} is shown.")
    if wall is not None:
        notes.append(f"Beyond {format.whole(wall)} users a tier that does not scale is exceeded.")
    return Table(
        f"{slug}-growth",
        "Growth",
        columns,
        rows,
        " ".join(notes),
        highlight=lambda row: "chosen" if row["users_from"] <= (users or 0) <= row["users_to"] else "",
    )


def _priced(plan: Nodes) -> Table:
    keys = ("name", "instance", "num", "extra", "total")
    rows = [{key: getattr(tier, key) for key in keys} | _dollars(tier.usd_per_month) for tier in plan.tiers]
    columns = [
        words("name", "tier"),
        words("instance", "machine"),
        Column("num", "Num"),
        Column("extra", "extra"),
        Column("total", "nodes"),
        *_dollar_columns(rows),
    ]
    note = "The cheapest plan that meets the target, over 12 months."
    return Table("cost-tiers", "US dollars a month by tier", columns, rows, note)


def _dollars(amounts: ByMonths | None) -> Row:
    """Dollars a month by months, where they are known."""
    return {f"usd_{months}": usd for months, usd in amounts.named().items()} if amounts else {}


def _dollar_columns(rows: list[Row]) -> list[Column]:
    """One where every month costs the same, else one for each horizon."""
    known = [row for row in rows if "usd_12" in row]
    if not known:
        return []
    if all(row["usd_1"] == row["usd_12"] == row["usd_36"] for row in known):
        return [Column("usd_12", "$ a month", format.dollars)]
    names = {"1": "1 month", "12": "12 months", "36": "36 months"}
    return [Column(f"usd_{months}", f"$ a month over {names[months]}", format.dollars) for months in HORIZONS]


def _ends(ends: Sequence[float | None] | None, value: float | None) -> str:
    """` (42–45)`; nothing when the interval is the value itself."""
    if not ends or list(ends) == [value, value]:
        return ""
    fewest, most = ("?" if end is None else format.whole(end) for end in ends)
    return f" ({fewest}–{most})"
