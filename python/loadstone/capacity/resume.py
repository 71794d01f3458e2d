"""A search that goes on: the runs that it made before count only where the present ones would be the same."""

from __future__ import annotations

from pathlib import Path

from loadstone.capacity.ledger import Ledger
from loadstone.errors import LoadstoneError
from loadstone.intake import Kind, read_object
from loadstone.measure import Job
from loadstone.record.folder import workload_file
from loadstone.record.plans import apart, listed, workload
from loadstone.stages.capacity import Capacity
from loadstone.stages.run import Run
from loadstone.unit import Unit

_HINT = "give the scenario and the options that the search began with, or begin a new one with --out"
_KIND = Kind("search-resume", "a record of a search", 64 << 20, _HINT)


def earlier(job: Job, folder: Path) -> Capacity:
    """The record of the search in `folder`.

    LoadstoneError `search-resume`: there is none, or its runs were made otherwise than `job` makes them.
    """
    if not (folder / Capacity.FILE).is_file():
        raise LoadstoneError(
            "search-resume", f"{folder} holds no search: it has no {Capacity.FILE}", hint=_HINT
        )
    before = Capacity.read(folder / Capacity.FILE, _KIND)
    for row in before.runs[:1]:
        _require_same(job, folder / row.folder, row.load)
    return before


def _require_same(job: Job, run: Path, load: float) -> None:
    path = workload_file(run)
    if not path.is_file():
        return  # only its summary was kept
    target = None if job.scenario.target.url else ("127.0.0.1", 1)
    planned = job.scenario.plan(load=load, target=target)
    made = read_object(path, _KIND)
    found = [f"{name}: {a} there, {b} now" for name, a, b in apart(workload(made), workload(planned))]
    if found:
        message = f"the search in {run.parents[1]} had another load: {listed(found)}"
        raise LoadstoneError("search-resume", message, hint=_HINT)


def take_up(before: Capacity, folder: Path, ledger: Ledger, unit: Unit) -> None:
    """Gives the search the runs that it made before. One that was no evidence is listed, and made anew."""
    for row in before.runs:
        steps, path = unit.steps(row.load), folder / row.folder
        if not (path / Run.FILE).is_file():
            continue
        result = Run.read(path / Run.FILE, _KIND)
        if row.evidence and row.outcome != "interrupted":
            ledger.search.next()  # what it asks for now is what this run answered
            ledger.add(steps, path, result)
        else:
            ledger.add_unjudged(steps, path, result)
    ledger.go_on(before)
