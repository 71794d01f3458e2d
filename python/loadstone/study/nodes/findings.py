"""What the comparison amounts to, in sentences made from its figures."""

from __future__ import annotations

from typing import Any

from loadstone.nodes.quantities import parse_duration, parse_target
from loadstone.study.finding import Status, finding
from loadstone.study.nodes.counts import NONE
from loadstone.study.nodes.description import NODES, Description
from loadstone.study.nodes.protection import protection

Json = dict[str, Any]

_PAPERS_HOURS = "8.77 h"
_LOW = "month range, low"


def findings(description: Description, parts: Json) -> list[Json]:
    """What a reader of the paper should know. Shown: the chain, solved between bounds, says so."""
    cells = [cell for table in parts["tables"] for cell in table["cells"]]
    return [
        *([_agreement(cells)] if cells else []),
        *(finding("headings", told, "shown", "tables") for told in _headings(parts["tables"])),
        *(finding("unreachable", told, "shown", "tables") for told in _unreachable(cells)),
        finding("year", _year(description), "shown"),
        *_availability(parts["availability"]),
        *_corruption(parts["corrupt"]),
        *_retrying(parts["corrupt"]),
        finding("throughput", _throughput(parts["throughput"]), "shown"),
        *protection(parts.get("measured", {})),
    ]


def _agreement(cells: list[Json]) -> Json:
    compared = [cell for cell in cells if cell["fitting"] and cell["paper"] is not None]
    same = sum(cell["agrees"] for cell in compared)
    proved = sum(bool(cell["proof"] and cell["proof"]["holds"]) for cell in compared)
    lost = sum(cell["fitting"] and cell["paper"] is None for cell in cells)
    words = (
        f"{same} of the {len(compared)} printed cells of tables II and III come out to the node; {proved} "
        "are proved by bounds on the downtime, rounding included: this many are enough, one fewer is not."
    )
    words += f" {lost} more cells cannot be read in print and are computed." if lost else ""
    status: Status = "shown" if same == proved == len(compared) else "not shown"
    return finding("counts", words, status, "tables", len(compared))


def _headings(tables: list[Json]) -> list[str]:
    """What another reading of a heading would need, where it differs."""
    return [_heading(table) for table in tables if any(cell["agrees"] is False for cell in table["cells"])]


def _heading(table: Json) -> str:
    literal = [cell for cell in table["cells"] if cell["agrees"] is False]
    fitting = [cell for cell in table["cells"] if cell["column"] == literal[0]["column"] and cell["fitting"]]
    needed, instead = (" / ".join(format(cell["ours"], ",") for cell in row) for row in (literal, fitting))
    return (
        f"Columns headed {literal[0]['crash']} follow from a crash rate of {fitting[0]['crash']}, one crash "
        f"in six months. Read as they stand, {table['place']} would need {needed} extra nodes for "
        f"{' / '.join(cell['node'] for cell in literal)} instead of {instead}."
    )


def _unreachable(cells: list[Json]) -> list[str]:
    none = {cell["node"]: cell for cell in cells if cell["ours"] == NONE}
    if not none:
        return []
    best = ", ".join(f"{none[node]['availability']:.5f} ({node})" for node in NODES if node in none)
    column = next(iter(none.values()))["column"]
    return [
        f"Where the paper prints × ({column}) no pool is large enough: even an endless one reaches {best}."
    ]


def _year(description: Description) -> str:
    allowed = [
        f"{float((1 - parse_target(description.target)) * parse_duration(year) / 3600):.4g} h for {year}"
        for year in (description.year, description.usual_year)
    ]
    return (
        f"The text allows {_PAPERS_HOURS} of downtime for three nines, which is a year of "
        f"{description.usual_year}; its tables follow from {description.year}. Allowed: {'; '.join(allowed)}."
    )


def _availability(points: list[Json]) -> list[Json]:
    compared = [point for point in points if point["agrees"] is not None]
    wrong = [point for point in compared if not point["agrees"]]
    held = len(compared) - len(wrong)
    if not compared:
        return []
    text = f"What the text says of figures 5 and 6 holds at {held} of {len(compared)} points."
    for point in wrong:
        text += (
            f" {point['place']}, {point['crash']} and {point['failover']}: the paper says {point['paper']}, "
            f"the chain {point['ours'][0]:.7f}"
            + (
                f"; it holds up to {upto:.2f} crashes a year."
                if (upto := point["holds_to_per_year"])
                else "."
            )
        )
    return [finding("availability", text, "not shown" if wrong else "shown", "points", len(compared))]


def _corruption(points: list[Json]) -> list[Json]:
    """How far figure 7 follows from Table I, by node type."""
    found = []
    for node in NODES:
        own = [
            one
            for one in points
            if one["node"] == node and not one["fitted"] and one["checker"] is None and one["paper"]
        ]
        if not own:
            continue
        off = [one for one in own if not one["agrees"]]
        words = f"Figure 7, {node}: {len(own) - len(off)} of {len(own)} points follow from Table I."
        if off:
            ratios = [one["ours"][0] / one["paper"] for one in off]
            span = f"{min(ratios):.2f}" + (f" to {max(ratios):.2f}" if len(ratios) > 1 else "")
            rest = "The others are" if len(off) > 1 else "The other is"
            words += f" {rest} {span} times the paper's."
            # Points of one share say the same.
            words += "".join(dict.fromkeys(_fitted(one, points) for one in off))
        status: Status = "not shown" if off else "shown"
        found.append(finding(f"corruption-{node}", words, status, "points", len(own)))
    return found


def _fitted(one: Json, points: list[Json]) -> str:
    """What the same point comes to with a share that was fitted to the paper's figures."""
    same = (p for p in points if p["fitted"] and (p["node"], p["end"]) == (one["node"], one["end"]))
    fitted = next(same, None)
    if fitted is None:
        return ""
    follows = "it follows" if fitted["agrees"] else "it does not follow either"
    return (
        f" With {100 * fitted['corrupts']:.3g} % of faults that corrupt instead of Table I's "
        f"{100 * one['corrupts']:.3g} %, {follows}."
    )


def _retrying(points: list[Json]) -> list[Json]:
    """TX beside ILR, both as Table I has them."""
    low = {one["node"]: one for one in points if not one["fitted"] and one["end"] == _LOW}
    checked = [one for one in points if one["checker"] is not None and one["agrees"] is False]
    if not (low.keys() >= {"ilr", "tx"} and checked):
        return []
    ilr, tx, wrong = low["ilr"], low["tx"], checked[0]
    more = tx["ours"][0] > ilr["ours"][0]
    text = (
        f"Solved exactly, TX is corrupt {tx['ours'][0]:.2g} % of a month with {tx['faults']} faults and ILR "
        f"{ilr['ours'][0]:.2g} %: TX is the {'more' if more else 'less'} often corrupt, and down "
        f"{tx['down'][0]:.2g} % against {ilr['down'][0]:.2g} %."
    )
    cause = (
        f"The likely cause of the paper's lower figure is its checker: with retries of {wrong['retry']} it "
        f"prints {wrong['checker']:g} % where the chain's answer is {wrong['ours'][0]:.4f} % (an inference "
        "with one free parameter)."
    )
    return [
        finding("retrying", text, "shown", "points"),
        finding("retrying-cause", cause, "undecided", "points"),
    ]


def _throughput(found: Json) -> str:
    own, *others = found["averages"]
    means = "; ".join(
        f"{one['way']}: {100 * one['ilr']:.0f} % and {100 * one['tx']:.0f} %, so {one['num']['ilr']} and "
        f"{one['num']['tx']} nodes"
        for one in others
    )
    return (
        f"The paper plans with throughputs of {100 * own['ilr']:.0f} % (ILR) and {100 * own['tx']:.0f} % "
        f"(TX) of native, {own['num']['ilr']} and {own['num']['tx']} nodes. Its own measurements average to "
        f"{means}."
    )


def disagreements(parts: Json) -> list[str]:
    """Cells and points that compare with the paper and differ, by place; readings and fits left out."""
    cells = [
        f"{table['place']}, {cell['column']}, {cell['node']}: paper {cell['paper']}, ours {cell['ours']}"
        for table in parts["tables"]
        for cell in table["cells"]
        if cell["fitting"] and cell["agrees"] is False
    ]
    availability = [
        f"{one['place']}, {one['nodes']} at {one['crash']}: paper {one['paper']}, ours {one['ours'][0]:.7f}"
        for one in parts["availability"]
        if one["agrees"] is False
    ]
    corrupt = [
        f"Figure 7, {one['node']}, {one['end']}: paper {one['paper']:g} %, ours {one['ours'][0]:.4g} %"
        for one in parts["corrupt"]
        if one["agrees"] is False and not one["fitted"] and one["checker"] is None
    ]
    return cells + availability + corrupt
