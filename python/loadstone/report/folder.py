"""What a folder holds: the JSON files of the stages, and the runs below it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.intake import Kind, read_bytes, read_object
from loadstone.report.open import known_only
from loadstone.stages import run as stages
from loadstone.stages.capacity import Capacity, SearchRun
from loadstone.stages.cost import Cost
from loadstone.stages.nodes import Nodes
from loadstone.stages.origin import Origin

Json = dict[str, Any]

FORMAT = 1
"""The newest format of the JSON files this version reads."""

HINT = "a stage of another version, or a cut-off copy, may have written it; run that stage again"
_KIND = Kind("report-json", "a record", 64 << 20, HINT)
_SHOWN = Kind("report-json", "a text to show", 16 << 20, HINT)

STAGES = ("run", "capacity", "nodes", "cost")


@dataclass(frozen=True)
class Run:
    """One run folder: its summary, and where its tables are."""

    folder: Path
    summary: stages.Run

    def table(self, name: str) -> Path | None:
        """The Parquet table `name`, or None when the run has none."""
        path = self.folder / f"{name}.parquet"
        return path if path.is_file() else None

    def text(self, name: str) -> str | None:
        """A text file of the folder, or None."""
        path = self.folder / name
        return read_bytes(path, _SHOWN).decode("utf-8", "replace") if path.is_file() else None

    @property
    def load(self) -> float:
        """Users of this run, or the rate of what arrived."""
        load = self.summary.load.amount
        if load is None:
            raise ValueError(f"{self.folder.name} is a run without a load")
        return load


@dataclass(frozen=True)
class Chapter:
    """One folder as the report tells it. A stage that was not done is None."""

    folder: Path
    capacity: Capacity | None
    nodes: Nodes | None
    cost: Cost | None
    runs: Mapping[str, Run]
    """By folder as `capacity.json` names it; a run folder's only run is named `.`."""
    detail: Run | None
    """The run shown in full: the folder's own, or the one with the most load that holds SLA-1."""
    withheld: tuple[str, ...] = ()
    """What the folder has and the report does not show, because it rests on something open."""

    @property
    def name(self) -> str:
        """What was measured."""
        if self.origin.name:
            return self.origin.name
        return (self.nodes and self.nodes.name) or self.folder.resolve().name

    @property
    def origin(self) -> Origin:
        """What says when, where and by which command it was measured; of typed numbers nothing does."""
        return self.capacity or (self.detail.summary if self.detail else self.cost or Origin())

    @property
    def searched(self) -> list[SearchRun]:
        """The runs of the capacity search; none of a folder without one."""
        return self.capacity.runs if self.capacity else []


def read_chapter(folder: Path) -> Chapter:
    """Reads whatever stages `folder` holds; a crashed run is recovered from its journal first.

    Errors: `report-folder` when there is no such folder or nothing in it to report,
    `report-json` when a file is not what its stage writes.
    """
    if not folder.is_dir():
        raise LoadstoneError(
            "report-folder", f"there is no folder {folder}", hint="give a run or capacity folder"
        )
    try:
        str(folder.absolute()).encode()
    except UnicodeEncodeError as error:
        raise LoadstoneError(
            "report-folder", f"the name of {folder} is not UTF-8", hint="rename it"
        ) from error
    own = _read_run(folder)
    capacity = Capacity.read(file, _KIND) if (file := folder / Capacity.FILE).is_file() else None
    nodes_file, cost_file = folder / Nodes.FILE, folder / Cost.FILE
    nodes, cost, withheld = known_only(
        capacity,
        Nodes.read(nodes_file, _KIND) if nodes_file.is_file() else None,
        Cost.read(cost_file, _KIND) if cost_file.is_file() else None,
    )
    chapter = Chapter(
        folder=folder,
        capacity=capacity,
        nodes=nodes,
        cost=cost,
        runs=_runs(folder, capacity) | ({".": own} if own else {}),
        detail=None,
        withheld=withheld,
    )
    if not (chapter.runs or chapter.capacity or chapter.nodes or chapter.cost):
        raise LoadstoneError(
            "report-folder",
            f"nothing to report in {folder}: no run.json, capacity.json, nodes.json or cost.json",
            hint="make one with `loadstone run`, `loadstone capacity`, `loadstone nodes` or `loadstone cost`",
        )
    return Chapter(**{**vars(chapter), "detail": own or _most_telling(chapter)})


def _read_run(folder: Path) -> Run | None:
    file = folder / stages.Run.FILE
    if not file.is_file() and (folder / "journal.ndjson").is_file():
        from loadstone.record import recover

        recover(folder)
    return Run(folder, stages.Run.read(file, _KIND)) if file.is_file() else None


def read_json(path: Path) -> Json | None:
    """The JSON object in `path`, or None when there is no such file. LoadstoneError `report-json`."""
    if not path.is_file():
        return None
    content = read_object(path, _KIND)
    if content.get("format") != FORMAT or isinstance(content["format"], bool):
        message = f'it must be an object with "format": {FORMAT}'
        raise LoadstoneError("report-json", message, place=str(path), hint=HINT)
    return content


def _runs(folder: Path, capacity: Capacity | None) -> dict[str, Run]:
    """The runs a capacity search names, those that are still there. None from outside the folder is read."""
    runs = {}
    for row in capacity.runs if capacity else []:
        path = folder / row.folder
        if (
            path.resolve().is_relative_to(folder.resolve())
            and os.path.isdir(path)
            and (run := _read_run(path))
        ):
            runs[row.folder] = run
    return runs


def _most_telling(chapter: Chapter) -> Run | None:
    """A valid run at the load that holds SLA-1, else SLA-2, else the one with the least."""
    rows = [row for row in chapter.searched if row.folder in chapter.runs]
    for held in chapter.capacity.named().values() if chapter.capacity else ():
        for row in rows:
            if row.valid and row.load == held.load:
                return chapter.runs[row.folder]
    return chapter.runs[min(rows, key=lambda row: row.load).folder] if rows else None
