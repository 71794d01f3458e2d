"""The paper's figures beside ours."""

from __future__ import annotations

from loadstone.report import format
from loadstone.report.folder import Json
from loadstone.report.table import Column, Row, Table, words
from loadstone.study.balancers.page.variants import Variants
from loadstone.study.words import interval


def paper(study: Json, variants: Variants) -> Table:
    """The paper's services and our variants, a row each, a column for each of the paper's figures."""
    asked: dict[str, Json] = {}
    rows: dict[str, Row] = {}
    for one in study["paper"]:
        key = f"{one['figure']}_{one['generators']}"
        asked.setdefault(key, one)
        row = rows.setdefault(f"paper: {one['system']}", {"own": ""})
        row[key] = _paper_value(one)
    for key, one in asked.items():
        for name in sorted(one["ours"], key=variants.order):
            row = rows.setdefault(variants.labels[name], {"own": "chosen"})
            row[key] = _ours(one["figure"], one["ours"][name])
    columns = [Column(key, f"{one['place']}: {one['what']}", format.text) for key, one in asked.items()]
    notes = [f"{one['system']}, {one['place']}: {one['note']}." for one in study["paper"] if one["note"]]
    return Table(
        "paper",
        "The paper’s values and ours",
        [words("system", "system"), *columns],
        [{"system": name, **row} for name, row in rows.items()],
        note="Shaded: ours, on one machine of today. The paper’s services were other machines: the method "
        "can be compared, the width of the intervals, and the order of magnitude. " + " ".join(notes),
        highlight=lambda row: str(row["own"]),
    )


def _paper_value(one: Json) -> str:
    if one["figure"] == "network_share":
        return format.share(one["value"])
    digits = 1 if one["figure"] == "requests_per_s" else 2
    unit = " ms" if one["figure"] == "response_ms" else " /s"
    return interval({"value": one["value"], "low": one["low"], "high": one["high"]}, digits) + unit


def _ours(figure: str, one: Json | float) -> str:
    if isinstance(one, float):
        return format.share(one)
    unit = " ms" if figure == "response_ms" else " /s"
    return interval(one, 1 if figure == "requests_per_s" else 2) + unit
