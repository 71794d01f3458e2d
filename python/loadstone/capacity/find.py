"""The search on a real service: each measurement is a run folder, and `capacity.json` follows every one."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from loadstone import record
from loadstone.capacity.forecast import Forecast, forecast, lengths
from loadstone.capacity.ledger import Ledger
from loadstone.capacity.probes import Watch as WatchProbe
from loadstone.capacity.probes import probe
from loadstone.capacity.probing import Probing
from loadstone.capacity.recovery import Recovery
from loadstone.capacity.resume import earlier, take_up
from loadstone.capacity.search import Limits, Search
from loadstone.errors import LoadstoneError
from loadstone.judge.goals import sla_goals
from loadstone.measure import Interrupt, Job, Progress, measure_scenario
from loadstone.stages.capacity import Capacity, ProbeRun

Watch = Callable[[int, Search, Forecast], Progress]
"""Makes the progress of run number N, given what is known and how long the rest takes."""


@dataclass(frozen=True)
class Options:
    """How to search."""

    limits: Limits
    confidence: float = 0.95
    seed: int = 1
    """Of the first run; every further run has the next one."""


@dataclass(frozen=True)
class Probes:
    """Short runs before the search. Without them the search would double the load in runs of full length."""

    job: Job
    """The job with the short run's scenario."""
    watch: WatchProbe


def find(
    job: Job,
    folder: Path,
    options: Options,
    interrupt: Interrupt,
    watch: Watch,
    probes: Probes | None = None,
    *,
    resume: bool = False,
) -> Capacity:
    """Searches the capacity of `job`'s service; returns the record, which is `capacity.json`, too.

    The limits of `options` are in whole steps of the scenario's `Unit`.

    With `probes` the search begins where they expect the capacity, and with narrow steps. With `resume` the
    folder holds a search of the same options that ended before its time, or ran out of runs: its runs count.

    Ctrl-C ends the run under way and the search, and keeps the interval so far. Errors: `folder-in-use`,
    `search-resume`, those of `Scenario.searched` and `measure_scenario`; `capacity.json` then holds what was
    found before.
    """
    before = earlier(job, folder) if resume else None
    if before is None:
        record.require_unused(folder)
    goals = [*sla_goals(job.scenario.sla_window_s), *job.scenario.searched()]
    begun_s = time.monotonic()
    planned = forecast(options.limits, lengths(job, probes.job if probes else None))
    recovery = Recovery(job)
    with interrupt.between_runs():
        rows: list[ProbeRun] = []
        if before and before.runs:
            rows = before.probes
            if rows:
                begun = job.scenario.unit.steps(before.runs[0].load)
                options = replace(options, limits=options.limits.near(begun))
        elif probes:
            probing = Probing(options.limits.first, options.limits.most)
            rows = probe(probes.job, folder, probing, options.seed, interrupt, probes.watch, recovery)
            options = replace(options, limits=options.limits.near(probing.expected()))
        ledger = Ledger(job, folder, goals, options.limits, options.confidence, rows, planned, begun_s)
        search = ledger.search
        if before:
            take_up(before, folder, ledger, job.scenario.unit)
        try:
            while (steps := search.next()) is not None and not interrupt.requested:
                recovery.wait()
                _measure(job, folder, steps, options.seed, interrupt, watch, ledger, recovery)
        except LoadstoneError as error:
            search.stop(error.slug)
            ledger.write()
            raise
        except KeyboardInterrupt:
            search.stop("interrupted")
            ledger.write()
            if interrupt.insisted:
                raise
        if interrupt.requested:
            search.stop("interrupted")
    return ledger.write()


def _measure(
    job: Job,
    folder: Path,
    steps: int,
    seed: int,
    interrupt: Interrupt,
    watch: Watch,
    ledger: Ledger,
    recovery: Recovery,
) -> None:
    """One run of the search. A run that Ctrl-C cut short is listed, but is not evidence."""
    # A run that was cut short in an earlier part of the search keeps its folder.
    number = len(list((folder / "runs").glob("*"))) + 1
    load = job.scenario.unit.load(steps)
    path = folder / "runs" / f"{number:04d}-{load}"
    try:
        result = measure_scenario(
            job,
            path,
            load=load,
            seed=seed + number - 1,
            interrupt=interrupt,
            progress=watch(number, ledger.search, ledger.left()),
        )
    except LoadstoneError as error:
        if error.slug != "plan-refused" or load <= min((row.load for row in ledger.rows), default=load):
            raise
        # Less load was no trouble: the engine has no room for this (open files, for example).
        ledger.search.block(steps, "generator")
        return
    with interrupt:
        if result.outcome == "interrupted" or result.changed:
            ledger.add_unjudged(steps, path, result)
        else:
            ledger.add(steps, path, result)
            recovery.after(path)
