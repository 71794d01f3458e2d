"""The tables of the nodes stage."""

from __future__ import annotations

from loadstone.report import format
from loadstone.report.plan_tiers import tiers_tables
from loadstone.report.scaling import scaling_tables
from loadstone.report.table import Column, Row, Table, words
from loadstone.stages.nodes import Nodes, Option


def nodes_tables(nodes: Nodes | None) -> list[Table]:
    """What each deployment needs, what that rests on, and the integrity of each node type."""
    if nodes and nodes.service:
        return tiers_tables(nodes, nodes.service)
    if not nodes:
        return []
    return [_options(nodes), _chosen(nodes), *scaling_tables(nodes.scaling, "nodes-"), _integrity(nodes)]


def _options(nodes: Nodes) -> Table:
    """Each deployment and node type; the chosen one stands out."""
    chosen = nodes.chosen
    marked = (chosen.deployment, chosen.node_type) if chosen else None
    rows = [_option(option) for option in nodes.options]
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


def _option(option: Option) -> Row:
    keys = ("deployment", "node_type", "num", "extra", "total", "availability", "downtime_s_per_year", "note")
    low, high = (option.interval and option.interval.total) or (None, None)
    return {key: getattr(option, key) for key in keys} | {"total_low": low, "total_high": high}


def _chosen(nodes: Nodes) -> Table:
    """The fewest nodes at each SLA, where both were planned."""
    rows = [
        {"sla": sla} | (_option(each.chosen) if each.chosen else {"note": "no deployment meets the target"})
        for sla, each in nodes.per_sla.items()
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


def _integrity(nodes: Nodes) -> Table:
    """How long a node of each type answers right, answers wrong, or is down, under transient faults."""
    columns = [words("node_type", "node type")]
    columns += [Column(state, state, format.share) for state in ("correct", "corrupt", "down")]
    rows = [vars(each) for each in nodes.integrity]
    return Table("nodes-integrity", "Integrity under transient faults", columns, rows)
