"""Dollars: as a clause of the answer, as a key figure, as what they rest on, and every table."""

from __future__ import annotations

from loadstone.report import format
from loadstone.report.plan_answer import judged
from loadstone.report.plan_tiers import tiers_cost_tables
from loadstone.report.table import Column, Row, Table, words
from loadstone.stages.cost import Cost, Elastic, PerUser
from loadstone.stages.dollars import ByMonths, EndsByMonths

HORIZONS = ("1", "12", "36")
"""Months the cost is spread over."""

_INTRO = (
    "Spread over 1, 12 and 36 months of operation, per user the service carries. "
    "Each line of the bill names the row of the price book it comes from."
)


def cost_clause(cost: Cost | None) -> str:
    """What the service costs a month over 12 months, and each user of it, or ""."""
    if not cost or not cost.per_user:
        return ""
    sla, each = _first(cost)
    traffic = each.usd_per_month_with_egress
    total = _in_all(cost, sla).over_12
    users = f" for {format.whole(each.users)} users" if each.users else ""
    per_user = format.dollars((traffic or each.usd_per_month).over_12)
    of = "machines and traffic" if traffic else "machines alone"
    return f"{_total(total)} a month{users} at {sla}, {per_user} each ({of}, over 12 months)"


def cost_tiles(cost: Cost | None) -> list[tuple[str, str, str, str]]:
    """Label, value, unit and note of the key figures; the total comes first."""
    if not cost or not cost.per_user:
        return []
    sla, each = _first(cost)
    traffic = each.usd_per_month_with_egress
    total = _in_all(cost, sla).over_12
    per_user = (traffic or each.usd_per_month).over_12
    ends = each.usd_per_month_with_egress_interval if traffic else each.usd_per_month_interval
    of = "machines and traffic" if traffic else "machines alone"
    return [
        ("A month", _total(total), "", f"{of}, over 12 months"),
        ("A user and month", format.dollars(per_user), "", f"at {sla}{_span(ends)}"),
    ]


def _total(usd: float) -> str:
    """A sum of which cents say nothing, in whole dollars."""
    return f"${usd:,.0f}" if usd >= 1000 else format.dollars(usd)


def _span(ends: EndsByMonths | None) -> str:
    """The interval over 12 months, where it is known and is one."""
    low, high = ends.over_12 if ends else (None, None)
    if low is None or high is None or low == high:
        return ""
    return f", {format.dollars(low)} to {format.dollars(high)}"


def cost_intro(cost: Cost) -> str:
    """What the dollars are spread over; of a plan in tiers also what it is judged by."""
    return _INTRO + judged(cost.plan.inputs.criterion if cost.plan else None)


def cost_tables(cost: Cost | None) -> list[Table]:
    """Dollars per user per month, the same over the interval, and the row every dollar comes from."""
    if not cost:
        return []
    return [
        _per_user(cost),
        *([_elastic(cost.elastic)] if cost.elastic else []),
        *(tiers_cost_tables(cost.plan, cost.plan.service) if cost.plan and cost.plan.service else []),
        _interval(cost),
        _lines(cost),
    ]


def _in_all(cost: Cost, sla: str) -> ByMonths:
    """Dollars a month of the whole bill, with the traffic where it is known."""
    total = cost.total[sla]
    return total.usd_per_month_with_egress or total.usd_per_month


def _first(cost: Cost) -> tuple[str, PerUser]:
    """SLA-1's figures, or those of the only SLA there is."""
    sla = "SLA-1" if "SLA-1" in cost.per_user else next(iter(cost.per_user))
    return sla, cost.per_user[sla]


def _per_user(cost: Cost) -> Table:
    """Dollars per user per month, machines alone and with what the traffic costs."""
    rows = [
        _user_row(sla, what, each, usd)
        for what, with_egress in (("machines", False), ("machines and traffic", True))
        for sla, each in cost.per_user.items()
        if (usd := each.usd_per_month_with_egress if with_egress else each.usd_per_month)
    ]
    columns = [words("sla", "SLA"), words("what", "of"), Column("users", "users")]
    columns += [Column(f"usd_{months}", f"over {_months(months)}", format.dollars) for months in HORIZONS]
    return Table("cost", "US dollars per user per month", columns, rows)


def _user_row(sla: str, what: str, each: PerUser, usd: ByMonths) -> Row:
    row: Row = {"sla": sla, "what": what, "users": each.users}
    return row | {f"usd_{months}": dollars for months, dollars in usd.named().items()}


def _interval(cost: Cost) -> Table:
    """The same at both ends of the measured capacity, where they are known."""
    both = (("machines", False), ("machines and traffic", True))
    rows = [
        _interval_row(sla, what, ends)
        for what, with_egress in both
        for sla, each in cost.per_user.items()
        if (ends := each.usd_per_month_with_egress_interval if with_egress else each.usd_per_month_interval)
        and any(end is not None for pair in ends.named().values() for end in pair)
    ]
    columns = [words("sla", "SLA"), words("what", "of")]
    for months in HORIZONS:
        columns.append(Column(f"usd_{months}_low", f"over {_months(months)}, from", format.dollars))
        columns.append(Column(f"usd_{months}_high", "to", format.dollars))
    note = "At the ends of the measured capacity's interval. A dash: that end is not known."
    return Table("cost-interval", "US dollars per user per month, interval", columns, rows, note)


def _interval_row(sla: str, what: str, ends: EndsByMonths) -> Row:
    row: Row = {"sla": sla, "what": what}
    for months, (low, high) in ends.named().items():
        row |= {f"usd_{months}_low": low, f"usd_{months}_high": high}
    return row


def _elastic(ran: Elastic) -> Table:
    """Machines alone: with servers as they came and went, and with as many as there were at most."""
    both = (
        ("as they came and went", ran.mean, ran.usd_per_month),
        ("as many all the time", ran.most, ran.usd_per_month_fixed),
        ("saved", ran.most - ran.mean, ran.usd_saved_per_month),
    )
    rows: list[Row] = [
        {"what": what, "servers": servers} | {f"usd_{months}": usd for months, usd in by.named().items()}
        for what, servers, by in both
    ]
    columns = [words("what", f"servers of {ran.service}"), Column("servers", "in the mean", format.figure)]
    columns += [Column(f"usd_{months}", f"over {_months(months)}", format.dollars) for months in HORIZONS]
    broken = ", ".join(f"{sla} in {count}" for sla, count in ran.broken.items())
    note = (
        f"Policy {ran.policy}. Of {ran.windows} windows were broken: {broken}. A month has this run's load "
        "again and again; a server is paid from when it was asked for until it has ended."
    )
    return Table("cost-elastic", "US dollars a month, servers that come and go", columns, rows, note)


def _lines(cost: Cost) -> Table:
    """Every dollar and its row of the price book."""
    rows = [
        {
            "what": line.what,
            "sla": line.sla,
            "quantity": line.quantity,
            "unit": line.unit,
            "price_usd": line.price_usd,
            "row": line.row,
            "transfer": line.transfer,
            **{f"usd_{months}": dollars for months, dollars in line.usd_per_month.named().items()},
        }
        for line in cost.lines
    ]
    columns = [
        words("what", "what"),
        words("sla", "SLA", lambda sla: "both" if sla is None else str(sla)),
        Column("quantity", "a month", format.figure),
        words("unit", "unit"),
        Column("price_usd", "price", format.dollars),
        words("row", "row of the price book"),
        words("transfer", "traffic", format.yes),
        *(Column(f"usd_{months}", f"$/month over {_months(months)}", format.dollars) for months in HORIZONS),
    ]
    return Table("cost-lines", "Where every dollar comes from", columns, rows)


def _months(months: str) -> str:
    return "1 month" if months == "1" else f"{months} months"
