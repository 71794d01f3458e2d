"""A campaign on a program that ends by itself: unharmed runs, the trace, then injections, many at once."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, Protocol

from loadstone import _core, record
from loadstone.inject.asked import Asked, checked
from loadstone.inject.journal import Journal
from loadstone.inject.seam import Stopped, asked
from loadstone.inject.tally import tally
from loadstone.stages.inject import Golden, Inject, Traced

Json = dict[str, Any]

_PATIENCE_S = 0.2
_FIRST = 20
"""Injections after which a program that never goes the way of its trace is given up."""


class Told(Protocol):
    """Who shows how far it is."""

    def unharmed(self, golden: Json) -> None:
        """The unharmed runs agree."""

    def tracing(self, steps: int) -> None:
        """So many instructions were executed, one at a time."""

    def traced(self, traced: Json) -> None:
        """The order of instructions is known."""

    def injected(self, line: Json, done: int, of: int, left_s: float) -> None:
        """One more injection has ended."""


def campaign(wanted: Asked, folder: Path, jobs: int, told: Told, name: str = "") -> Inject:
    """Makes it, or the rest of it, in `folder`; ended early by Ctrl-C, its record says so.

    LoadstoneError `inject-…` for a program that cannot be injected, before the folder is made.
    """
    checked(wanted)
    began, started_at = time.monotonic(), record.now()
    core = asked(lambda: _core.Campaign(wanted.config()))
    golden = _beside(core, core.golden, lambda: None)
    told.unharmed(golden)
    traced = _beside(core, core.trace, lambda: told.tracing(core.steps()))
    told.traced(traced)
    identity = wanted.identity() | {
        "program": golden["program"], "output": golden["output"], "order": traced["order"],
    }  # fmt: skip
    journal = Journal(folder, identity)
    before = time.monotonic()
    todo = journal.missing(wanted.runs)
    try:
        status = _all(core, journal, todo, jobs, told, wanted.runs)
    finally:
        journal.close()
    took_s = time.monotonic() - before
    shares, missed = tally(line for line in journal.lines if line["index"] < wanted.runs)
    injected = sum(one.count for one in shares)
    made = len(todo) - len(journal.missing(wanted.runs))
    found = Inject(
        name=name or wanted.program.name,
        command=["loadstone", *sys.argv[1:]],
        program=[shown(wanted.program), *wanted.arguments],
        digest=golden["program"],
        variant=golden["hardened"] or "native",
        counts_corrections=golden["counts"],
        only=list(wanted.only),
        seed=wanted.seed,
        runs=wanted.runs,
        injected=injected,
        missed=missed,
        status=status,
        shares=shares,
        golden=Golden(
            code=golden["code"], output_bytes=golden["output_bytes"], output=golden["output"],
            took_s=golden["took_s"], runs=wanted.limits.golden_runs,
        ),
        traced=Traced.model_validate(traced),
        throughput=float(wanted.throughput) if wanted.throughput else None,
        took_s=time.monotonic() - began,
        injections_per_s=made / took_s if made and took_s else None,
        started_at=started_at,
        ended_at=record.now(),
        machine=record.machine(),
        versions=record.versions(),
        warnings=_warnings(golden, missed, injected),
    )  # fmt: skip
    record.write_stage(folder, found)
    return found


def shown(program: Path) -> str:
    """A program for the record: from the current folder on, where it lies below; folders differ by machine.

    >>> shown(Path.cwd() / "out" / "qsort"), shown(Path("/usr/bin/memcached"))
    ('out/qsort', '/usr/bin/memcached')
    """
    here = Path.cwd()
    return str(program.relative_to(here)) if program.is_relative_to(here) else str(program)


def _warnings(golden: Json, missed: int, injected: int) -> list[str]:
    found = []
    if golden["stripped"]:
        found.append("the program has no symbols: whether it counts what it puts right is not known")
    if missed > 0.01 * (missed + injected):
        found.append(
            f"{missed} of {missed + injected} injections hit nothing: the program does not always go the "
            "same way, and shares are of the others"
        )
    return found


def _beside(core: _core.Campaign, call: Callable[[], Json], look: Callable[[], None]) -> Json:
    """What `call` gives, in a thread of its own, so that Ctrl-C is heard. Errors as `asked`."""
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(asked, call)
        try:
            while not wait([future], timeout=_PATIENCE_S).done:
                look()
            return future.result()
        except KeyboardInterrupt:
            core.stop()
            raise


def _all(core: _core.Campaign, journal: Journal, todo: list[int], jobs: int, told: Told, of: int) -> str:
    """Injects all of these; `complete` or `interrupted`."""
    left, running = iter(todo), set[Future[Json]]()
    began, done = time.monotonic(), 0
    with ThreadPoolExecutor(jobs) as pool:
        try:
            while True:
                while len(running) < 2 * jobs and (index := next(left, None)) is not None:
                    running.add(pool.submit(_one, core, index))
                if not running:
                    return "complete"
                ended, running = wait(running, timeout=_PATIENCE_S, return_when=FIRST_COMPLETED)
                for future in ended:
                    line = future.result()
                    journal.add(line)
                    done += 1
                    left_s = (time.monotonic() - began) / done * (len(todo) - done)
                    told.injected(line, len(journal.lines), of, left_s)
                _require_way(journal.lines)
        except (KeyboardInterrupt, Stopped):
            core.stop()
            return "interrupted"
        except BaseException:
            core.stop()
            raise


def _one(core: _core.Campaign, index: int) -> Json:
    return asked(lambda: core.inject(index))


def _require_way(lines: list[Json]) -> None:
    """Raises `inject-unsteady` when the first injections all missed."""
    from loadstone.errors import LoadstoneError

    if len(lines) == _FIRST and all(line["outcome"] == "missed" for line in lines):
        raise LoadstoneError(
            "inject-unsteady", "the program executes its instructions in another order each time",
            hint="what depends on times, addresses or random numbers cannot be hit at a chosen instruction",
        )  # fmt: skip
