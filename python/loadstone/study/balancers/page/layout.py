"""The page of the study `balancers`."""

from __future__ import annotations

from pathlib import Path

from loadstone.report import format
from loadstone.report.badge import Badge
from loadstone.report.figures.figure import Figure
from loadstone.report.folder import Json
from loadstone.report.sections import Article, Section, Tile, anchored, numbered
from loadstone.study.balancers.page import charts, faults, site, tables
from loadstone.study.balancers.page.paper import paper
from loadstone.study.balancers.page.variants import Variants
from loadstone.study.method import badges, method
from loadstone.study.told import found as told
from loadstone.study.told import headline

_FAULT_INTRO = {
    "server-killed": "A server’s processes are killed under load (red line) and started again (green line).",
    "balancer-killed": "The balancer itself is killed and started again.",
    "server-cut": "A server’s network is cut: no answer, no refusal.",
}


def article(study: Json, folder: Path) -> Article:
    """Lays the study out."""
    variants, found = Variants.of(study), study["parts"]
    servers = f"{len(study['servers'])} × {study['server_role']}, a page of {study['page_bytes']} bytes"
    sections = [
        told(study),
        *_carried(study, found, variants),
        _costs(found, variants),
        _places(found, variants),
        _spread(study, found, variants),
        *_troubles(found, variants),
        _servers(found, variants),
        _site(found),
        _peer(found, variants),
        _cells(found, variants),
        method(study, folder, [("Servers", servers)]),
    ]
    return Article(
        key="f1",
        name="Load balancers",
        sentence=headline(study),
        badges=_badges(study),
        tiles=_tiles(found, variants),
        sections=[anchored(section, "f1") for section in sections if section],
        absent=[],
    )


def _ranked(carried: Json) -> list[Json]:
    """Balancers by what they carry from one generator, the most first."""
    own = [one for one in carried["pooled"] if one["balancer"] != "none" and one["generators"] == 1]
    return sorted(own, key=lambda one: -float(one["pooled"]["value"]))


def _badges(study: Json) -> list[Badge]:
    return badges(study) + [Badge("warn", warning) for warning in study["warnings"]]


def _tiles(found: Json, variants: Variants) -> list[Tile]:
    tiles = []
    if carried := found.get("throughput"):
        for one in _ranked(carried):
            tiles.append(
                Tile(
                    variants.labels[one["balancer"]],
                    format.whole(one["pooled"]["value"]),
                    "requests/s",
                    _range(one["pooled"]),
                )
            )
        bare = [one for one in carried["pooled"] if one["balancer"] == "none" and one["generators"] == 1]
        tiles += [
            Tile("No balancer", format.whole(one["pooled"]["value"]), "requests/s", _range(one["pooled"]))
            for one in bare
        ]
    return tiles


def _range(one: Json) -> str:
    return "" if one["low"] is None else f"{format.whole(one['low'])}–{format.whole(one['high'])}"


def _carried(study: Json, found: Json, variants: Variants) -> list[Section | None]:
    carried = found.get("throughput")
    if not carried:
        return []
    counts = sorted({one["generators"] for one in carried["cells"]})
    figures = [charts.throughput(carried, count, variants, study["paper"]) for count in counts]
    differences = carried["comparisons"].get("1", [])
    forest = charts.forest(differences, variants)
    return [
        Section(
            "throughput",
            "What they carry",
            "The paper’s method: a fixed number of requests for one small page, over kept connections and as "
            "fast as possible, through a balancer that rotates over three equal servers.",
            wide=numbered("w", [figure for figure in figures if figure]),
            tables=[paper(study, variants)],
        ),
        Section(
            "differences",
            "What differs",
            "Each repetition measures all variants, in an order drawn anew, so that a change of the machine "
            "during the study affects all of them alike.",
            wide=numbered("w", [forest] if forest else []),
            tables=[tables.comparisons(differences, variants)] if differences else [],
        ),
    ]


def _costs(found: Json, variants: Variants) -> Section | None:
    carried = found.get("throughput")
    if not carried:
        return None
    figure = charts.costs(carried["costs"], variants)
    return Section(
        "cost",
        "What a request costs",
        "Processor time for each request.",
        wide=numbered("w", [figure] if figure else []),
        tables=[tables.costs(carried["costs"], variants)],
    )


def _places(found: Json, variants: Variants) -> Section | None:
    if "segments" not in found:
        return None
    figure = charts.shares(found["segments"], variants)
    return Section(
        "places",
        "Where the time goes",
        "Network is the difference between a request’s spans at the two ends of a wire, balancer that "
        "between its front and its back, and server the span at the server. Each span is a difference "
        "of instants of one clock, so clocks need not agree.",
        wide=numbered("w", [figure] if figure else []),
        tables=[tables.segments(found["segments"], variants)],
    )


def _spread(study: Json, found: Json, variants: Variants) -> Section | None:
    if "spread" not in found:
        return None
    return Section(
        "spread",
        "Who gets the requests",
        "nftables balances connections, not requests: a connection that is kept stays with its server.",
        tables=[tables.spread(found["spread"], variants, study["servers"])],
    )


def _troubles(found: Json, variants: Variants) -> list[Section | None]:
    if "faults" not in found:
        return []
    sections: list[Section | None] = []
    for kind, intro in _FAULT_INTRO.items():
        own = sorted(
            (one for one in found["faults"] if one["fault"] == kind),
            key=lambda one: variants.order(one["balancer"]),
        )
        figures: list[Figure] = [faults.course(one, variants) for one in own]
        if figures:
            title = faults.FAULTS[kind]
            sections.append(
                Section(
                    kind, title[:1].upper() + title[1:], f"{intro} Answers (blue) and failures (red) in "
                    f"each tenth of a second.",
                    small=numbered("s", figures),
                )
            )  # fmt: skip
    return [*sections, Section("faults", "In trouble", tables=[faults.table(found["faults"], variants)])]


def _servers(found: Json, variants: Variants) -> Section | None:
    figure = charts.growth(found.get("growth", []), variants)
    shown = [
        tables.uneven(found["uneven"], variants) if found.get("uneven") else None,
        tables.reuse(found["reuse"], variants) if found.get("reuse") else None,
    ]
    if not (figure or any(shown)):
        return None
    return Section(
        "servers",
        "Behind the balancer",
        wide=numbered("w", [figure] if figure else []),
        tables=[table for table in shown if table],
    )


def _site(found: Json) -> Section | None:
    if not found.get("site"):
        return None
    figure = site.chart(found["site"])
    first = found["site"][0]
    intro = (
        f"Olio behind a balancer, on application servers of {first['cpus']:g} of a processor each, with one "
        f"database. Windows of {first['window_s']:g} s instead of 300."
    )
    return Section(
        "site",
        "A whole site",
        intro,
        wide=numbered("w", [figure] if figure else []),
        tables=[site.table(found["site"])],
    )


def _peer(found: Json, variants: Variants) -> Section | None:
    if not found.get("peer"):
        return None
    intro = "The paper’s generator was ab. Beside our agents in the same study:"
    return Section("peer", "Beside another generator", intro, tables=[tables.peer(found["peer"], variants)])


def _cells(found: Json, variants: Variants) -> Section | None:
    carried = found.get("throughput")
    if not carried:
        return None
    counts = sorted({one["generators"] for one in carried["cells"]})
    every = [tables.cells(carried, count, variants) for count in counts]
    return Section("cells", "Every cell of the matrix", tables=every)
