"""One measurement: runs the engine and writes down every second before the next one comes."""

from __future__ import annotations

import json
import math
import shutil
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from loadstone import record
from loadstone.errors import LoadstoneError
from loadstone.measure.control import Control
from loadstone.measure.engine import Engine, EngineRun
from loadstone.measure.faults import Faults
from loadstone.measure.interrupt import Interrupt
from loadstone.measure.seen import Seen
from loadstone.measure.servers import Servers
from loadstone.measure.service import Service
from loadstone.observe import Observer
from loadstone.stages.run import Run

_LOOK_S = 0.25
"""How long a wait for the next window may delay the answer to Ctrl-C or to the service's death."""


Beside = tuple[Seen, Faults, Servers, Control]
"""What goes on beside the load: hosts that are watched, what is done to them, servers that come and go, and
changes of the load."""


class Progress(Protocol):
    """Is told what happens, for people to see."""

    def started(self, plan: Mapping[str, Any], folder: Path) -> None:
        """The run begins."""

    def window(self, window: Mapping[str, Any]) -> None:
        """One second has passed."""

    def note(self, text: str) -> None:
        """Something worth a line."""

    def ended(self) -> None:
        """The run is over; its tables are being made."""


class Silent:
    """Shows nothing."""

    def started(self, plan: Mapping[str, Any], folder: Path) -> None:
        """The run begins."""

    def window(self, window: Mapping[str, Any]) -> None:
        """One second has passed."""

    def note(self, text: str) -> None:
        """Something worth a line."""

    def ended(self) -> None:
        """The run is over."""


def measure(
    folder: Path,
    beginning: record.Beginning,
    service: Service,
    engine: Engine,
    interrupt: Interrupt,
    progress: Progress,
    seen: Seen | None = None,
    before: Sequence[Mapping[str, Any]] = (),
    faults: Faults | None = None,
    servers: Servers | None = None,
) -> Run:
    """Makes the run folder `folder`; returns its record.

    `seen`: hosts that are watched meanwhile. `before`: events that led up to the run.
    `faults`: what is done to hosts meanwhile. `servers`: those that come and go.
    A run that Ctrl-C or the service's death cut short is complete up to there; its `outcome` says so.
    Errors: `plan-refused`, `disk-full`, `folder-in-use`, `cannot-write`, `no-process`.
    """
    observer = Observer(service.roots())
    # The handlers stand before the first file does: from then on a signal ends the run, not the process.
    with interrupt:
        journal = record.begin(folder, beginning)
        try:
            run = _start(engine, beginning, folder)
            for event in before:
                journal.event(**event)
            control = Control(folder, run, beginning.plan, interrupt)
            try:
                beside = (seen or Seen(), faults or Faults(), servers or Servers(), control)
                _write(run, journal, folder, beginning, service, observer, interrupt, progress, beside)
            finally:
                control.close()
        finally:
            journal.close()
    return record.recover(folder)


def _start(engine: Engine, beginning: record.Beginning, folder: Path) -> EngineRun:
    """The run in progress. If the engine refuses it, its folder is removed: there is nothing to complete."""
    try:
        return engine.start(json.dumps(beginning.plan))
    except LoadstoneError:
        shutil.rmtree(folder)
        raise


def _write(
    run: EngineRun,
    journal: record.Journal,
    folder: Path,
    beginning: record.Beginning,
    service: Service,
    observer: Observer,
    interrupt: Interrupt,
    progress: Progress,
    beside: Beside,
) -> None:
    """The whole journal: every second of the run, and how it ended."""
    if node := service.node():
        journal.event("node", **node)
    if hosts := beside[0].described():
        journal.event("hosts", hosts=hosts)
    progress.started(beginning.plan, folder)
    try:
        outcome, summary = _follow(run, journal, service, observer, interrupt, progress, beside)
    except BaseException:
        run.stop()
        raise
    finally:
        progress.ended()
    if counted := service.counted():
        journal.event("connector", **counted)
    journal.event(
        "end",
        outcome=outcome,
        at=record.now(),
        ended_s=summary["ended_s"],
        threads=summary["threads"],
        examples=summary["examples"],
        tls=summary.get("tls", []),
        http2=summary.get("http2"),
        read_later=summary.get("read_later", 0),
    )


def _follow(
    run: EngineRun,
    journal: record.Journal,
    service: Service,
    observer: Observer,
    interrupt: Interrupt,
    progress: Progress,
    beside: Beside,
) -> tuple[str, dict[str, Any]]:
    """Until the engine has ended: its outcome in our words, and its summary."""
    _, faults, servers, _ = beside
    cut: str | None = None
    second = 0
    began = math.inf
    while True:
        window = run.next(_LOOK_S)
        for event in run.events():
            journal.event(**event)
            if "note" in event:
                progress.note(event["note"])
        if window is not None:
            second = window["second"]
            # No second is told before its end: the earliest that was tells best when the run began.
            began = min(began, time.monotonic() - second - 1)
            journal.window(window)
            if metrics := observer.sample():
                journal.hosts(second, metrics)
            service.saw(window)
            progress.window(window)
        if math.isfinite(began):
            for one in beside:
                one.write(journal, progress.note, began)
        if window is None and (summary := run.summary()) is not None:
            for one in (faults, servers):
                one.end(journal, progress.note, began)
            return _outcome(cut, summary), summary
        if cut is None and (cut := _reason(interrupt, service)):
            words = service.last_words()
            journal.event(cut, second=second, **({"said": words} if words else {}))
            progress.note(_NOTES[cut])
            run.stop()


_NOTES = {
    "interrupted": "interrupted: finishing what was measured; once more to abort",
    "sut-died": "the service is gone: finishing what was measured",
}


def _reason(interrupt: Interrupt, service: Service) -> str | None:
    if interrupt.requested:
        return "interrupted"
    return None if service.alive() else "sut-died"


def _outcome(cut: str | None, summary: Mapping[str, Any]) -> str:
    if cut:
        return cut
    return {"unreachable": "sut-unreachable", "agents-lost": "agents-lost"}.get(
        summary["outcome"], "complete"
    )
