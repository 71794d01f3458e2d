"""The study of nodes: every table and figure of the file computed, and what they amount to."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from loadstone.study.conduct import Perform
from loadstone.study.nodes import counts, curves, points, terminal
from loadstone.study.nodes.asked import Measured
from loadstone.study.nodes.description import FILE, Description, load_description
from loadstone.study.nodes.findings import disagreements, findings
from loadstone.study.nodes.ours import MEASURED
from loadstone.study.nodes.throughput import throughput
from loadstone.study.order import Order
from loadstone.study.results import Results
from loadstone.study.schedule import StudyPart, Task
from loadstone.study.study import Around, Study
from loadstone.study.words import Block

Json = dict[str, Any]

_POINTS: Mapping[str, Callable[[Description], list[Json]]] = {
    "availability": lambda file: [points.availability(one, file) for one in file.availability],
    "corrupt": lambda file: [points.corrupt(one, file) for one in file.corrupt],
}
_CURVES: Mapping[str, Callable[[Description], list[Json]]] = {
    "one_node": curves.one_node,
    "clusters": curves.clusters,
    "integrity": curves.integrity,
}
_TABLE_S, _FIGURE_S = 3.0, 0.5


class Nodes(Study):
    """PCRAFT's tables and figures computed again, from its own figures and from what was measured here.

    A task is a table or a figure: nothing is measured, records of measurements are read.
    """

    name = "nodes"
    part_names = ("tables", "points", "curves", "measured")
    seed = 1
    """Of the order in which it is computed; nothing is drawn."""

    def __init__(
        self, order: Order, description: Description | None = None, folder: Path = FILE.parent
    ) -> None:
        """`description` instead of the study's file, with the records that it names from `folder` on. Errors
        as `load_description`.
        """
        super().__init__(order)
        self.description = description or load_description()
        self.folder = folder
        self.summary = self.description.summary
        tables = [{"place": one.place} for one in self.description.table]
        self.parts = [
            part
            for part in (
                StudyPart("tables", tables, 1, _TABLE_S),
                StudyPart("points", [{"of": name} for name in _POINTS], 1, _FIGURE_S),
                StudyPart("curves", [{"of": name} for name in _CURVES], 1, _FIGURE_S),
                StudyPart("measured", _ours(self.description.measured), 1, _FIGURE_S),
            )
            if part.cases and (order.only is None or part.name in order.only)
        ]

    def definition(self) -> Json:
        """The study's file."""
        return self.description.model_dump(mode="json")

    def header(self) -> Json:
        """What the paper leaves to its reader."""
        file = self.description
        inputs = {"year": file.year, "month": file.month, "target": file.target, "load": file.load}
        return {"inputs": inputs}

    @contextlib.contextmanager
    def ready(self, around: Around) -> Iterator[Perform]:
        """Needs nothing."""
        yield self._computed

    def _computed(self, task: Task) -> Json:
        """What a task comes to. LoadstoneError of the solver."""
        if task.part == "tables":
            (printed,) = [one for one in self.description.table if one.place == task.case["place"]]
            return counts.table(printed, self.description)
        if task.part == "measured":
            return {"rows": MEASURED[task.case["of"]](self.description, self.folder)}
        made = (_POINTS if task.part == "points" else _CURVES)[task.case["of"]]
        return {"rows": made(self.description)}

    def findings(self, results: Results) -> Json:
        """Tables in the paper's order, figures by name, and the sentences that follow from all of them."""
        places = [one.place for one in self.description.table]
        tables = [row["measured"] for row in results.measured("tables")]
        rows = {
            row["case"]["of"]: row["measured"]["rows"]
            for part in ("points", "curves")
            for row in results.measured(part)
        }
        parts: Json = {
            "base": counts.base(self.description),
            "tables": sorted(tables, key=lambda table: places.index(table["place"])),
            **{name: rows.get(name, []) for name in _POINTS},
            "throughput": throughput(self.description),
            "curves": {name: rows.get(name, []) for name in _CURVES},
        }
        ours = {row["case"]["of"]: row["measured"]["rows"] for row in results.measured("measured")}
        # Records of before it could be measured have no such part.
        parts |= {"measured": ours} if ours else {}
        return {
            "findings": findings(self.description, parts),
            "parts": parts,
            "disagreements": disagreements(parts),
        }

    def told(self, measured: Json) -> str:
        """How many cells or rows came of it."""
        return terminal.told(measured)

    def answer(self, content: Json) -> Sequence[Block]:
        """Every table with the paper's number and ours, then what it amounts to."""
        return terminal.answer(content)


def _ours(measured: Measured | None) -> list[Json]:
    """The tasks that there are records for."""
    if measured is None:
        return []
    injected = [one for one in measured.server if one.faults]
    wanted = {
        "throughput": measured.kernels, "servers": measured.server, "live": injected, "cost": measured.cost,
    }  # fmt: skip
    return [{"of": name} for name in MEASURED if wanted.get(name, True)]
