"""The tables of the nodes and the cost stage."""

from __future__ import annotations

from loadstone.report import format
from loadstone.report.folder import Json
from loadstone.report.plan_tiers import tiers_cost_tables, tiers_tables
from loadstone.report.table import Column, Row, Table, words

HORIZONS = ("1", "12", "36")
"""Months the cost is spread over."""


def nodes_tables(nodes: Json | None) -> list[Table]:
    """What each deployment needs, what that rests on, and the integrity of each node type."""
    if nodes and "tiers" in nodes:
        return tiers_tables(nodes)
    return [_options(nodes), _chosen(nodes), _integrity(nodes)] if nodes else []


def cost_tables(cost: Json | None) -> list[Table]:
    """Dollars per user per month, the same over the interval, and the row every dollar comes from."""
    if not cost:
        return []
    tiers = tiers_cost_tables(cost["plan"]) if "plan" in cost else []
    return [_per_user(cost), *tiers, _interval(cost), _lines(cost)]


def _options(nodes: Json) -> Table:
    """Each deployment and node type; the chosen one stands out."""
    chosen = nodes.get("chosen") or {}
    marked = (chosen.get("deployment"), chosen.get("node_type"))
    rows = [_option(option) for option in nodes["options"]]
    columns = [
        words("deployment", "deployment"),
        words("node_type", "node type"),
        Column("num", "Num"),
        Column("extra", "extra"),
        Column("total", "nodes"),
        Column("total_low", "at least"),
        Column("total_high", "at most"),
        Column("availability", "availability", format.share),
        Column("downtime_s_per_year", "down a year", format.downtime),
        words("note", "note"),
    ]
    note = (
        "Num: needed to carry the load. Extra: active spares (ARA) or the pool (PF). At least and at most: "
        "over the interval of the measured capacity. Fewest nodes in bold."
    )
    shown = [column for column in columns if any(row[column.key] not in (None, "") for row in rows)]
    return Table(
        "nodes",
        "Nodes by deployment",
        shown,
        rows,
        note,
        highlight=lambda row: "chosen" if (row["deployment"], row["node_type"]) == marked else "",
    )


def _option(option: Json) -> Row:
    keys = ("deployment", "node_type", "num", "extra", "total", "availability", "downtime_s_per_year", "note")
    low, high = (option.get("interval") or {}).get("total") or (None, None)
    return {key: option.get(key) for key in keys} | {"total_low": low, "total_high": high}


def _chosen(nodes: Json) -> Table:
    """The fewest nodes at each SLA, where both were planned."""
    rows = [
        {"sla": sla}
        | (_option(each["chosen"]) if each["chosen"] else {"note": "no deployment meets the target"})
        for sla, each in nodes["per_sla"].items()
    ]
    columns = [
        words("sla", "SLA"),
        Column("total", "nodes"),
        words("deployment", "deployment"),
        words("node_type", "node type"),
        Column("availability", "availability", format.share),
        Column("downtime_s_per_year", "down a year", format.downtime),
        words("note", "note"),
    ]
    return Table("nodes-chosen", "Fewest nodes at each SLA", columns, rows)


def _integrity(nodes: Json) -> Table:
    """How long a node of each type answers right, answers wrong, or is down, under transient faults."""
    columns = [words("node_type", "node type")]
    columns += [Column(state, state, format.share) for state in ("correct", "corrupt", "down")]
    return Table(
        "nodes-integrity", "Integrity under transient faults", columns, list(nodes.get("integrity") or [])
    )


def _per_user(cost: Json) -> Table:
    """Dollars per user per month, machines alone and with what the traffic costs."""
    rows = [
        {"sla": sla, "what": what, "users": each["users"]}
        | {f"usd_{months}": each[months] for months in HORIZONS}
        for what, key in (("machines", "per_user"), ("machines and traffic", "per_user_with_egress"))
        for sla, each in (cost.get(key) or {}).items()
    ]
    columns = [words("sla", "SLA"), words("what", "of"), Column("users", "users")]
    columns += [Column(f"usd_{months}", f"over {_months(months)}", format.dollars) for months in HORIZONS]
    return Table("cost", "US dollars per user per month", columns, rows)


def _interval(cost: Json) -> Table:
    """The same at both ends of the measured capacity, where they are known."""
    rows: list[Row] = []
    for what, key in (("machines", "per_user"), ("machines and traffic", "per_user_with_egress")):
        for sla, each in (cost.get(f"{key}_interval") or {}).items():
            row: Row = {"sla": sla, "what": what}
            for months in HORIZONS:
                row[f"usd_{months}_low"], row[f"usd_{months}_high"] = each.get(months) or (None, None)
            if any(row[key] is not None for key in row if key.startswith("usd")):
                rows.append(row)
    columns = [words("sla", "SLA"), words("what", "of")]
    for months in HORIZONS:
        columns.append(Column(f"usd_{months}_low", f"over {_months(months)}, from", format.dollars))
        columns.append(Column(f"usd_{months}_high", "to", format.dollars))
    note = "At the ends of the measured capacity's interval. A dash: that end is not known."
    return Table("cost-interval", "US dollars per user per month, interval", columns, rows, note)


def _lines(cost: Json) -> Table:
    """Every dollar and its row of the price book."""
    keys = ("what", "sla", "quantity", "unit", "price_usd", "row", "transfer")
    rows = [
        {key: line.get(key) for key in keys}
        | {f"usd_{months}": line["usd_per_month"][months] for months in HORIZONS}
        for line in cost["lines"]
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
