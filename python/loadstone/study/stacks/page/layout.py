"""The page of the study of stacks."""

from __future__ import annotations

from pathlib import Path

from loadstone.report.badge import Badge
from loadstone.report.folder import Json
from loadstone.report.sections import Article, Section, Tile, anchored, numbered
from loadstone.study.method import badges, method
from loadstone.study.stacks.families import cached, compared, grown
from loadstone.study.stacks.page import charts, tables
from loadstone.study.stacks.words import per_month, users
from loadstone.study.told import found as told
from loadstone.study.told import headline

_BEFORE: Json = {"trial": False, "store": None, "link_mbit": None, "quota_factor": 1}
"""What held in studies that do not say it."""


def article(study: Json, folder: Path) -> Article:
    """Lays the study out."""
    found = [_BEFORE | one for one in study["parts"].values()]
    sections = [
        *filter(None, [told(study)]),
        *(_measured(study, found) if found else []),
        Section(
            "paper",
            "The paper’s seven configurations",
            "Table 2, what the text says of it, and our translation. Other numbers are in Figure 5 only.",
            tables=[tables.paper(study)],
        ),
        method(study, folder, _inputs(study)),
    ]
    return Article(
        key="f1",
        name="Stacks",
        sentence=headline(study),
        badges=_badges(study, found),
        tiles=[Tile(one["label"], *_figure(one)) for one in compared(found)[:6]],
        sections=[anchored(section, "f1") for section in sections],
        absent=[],
    )


def _figure(one: Json) -> tuple[str, str, str]:
    """Users at SLA-1 as a tile shows them; a bracket is none."""
    held = one.get("SLA-1")
    if held and held["decided"]:
        return f"{held['users']:,.0f}", "users", f"at SLA-1, {per_month(held, 'now')} each"
    return "–", "users", users(held)


def _measured(study: Json, found: list[Json]) -> list[Section]:
    cpus = study["cpus"]["compute"]
    main = compared(found)
    drawn = numbered("w", [each for each in [charts.dollars(main)] if each])
    families, larger = cached(found), grown(found)
    note = (
        f"Every host that serves has a quota of {cpus:g} of a core, unless the table says otherwise. "
        "Users are those of such hosts. Dollars are those of whole machines, which are taken to carry in "
        "proportion to their processors. Compare configurations with each other: absolute numbers are of "
        "this fraction of this machine."
    )
    return [
        Section("users", "Users, and what each costs", note, wide=drawn, tables=[tables.users_of(found)]),
        Section(
            "dollars",
            "Dollars a user and month",
            "Machines are rented on demand, so the horizons are equal; traffic is that of the most users.",
            tables=[tables.dollars(found, when) for when in ("now", "then")],
        ),
        Section(
            "costs",
            "What an operation costs",
            "Means over the runs of the search, 95 %. Memory is the most of a run, of all hosts of a tier.",
            wide=numbered("c", [each for each in [charts.cpu(main)] if each]),
            tables=[tables.costs(found)],
        ),
        *([_grown(larger)] if larger else []),
        *([_cached(families)] if families else []),
        Section(
            "nodes",
            "Nodes that stay up",
            _assumed(study["nodes_for"]),
            tables=[tables.nodes(found)],
        ),
        Section(
            "runs",
            "Every run",
            "A short run says where a search begins, and is no evidence. Of every answer the status, the "
            "page’s key and its end are checked.",
            folded=[tables.runs(found)],
        ),
    ]


def _grown(families: list[list[Json]]) -> Section:
    """The same stack on more and more servers."""
    lead = (
        "The same stack on more servers, behind a balancer, with one database. Once the record names the "
        "database as the limit, more servers carry no more users."
    )
    drawn = numbered("g", [each for each in [charts.growth(families)] if each])
    return Section("growth", "Servers added", lead, wide=drawn, tables=[tables.growth(families)])


def _cached(families: list[list[Json]]) -> Section:
    """The same stack with caches and without."""
    lead = (
        "The same stack with caches and without. A level includes those before it: pages, actions, "
        "fragments, queries. They are kept in the memory of each process where nothing else is said."
    )
    return Section("caches", "What caches change", lead, tables=[tables.caches(families)])


def _assumed(wanted: Json) -> str:
    return (
        f"{wanted['users']:,} users at SLA-1 on whole machines, up {wanted['target']}. Assumed: a machine "
        f"crashes {wanted['crash']}, an application server is replaced in {wanted['app_failover']}, a "
        f"database in {wanted['database_failover']}. The tier that had used most of its quota carries what "
        "was measured, the other more in proportion: an extrapolation. A second database is a replica and "
        "carries no more."
    )


def _badges(study: Json, found: list[Json]) -> list[Badge]:
    made = badges(study)
    trials = tuple(
        f"{one['label']}: windows of {one['window_s']:g} s" for one in found if not one["compliant"]
    )
    open_ = tuple(
        f"{one['label']}: {users(one.get('SLA-1'))}"
        for one in found
        if not (one.get("SLA-1") and one["SLA-1"]["decided"])
    )
    if trials:
        are = "configuration is a trial" if len(trials) == 1 else "configurations are trials"
        made.append(Badge("warn", f"{len(trials)} {are}, not by the rules", trials))
    if open_:
        searches = "search" if len(open_) == 1 else "searches"
        made.append(Badge("warn", f"{len(open_)} {searches} found no number of users at SLA-1", open_))
    return made


def _inputs(study: Json) -> list[tuple[str, str]]:
    prices = study["prices"]
    books = f"{prices['now']}, beside it {prices['then']}; {prices['hours_per_month']:g} hours a month"
    return [("Prices", books)]
