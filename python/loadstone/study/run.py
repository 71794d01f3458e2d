"""A study from beginning to end: a folder, what measurements need, the schedule, the findings."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from loadstone import record
from loadstone.errors import LoadstoneError
from loadstone.intake import Kind
from loadstone.measure import Interrupt
from loadstone.study.conduct import Watch, conduct
from loadstone.study.definition import defined, require_same
from loadstone.study.entry import Entry
from loadstone.study.order import Order, header, with_others
from loadstone.study.record import NAME, StudyRecord
from loadstone.study.results import Results
from loadstone.study.study import Around, Study
from loadstone.study.words import Say

Json = dict[str, Any]

_KIND = Kind("internal", "a study")
"""A record of ours that is none is our fault."""


def begin(entry: Entry, order: Order) -> Study:
    """A new study in a new folder.

    LoadstoneError `study-part`, `study-server`, `folder-in-use`, `cannot-write`, and what the study refuses:
    all before anything is written.
    """
    study = entry.study()(order)
    _require_known("study-part", "part", order.only, study.part_names)
    _require_known("study-server", entry.variant or "variant", order.variants, study.variant_names)
    study.require()
    record.require_unused(order.folder)
    record.make_folder(order.folder)
    study.keep()
    return study


def go_on(entry: Entry, order: Order) -> Study:
    """A study that is taken up. LoadstoneError `study-part`, and what the study refuses."""
    study = entry.study()(order)
    _require_known("study-part", "part", order.now, study.part_names)
    return study


def _require_known(slug: str, what: str, wanted: Sequence[str] | None, known: Sequence[str]) -> None:
    for name in wanted or ():
        if name not in known:
            message = f"the study has no {what} `{name}`"
            raise LoadstoneError(slug, message, hint=f"there are {', '.join(known)}")


def run(study: Study, command: Sequence[str], interrupt: Interrupt, watch: Watch, say: Say) -> Json:
    """Measures what is not measured yet; returns the content of `study.json`.

    Ctrl-C ends it after the measurement under way, and everything is taken down. What was measured is kept
    whatever happens. Errors as `Study.ready`; `study-resume` where the study's file has changed since.
    """
    folder = study.order.folder
    require_same(study.order.definition, study.definition())
    results = Results(folder, study.finished)
    begun = beginning(study, command)
    record.write_json(folder / NAME, begun)
    outcome, tasks = "failed", study.tasks_now
    try:
        with interrupt:
            if all(results.done(task) for task in tasks):
                outcome = "complete"
            else:
                with study.ready(Around(interrupt, say)) as perform:
                    outcome = conduct(tasks, perform, results, interrupt, watch)
    except LoadstoneError:
        if not interrupt.requested:
            raise
        outcome = "interrupted"  # the signal reached what was started, too
    except KeyboardInterrupt:
        outcome = "interrupted"
        raise
    finally:
        content = conclude(study, begun, outcome)
    return content


def conclude(study: Study, begun: Json, outcome: str) -> Json:
    """Writes `study.json` with what was found, also of parts that other commands ordered and measured.

    Errors as `record.write_json`.
    """
    folder = study.order.folder
    with _alone(folder):
        ordered = with_others(study.order)
        whole = study if ordered == study.order else type(study)(ordered)
        results = Results(folder, whole.finished)
        failed = {row["key"] for row in results.failed()}
        if outcome == "complete" and not all(
            results.done(task) or task.key in failed for task in whole.tasks
        ):
            outcome = "parts-left"
        content = conclusion(whole, begun, outcome, results)
        record.write_json(folder / NAME, content)
    return content


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Waits for other commands that conclude the study: each writes again what it read of the others."""
    held = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)


def beginning(study: Study, command: Sequence[str]) -> Json:
    """`study.json` before the first measurement."""
    begun = header(study.order, study.name, study.summary, study.seed, command)
    own = study.header()
    if content := study.definition():
        own = {"definition": defined(content).content()} | own
    return begun | own | {"versions": begun["versions"] | own.get("versions", {})}


def conclusion(study: Study, begun: Json, outcome: str, results: Results) -> Json:
    """`study.json` with what was found."""
    failed = [{"part": row["part"], "case": row["case"], "error": row["error"]} for row in results.failed()]
    done = sum(results.done(task) for task in study.tasks)
    only = study.order.only
    content = begun | {
        "only": list(only) if only else None,
        "outcome": outcome,
        "ended_at": record.now(),
        "tasks": {"planned": len(study.tasks), "done": done, "failed": failed},
        "skipped": dict(study.skipped),
        **study.findings(results),
    }
    return StudyRecord.of(content, _KIND, str(study.order.folder / NAME)).content()
