"""Tables of the study of stacks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from loadstone.report import format
from loadstone.report.folder import Json
from loadstone.report.table import Column, Table, words
from loadstone.stages.capacity import said_of
from loadstone.study.stacks.families import kept
from loadstone.study.stacks.words import per_month, users
from loadstone.study.words import interval

_SLAS = ("SLA-1", "SLA-2")
_HORIZONS = ("1", "12", "36")
"""Months."""


def users_of(found: Sequence[Json]) -> Table:
    """As the paper's Table 2: each configuration, and the users that it carries."""
    rows = [
        {
            "configuration": one["label"],
            "database": one["database"],
            "cache": kept(one),
            "hosts": _hosts(one),
            "first": users(one.get("SLA-1")),
            "second": users(one.get("SLA-2")),
            "rules": "yes" if one["compliant"] else f"trial: windows of {one['window_s']:g} s",
            "limit": _limit(one.get("SLA-1")),
            "operation": (one.get("SLA-1") or {}).get("operation") or "–",
            "class": "" if one["compliant"] else "bad",
        }
        for one in found
    ]
    return Table(
        "users",
        "Users by configuration",
        [
            words("configuration", "configuration"),
            words("database", "database"),
            words("cache", "cache"),
            words("hosts", "application hosts"),
            words("first", "users at SLA-1"),
            words("second", "users at SLA-2"),
            words("rules", "by the rules"),
            words("operation", "broken by"),
            words("limit", "the record’s limit where it broke"),
        ],
        rows,
        note="600 (< 700): 600 hold it, 700 break it. Undecided: the search did not come to its end.",
        highlight=lambda row: str(row["class"]),
    )


def dollars(found: Sequence[Json], when: str) -> Table:
    """Dollars a user and month over one of the price books."""
    rows = []
    for one in found:
        for sla in _SLAS:
            held = one.get(sla)
            rows.append(
                {
                    "configuration": one["label"],
                    "sla": sla,
                    **{
                        f"months_{months}": per_month(held, when, "without_egress", months)
                        for months in _HORIZONS
                    },
                    "egress": per_month(held, when, "with_egress"),
                    "machines": " + ".join(held["usd"][when]["machines"]) if held else "–",
                }
            )
    columns = [
        words("configuration", "configuration"),
        words("sla", "at"),
        *_horizons(rows),
        Column("egress", "12 months, with egress", format.text),
        words("machines", "machines"),
    ]
    title = "At today’s prices" if when == "now" else "At the paper’s prices"
    note = "In brackets over the interval of the users: more users on the same machines are the cheap end."
    return Table(f"dollars-{when}", title, columns, rows, note=note)


def _horizons(rows: Sequence[Json]) -> list[Column]:
    """A column for horizons that say the same everywhere, as those of machines rented on demand do."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for months in _HORIZONS:
        alike.setdefault(tuple(row[f"months_{months}"] for row in rows), []).append(months)
    return [
        Column(f"months_{same[0]}", f"{' / '.join(same)} month{'' if same == ['1'] else 's'}", format.text)
        for same in alike.values()
    ]


def caches(families: Sequence[Sequence[Json]]) -> Table:
    """Users, dollars and costs of an operation by caching level and store."""
    own: _Own = {
        words("role", "stack"): lambda one: one["role"],
        words("kept", "cached"): kept,
    }
    note = "A memcached on a host of its own is a machine more in the dollars."
    return _compared("caches", "By caching level and store", families, own, ("cache", "memcached"), note)


def growth(families: Sequence[Sequence[Json]]) -> Table:
    """Users, dollars and costs of an operation by the number of servers."""
    own: _Own = {
        words("configuration", "configuration"): lambda one: one["label"],
        Column("servers", "servers"): lambda one: one["servers"],
    }
    note = "A balancer on a host of its own is a machine more in the dollars."
    title = "By the number of application servers"
    return _compared("growth", title, families, own, ("front", "balancer"), note)


_Own = dict[Column, Callable[[Json], Any]]
"""Columns that tell the configurations of a family apart, and what a configuration has there."""


def _compared(
    slug: str,
    title: str,
    families: Sequence[Sequence[Json]],
    own: _Own,
    apart: tuple[str, str],
    note: str,
) -> Table:
    """Configurations of families side by side; `apart` is a tier that may have a host, and its name."""
    tiers = {"app": "application", "database": "database", apart[0]: apart[1]}
    rows = [
        {
            **{column.key: value(one) for column, value in own.items()},
            "first": users(one.get("SLA-1")),
            "second": users(one.get("SLA-2")),
            "usd": per_month(one.get("SLA-1"), "now"),
            **{tier: interval(one["cpu_ms_per_op"].get(tier), 2) for tier in tiers},
            "limit": _limit(one.get("SLA-1")),
        }
        for family in families
        for one in family
    ]
    columns = [
        *own,
        words("first", "users at SLA-1"),
        words("second", "users at SLA-2"),
        Column("usd", "$ a user and month at SLA-1", format.text),
        *(Column(tier, f"{name}, ms/operation", format.text) for tier, name in tiers.items()),
        words("limit", "the record’s limit where it broke"),
    ]
    return Table(slug, title, columns, rows, note=note)


def costs(found: Sequence[Json]) -> Table:
    """Processor time and memory by tier."""
    rows = [
        {
            "configuration": one["label"],
            **{
                tier: interval(one["cpu_ms_per_op"].get(tier), 2)
                for tier in ("app", "database", "front", "client")
            },
            "app_memory": one["memory_bytes"].get("app"),
            "database_memory": one["memory_bytes"].get("database"),
            "operations": one["operations"],
            "wrong": one["wrong_bodies"],
            "failed": ", ".join(f"{count} {cause}" for cause, count in one["failed"].items()) or "none",
        }
        for one in found
    ]
    columns = [
        words("configuration", "configuration"),
        Column("app", "application, ms/operation", format.text),
        Column("database", "database, ms/operation", format.text),
        *_apart(found, "balancer, ms/operation"),
        Column("client", "generator, ms/operation", format.text),
        Column("app_memory", "application, memory", format.size),
        Column("database_memory", "database, memory", format.size),
        Column("operations", "operations"),
        Column("wrong", "wrong bodies"),
        words("failed", "failed"),
    ]
    return Table("costs", "Processor time and memory", columns, rows)


def nodes(found: Sequence[Json]) -> Table:
    """Nodes of each tier; a bracket gives none."""
    rows = []
    for one in found:
        plan = one["nodes"] or {}
        per_node, tiers = plan.get("users_per_node", {}), plan.get("tiers", {})
        rows.append(
            {
                "configuration": one["label"],
                **{f"{tier}_users": per_node.get(tier) for tier in ("app", "database")},
                **{
                    tier: f"{tiers[tier]['nodes']} ({tiers[tier]['needed']} needed)" if tiers else "–"
                    for tier in ("app", "database")
                },
                "front": f"{tiers['front']['nodes']} ({tiers['front']['needed']} needed)"
                if "front" in tiers
                else "–",
                "nodes": plan.get("nodes"),
                "why": plan.get("why", "" if plan else "withheld: no number of users was found"),
            }
        )
    columns = [
        words("configuration", "configuration"),
        Column("app_users", "users an application node"),
        Column("database_users", "users a database"),
        Column("app", "application nodes", format.text),
        Column("database", "databases", format.text),
        *_apart(found, "balancers"),
        Column("nodes", "nodes"),
        words("why", "why not"),
    ]
    return Table("nodes", "Nodes by tier", columns, rows)


def runs(found: Sequence[Json]) -> Table:
    """Every run of full length."""
    rows = [
        {
            "configuration": one["label"],
            "users": run["users"],
            "state": said_of(run["state"], run.get("slowed", False)),
            **{sla: run["verdict"].get(sla, "–") for sla in _SLAS},
            "worst": run["worst_share"],
            "ops": run["ops_per_s"],
            "checks": ", ".join(run["missed_checks"]) or "–",
            "limit": run["limit"] or "none",
            "wrong": run["wrong_bodies"],
            "memory": run.get("memory_us"),
        }
        for one in found
        for run in one["runs"]
    ]
    columns = [
        words("configuration", "configuration"),
        Column("users", "users"),
        words("state", "state"),
        *(words(sla, sla) for sla in _SLAS),
        Column("worst", "least within its limit", format.share),
        Column("ops", "operations/s", format.figure),
        words("checks", "checks missed"),
        words("limit", "limit"),
        Column("wrong", "wrong bodies"),
    ]
    if any(row["memory"] for row in rows):
        columns.append(Column("memory", "the same reads of memory, µs", format.figure))
    return Table("runs", "Runs", columns, rows)


def paper(study: Json) -> Table:
    """Table 2 with the paper's figures and ours."""
    rows = []
    for one in study["paper"]:
        ours = study["parts"].get(one["ours"]) if one["ours"] else None
        rows.append(
            {
                "number": one["number"],
                "application": one["application"],
                "machine": one["machine"],
                "comments": one["comments"] or "–",
                "sla_1": one["sla_1"],
                "sla_2": one["sla_2"],
                "usd_1": one["usd_1"],
                "usd_2": one["usd_2"],
                "said": one["said"] or "–",
                "ours": ours["label"] if ours else "not measured",
                "users": users(ours.get("SLA-1")) if ours else "–",
                "usd": per_month(ours.get("SLA-1"), "then") if ours else "–",
            }
        )
    columns = [
        Column("number", "#"),
        words("application", "application"),
        words("machine", "type"),
        words("comments", "comments"),
        Column("sla_1", "paper: users at SLA-1"),
        Column("sla_2", "at SLA-2"),
        Column("usd_1", "paper: $ at SLA-1", format.dollars),
        Column("usd_2", "at SLA-2", format.dollars),
        words("said", "the text"),
        words("ours", "our translation"),
        Column("users", "our users at SLA-1", format.text),
        Column("usd", "our $ at its prices", format.text),
    ]
    return Table("paper", "Table 2", columns, rows)


def _apart(found: Sequence[Json], words: str) -> list[Column]:
    """A column of balancers, where any has a host of its own."""
    return [Column("front", words, format.text)] if any(one["front"] for one in found) else []


def _hosts(one: Json) -> str:
    apart = f" on its own ({one['front']})" if one["front"] else ""
    balanced = f" behind {one['balancer']}{apart}" if one["balancer"] else ""
    link = f" on a link of {one['link_mbit']:g} Mbit/s" if one["link_mbit"] else ""
    factor = f", {one['quota_factor']:g} times the quota" if one["quota_factor"] != 1 else ""
    return f"{one['servers']} ({one['machine']}{factor}){link}{balanced}"


def _limit(held: Json | None) -> str:
    if not held or not held["limit"]:
        return "none named"
    return str(held["limit"]["said"])
