"""Findings for people: the sentence that leads, and all of them with what they rest on."""

from __future__ import annotations

from loadstone.report.folder import Json
from loadstone.report.sections import Section
from loadstone.report.table import Column, Table, words
from loadstone.study.words import Block, interval

MARKS = {"shown": "✓ shown", "not shown": "✗ not shown", "undecided": "? undecided"}
_CLASSES = {"shown": "good", "not shown": "bad", "undecided": ""}


def headline(study: Json) -> str:
    """The study's main finding; what it is about where nothing was found yet."""
    if not study["findings"]:
        if study["tasks"]["done"]:
            # A record of before findings were drawn from the data.
            return f"{study['summary']}: findings are not drawn yet, by `loadstone study recompute FOLDER`."
        return f"{study['summary']}: nothing was measured yet."
    first = study["findings"][0]
    return str(first["text"]) + ("" if first["status"] == "shown" else f" ({first['status'].capitalize()}.)")


def found(study: Json) -> Section | None:
    """All findings; None where there is none."""
    if not study["findings"]:
        return None
    rows = [
        {
            "text": one["text"],
            "status": MARKS[one["status"]],
            "class": _CLASSES[one["status"]],
            "part": one["part"] or "several",
            "rows": one["rows"],
            "figures": "; ".join(f"{name}: {_figure(each)}" for name, each in one["figures"].items()) or "–",
        }
        for one in study["findings"]
    ]
    table = Table(
        "findings",
        "What the data say",
        [
            words("text", "finding"),
            words("status", "status"),
            words("part", "part"),
            Column("rows", "measurements"),
            words("figures", "figures (95 %)"),
        ],
        rows,
        note="Made from the record, none typed. Undecided: the intervals allow both, or there are too few "
        "repetitions.",
        highlight=lambda row: str(row["class"]),
    )
    return Section("findings", "What was found", tables=[table])


def told(study: Json) -> list[Block]:
    """All findings for the terminal."""
    lines = [f"{MARKS[one['status']]}: {one['text']}" for one in study["findings"]]
    return ["\n".join(lines)] if lines else []


def _figure(one: Json) -> str:
    largest = max(abs(one[name] or 0.0) for name in ("value", "low", "high"))
    return interval(one, 0 if largest >= 100 else 1 if largest >= 10 else 3)
