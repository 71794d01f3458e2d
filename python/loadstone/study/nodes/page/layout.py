"""The page of the study `nodes`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from loadstone.report import format
from loadstone.report.badge import Badge
from loadstone.report.figures.figure import Figure
from loadstone.report.folder import Json
from loadstone.report.sections import Article, Section, Tile, anchored, numbered
from loadstone.study.method import badges, method
from loadstone.study.nodes.page import charts, ours, tables
from loadstone.study.told import found as told
from loadstone.study.told import headline


def article(study: Json, folder: Path) -> Article:
    """Lays the study out."""
    found = study["parts"]
    sections = [
        *filter(None, [told(study)]),
        *_counts(found),
        Section(
            "figure5",
            "One node",
            "Figure 5. In the cloud a crashed node is replaced; on-premises nobody mends it.",
            wide=_drawn(found, "one_node", charts.one_node),
            tables=[tables.availability(found["availability"], "Figure 5")],
        ),
        Section(
            "figure6",
            "Clusters without extra nodes",
            "Figure 6. The share of time with all of them up.",
            wide=_drawn(found, "clusters", charts.clusters),
            tables=[tables.availability(found["availability"], "Figure 6")],
        ),
        Section(
            "figure7",
            "Right answers",
            "Figure 7. Transient faults corrupt a node silently, crash it, or are caught.",
            wide=_drawn(found, "integrity", charts.corrupt, charts.down),
            tables=[tables.corrupt(found["corrupt"])],
        ),
        Section(
            "throughput",
            "What hardening costs",
            "Throughput of a hardened node as a share of a native one, and the nodes that follow.",
            tables=[tables.ratios(found["throughput"]), tables.averages(found["throughput"])],
        ),
        *ours.sections(found.get("measured", {})),
        method(study, folder, _inputs(study)),
    ]
    return Article(
        key="f1",
        name="Nodes",
        sentence=headline(study),
        badges=_badges(study),
        tiles=[
            Tile(f"Num, {one['node']}", format.whole(one["num"]), "nodes", "for ten native throughputs")
            for one in found["base"]
        ],
        sections=[anchored(section, "f1") for section in sections],
        absent=[],
    )


def _drawn(found: Json, curves: str, *charts: Callable[[Json], Figure]) -> dict[str, Figure]:
    """Charts of curves that were computed."""
    return numbered("w", [chart(found) for chart in charts]) if found["curves"][curves] else {}


def _counts(found: Json) -> list[Section]:
    return [
        Section(
            table["place"].lower().translate(str.maketrans("", "", " ()")),
            f"{table['place']}: {table['title']}",
            tables=[tables.counts(table)],
        )
        for table in found["tables"]
    ]


def _badges(study: Json) -> list[Badge]:
    found, differing = study["parts"], study["disagreements"]
    cells = [cell for table in found["tables"] for cell in table["cells"] if cell["fitting"]]
    compared = [cell for cell in cells if cell["agrees"] is not None]
    same = sum(cell["agrees"] for cell in compared)
    unproved = [cell for cell in cells if not (cell["proof"] and cell["proof"]["holds"])]
    made = badges(study)
    if compared:
        kind = "good" if same == len(compared) else "bad"
        made.append(Badge(kind, f"{same} of {len(compared)} printed counts are the paper’s"))
    if unproved:
        made.append(Badge("warn", f"{len(unproved)} counts are not proved by bounds"))
    elif cells:
        made.append(Badge("good", "every count proved by bounds"))
    if differing:
        made.append(Badge("warn", f"{len(differing)} points differ from the paper", tuple(differing)))
    return made


def _inputs(study: Json) -> list[tuple[str, str]]:
    inputs = study["inputs"]
    return [("Year judged", inputs["year"]), ("Month", inputs["month"]), ("Target", inputs["target"])]
