"""Charts of the study of appliances: a figure of every storage, page or guest over what varies."""

from __future__ import annotations

import math
from collections.abc import Sequence

from loadstone.report.figures.figure import Figure, Layout, Trace, end_labels, layout, plain
from loadstone.report.folder import Json
from loadstone.study.words import interval

_TALL = 330
_COLOURS = ("@s2", "@s1", "@s4", "@s3", "@s5", "@s6")
_CACHES = {"unsafe": "flushes forgotten", "writeback": "real flushes"}


def sql(study: Json) -> list[Figure]:
    """Figure 3: commits a second over the size of records, a chart for each host cache."""
    found = study["parts"].get("sql", [])
    made = []
    for cache in dict.fromkeys(cell["case"]["cache"] for cell in found):
        own = [cell for cell in found if cell["case"]["cache"] == cache]
        made.append(
            _over(
                study,
                own,
                by="storage",
                along="record",
                figure="commits_per_s",
                slug=f"sql-{cache}",
                title=f"Commits a second, {_CACHES[cache]}",
                note="Inserts, updates and deletes, each a transaction; every value checked. Logarithmic.",
                axis="bytes of a record",
            )
        )
    return made


def allocations(study: Json) -> list[Figure]:
    """Figure 4: instructions of an allocation over its size."""
    found = study["parts"].get("alloc", [])
    if not found:
        return []
    sized = [cell | {"case": cell["case"] | {"bytes": _most(cell["case"]["size"])}} for cell in found]
    return [
        _over(
            study,
            sized,
            by="guest",
            along="bytes",
            figure="ns_each",
            slug="alloc",
            title="Instructions of an allocation",
            note="A string made, its ends written and compared, and freed; the clock counts instructions.",
            axis="bytes of a string, at most",
        )
    ]


def http(study: Json) -> list[Figure]:
    """Requests a second over connections, a chart for each page."""
    found = study["parts"].get("http", [])
    return [
        _over(
            study,
            [cell for cell in found if cell["case"]["page"] == page],
            by="guest",
            along="connections",
            figure="requests_per_s",
            slug=f"http-{page}",
            title=f"Requests a second: {study['labels'][page]}",
            note="Asked flat out over connections that are kept.",
            axis="connections",
        )
        for page in dict.fromkeys(cell["case"]["page"] for cell in found)
    ]


def _most(size: str) -> int:
    return int(size.rpartition("-")[2])


def _over(
    study: Json,
    cells: Sequence[Json],
    *,
    by: str,
    along: str,
    figure: str,
    slug: str,
    title: str,
    note: str,
    axis: str,
) -> Figure:
    places = sorted({cell["case"][along] for cell in cells})
    at = {place: index for index, place in enumerate(places)}
    names = list(dict.fromkeys(cell["case"][by] for cell in cells))
    highs = [cell["figures"][figure]["high"] for cell in cells]
    lows = [cell["figures"][figure]["low"] for cell in cells]
    frame = layout(
        _TALL,
        right=190,
        xaxis=_places(places, axis),
        yaxis={"type": "log", "nticks": 6}
        if max(highs) > 20 * min(lows)
        else {"range": [0, max(highs) * 1.08]},
        margin={"l": 62},
    )
    traces: list[Trace] = []
    ends: list[tuple[str, str, float]] = []
    for index, name in enumerate(names):
        own = sorted((c for c in cells if c["case"][by] == name), key=lambda c: float(c["case"][along]))
        colour, words = _COLOURS[index % len(_COLOURS)], study["labels"].get(name, name)
        traces.append(
            _line([at[c["case"][along]] for c in own], [c["figures"][figure] for c in own], words, colour)
        )
        ends.append((words, colour, own[-1]["figures"][figure]["value"]))
    frame["annotations"] = end_labels(_heights(ends, min(lows), max(highs)), _TALL)
    return Figure(slug, title, note, traces, frame)


def _places(places: Sequence[int], axis: str) -> Layout:
    return {
        "tickvals": list(range(len(places))),
        "ticktext": [f"{place:,}" for place in places],
        "range": [-0.15, len(places) - 0.85],
        "title": {"text": axis, "standoff": 6, "font": {"size": 12}},
    }


def _heights(ends: Sequence[tuple[str, str, float]], low: float, high: float) -> list[tuple[str, str, float]]:
    """Labels spread over the frame in the order of their lines; the lines themselves end beside them."""
    if high > 20 * low:
        span = math.log(high / low)
        return [(words, colour, math.log(value / low) / span) for words, colour, value in ends]
    return [(words, colour, value / (high * 1.08)) for words, colour, value in ends]


def _line(xs: list[int], found: Sequence[Json], name: str, colour: str) -> Trace:
    return {
        "type": "scatter", "mode": "lines+markers", "name": plain(name),
        "x": xs, "y": [one["value"] for one in found],
        "text": [interval(one, 1) for one in found], "hovertemplate": "%{text}",
        "line": {"color": colour, "width": 2}, "marker": {"color": colour, "size": 6},
        "error_y": {
            "type": "data", "symmetric": False, "color": colour, "thickness": 1.2, "width": 4,
            "array": [one["high"] - one["value"] for one in found],
            "arrayminus": [one["value"] - one["low"] for one in found],
        },
    }  # fmt: skip
