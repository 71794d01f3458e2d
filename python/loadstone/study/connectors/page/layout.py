"""The page of the study `connectors`."""

from __future__ import annotations

from pathlib import Path

from loadstone.report.folder import Json
from loadstone.report.sections import Article, Section, Tile, anchored, numbered
from loadstone.study.connectors.claims import at_most
from loadstone.study.connectors.page import charts, tables
from loadstone.study.method import badges, method
from loadstone.study.told import found, headline

_STATIC = (
    ("Figure 3", "replies_per_s"),
    ("Figure 4", "response_ms_mean"),
    ("Figure 5", "closed_by_server"),
)
_DYNAMIC = (
    ("Figure 6", "replies_per_s"),
    ("Figure 7", "sessions_per_s"),
    ("Figure 8", "life_s_mean"),
    ("Figure 8", "calls_completed_mean"),
    ("Figure 9", "timeouts"),
    ("Beside them", "response_ms_p50"),
    ("Beside them", "closed_by_server"),
)
_INTROS = {
    "dynamic": "Every call passes through one simulated database. It carries the same for all servers, on "
    "any machine. A session is lost if one of its calls is not answered in time.",
    "overload": "The same for half a minute. Sessions a second are those completed from the tenth second to "
    "the last arrival. The beginning, when no session can be complete yet, and the end do not count.",
    "auctions": "The auction site itself, with users who trade, and a fiftieth of their think times.",
    "static": "Files with SURGE’s laws, about six a session, over a kept connection.",
}


def article(study: Json, folder: Path) -> Article:
    """Lays the study out."""
    sections = [
        *filter(None, [found(study)]),
        *([_verdicts(study)] if study["parts"] else []),
        *(_experiment(study, name) for name in study["parts"]),
        *([_peer(study)] if study["peer"] else []),
        method(study, folder),
    ]
    return Article(
        key="f1",
        name="Connectors",
        sentence=headline(study),
        badges=badges(study),
        tiles=_tiles(study),
        sections=[anchored(section, "f1") for section in sections],
        absent=[],
    )


def _tiles(study: Json) -> list[Tile]:
    part = study["parts"].get("dynamic")
    labels = {one["name"]: one["label"] for one in study["variants"]}
    charted = charts.colours(study)
    return [
        Tile(
            labels[cell["server"]],
            f"{cell['figures']['sessions_per_s']['value']:.1f}",
            "sessions/s",
            f"of {part['capacity_sessions_per_s']:.1f}",
        )
        for cell in sorted(
            at_most(part) if part else [],
            key=lambda one: -float(one["figures"]["sessions_per_s"]["value"]),
        )
        if cell["server"] in charted
    ]


def _verdicts(study: Json) -> Section:
    return Section("targets", "What was to be shown", tables=[tables.targets(study), tables.paper(study)])


def _experiment(study: Json, name: str) -> Section:
    wanted = {"static": _STATIC, "overload": ()}.get(name, _DYNAMIC)
    ranked = charts.ranking(study, name)
    lines = [charts.over_load(study, name, figure, place) for place, figure in wanted]
    return Section(
        name,
        study["parts"][name]["title"],
        _INTROS.get(name, ""),
        wide=numbered("w", [one for one in [ranked, *lines] if one]),
        tables=[tables.cells(study, name)],
    )


def _peer(study: Json) -> Section:
    intro = "The paper’s generator in the same run, in turn with ours."
    return Section("peer", "Beside httperf", intro, tables=[tables.peer(study)])
