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

    LoadstoneError `search-resume`: there is none, only summaries of its runs were kept, or these were made
    otherwise than `job` makes them.
    """
    if not (folder / Capacity.FILE).is_file():
        raise LoadstoneError(
            "search-resume", f"{folder} holds no search: it has no {Capacity.FILE}", hint=_HINT
        )
    before = Capacity.read(folder / Capacity.FILE, _KIND)
    if not resumable(before, folder):
        message = f"of the runs in {folder} only summaries were kept"
        raise LoadstoneError("search-resume", message, hint="begin a new search with --out")
    there = [row for row in before.runs if workload_file(folder / row.folder).is_file()]
    for row in there[:1]:
        _require_same(job, folder / row.folder, row.load)
    return before


def resumable(before: Capacity, folder: Path) -> bool:
    """Whether the runs that are still there have what they are judged by. One that is gone is made anew."""
    runs = [folder / row.folder for row in before.runs if row.evidence]
    return all(workload_file(run).is_file() for run in runs if (run / Run.FILE).is_file())


def _require_same(job: Job, run: Path, load: float) -> None:
    target = None if job.scenario.target.url else ("127.0.0.1", 1)
    planned = job.scenario.plan(load=load, target=target)
    made = read_object(workload_file(run), _KIND)
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
