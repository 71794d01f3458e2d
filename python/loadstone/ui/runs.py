"""The runs of one folder: which there are, and how each stands."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.intake import Kind, read_object
from loadstone.measure.control import answers
from loadstone.record import journal
from loadstone.record.folder import workload_file
from loadstone.report.run_answer import offered, run_badge
from loadstone.stages.capacity import Capacity
from loadstone.stages.run import Load, Run

RUNNING, ENDED, BROKEN, SEARCH, UNREADABLE = "running", "ended", "broken off", "search", "unreadable"

_KIND = Kind("report-json", "a record", 64 << 20, "a run folder must be as the run left it")
_SETTLED_S = 10.0
"""A run that is over, and whose tables are being made, has this long until it is called broken off."""


@dataclass(frozen=True)
class Row:
    """A run in the list."""

    name: str
    """Its folder."""
    state: str
    started_at: str = ""
    what: str = ""
    """The scenario's name."""
    load: str = ""
    verdict: str = ""
    kind: str = ""
    """`good`, `bad` or `warn`: what the verdict is."""


@dataclass
class Runs:
    """The folders of one folder."""

    place: Path
    _known: dict[Path, tuple[float, Row]] = field(default_factory=dict)

    def folder(self, name: str) -> Path:
        """That of a run by its name. LoadstoneError `run-folder` if it is no folder of ours."""
        folder = self.place / name
        if name in ("", ".", "..") or "/" in name or "\0" in name or not folder.is_dir():
            raise LoadstoneError("run-folder", f"there is no run `{name}` in {self.place}")
        return folder

    def rows(self) -> list[Row]:
        """All of them, the newest first."""
        folders = [path for path in self.place.iterdir() if path.is_dir()] if self.place.is_dir() else []
        rows = [row for folder in folders if (row := self._row(folder))]
        return sorted(rows, key=lambda row: (row.started_at, row.name), reverse=True)

    def _row(self, folder: Path) -> Row | None:
        summary = folder / Run.FILE
        if not summary.is_file() and (folder / Capacity.FILE).is_file():
            return _search(folder)
        if not summary.is_file():
            state = state_of(folder)
            return _under_way(folder, state) if state else None
        written = summary.stat().st_mtime
        known = self._known.get(folder)
        if known is None or known[0] != written:
            known = self._known[folder] = written, _ended(folder)
        return known[1]


def state_of(folder: Path) -> str | None:
    """How the run in `folder` stands; None if there is none."""
    path = folder / journal.NAME
    if (folder / Run.FILE).is_file():
        return ENDED
    if not path.is_file():
        return None
    if answers(folder):
        return RUNNING
    try:
        since = time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return ENDED
    return RUNNING if since < _SETTLED_S else BROKEN


def _ended(folder: Path) -> Row:
    try:
        run = Run.read(folder / Run.FILE, _KIND)
    except LoadstoneError as error:
        return Row(folder.name, UNREADABLE, verdict=error.message, kind="bad")
    badge = run_badge(run)
    verdict = badge.words if run.outcome == "complete" else f"{run.outcome}; {badge.words}"
    return Row(
        folder.name, ENDED, run.started_at or "", run.name or "", offered(run.load), verdict, badge.kind
    )


def _under_way(folder: Path, state: str) -> Row:
    plan, first = (_content(path) for path in (workload_file(folder), folder / "machine.json"))
    try:
        load = offered(Load.model_validate({k: v for k, v in plan["load"].items() if k in Load.model_fields}))
    except (KeyError, ValueError):
        load = ""
    said = "" if state == RUNNING else "its process is gone; its report completes it"
    return Row(
        folder.name,
        state,
        str(first.get("started_at", "")),
        str(plan.get("name", "")),
        load,
        said,
        "" if state == RUNNING else "warn",
    )


def _search(folder: Path) -> Row:
    content = _content(folder / Capacity.FILE)
    written = datetime.fromtimestamp((folder / Capacity.FILE).stat().st_mtime, UTC)
    started = str(content.get("started_at") or written.isoformat(timespec="seconds"))
    return Row(folder.name, SEARCH, started, str(content.get("name") or ""), "", "search for the capacity")


def _content(path: Path) -> Mapping[str, Any]:
    try:
        return read_object(path, _KIND)
    except LoadstoneError:
        return {}
