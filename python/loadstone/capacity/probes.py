"""Probes on the real service: short runs before the search, which say where it begins."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from loadstone.capacity.probing import Probe, Probing
from loadstone.capacity.recovery import Recovery
from loadstone.errors import LoadstoneError
from loadstone.judge.checks import at_its_limit
from loadstone.judge.sla import SLAS
from loadstone.measure import Interrupt, Job, Progress, measure_scenario
from loadstone.stages.capacity import ProbeRun
from loadstone.stages.run import Run

Watch = Callable[[int, float], Progress]
"""Makes the progress of probe number N, given its load."""


def probe(
    job: Job,
    folder: Path,
    probing: Probing,
    seed: int,
    interrupt: Interrupt,
    watch: Watch,
    recovery: Recovery,
) -> list[ProbeRun]:
    """Makes the probes that `probing` asks for; their rows of `capacity.json`.

    `job` has the short run's scenario. Ctrl-C ends them. Errors: those of `measure_scenario`.
    """
    rows: list[ProbeRun] = []
    unit = job.scenario.unit
    while (steps := probing.next()) is not None and not interrupt.requested:
        load = unit.load(steps)
        path = folder / "probes" / f"{len(rows) + 1:04d}-{load}"
        progress = watch(len(rows) + 1, load)
        recovery.wait()
        try:
            result = measure_scenario(
                job, path, load=load, seed=seed + len(rows), interrupt=interrupt, progress=progress
            )
        except LoadstoneError as error:
            if error.slug != "plan-refused" or not rows:
                raise
            # The engine has no room for so much load; the search finds out what less does.
            probing.stop()
            return rows
        if result.outcome != "interrupted":
            recovery.after(path)
        shown = _shown(steps, result)
        row = ProbeRun(folder=str(path.relative_to(folder)), load=load, per_s=shown.per_s, held=shown.held)
        rows.append(row)
        if at_its_limit(result.validity.checks):
            probing.stop()
        else:
            probing.record(shown)
    return rows


def _shown(steps: int, result: Run) -> Probe:
    shares = [operation.share_within_limit for operation in result.operations.values()]
    known = [share for share in shares if share is not None]
    held = bool(known) and min(known) >= SLAS[0].share and result.outcome == "complete"
    return Probe(steps, result.throughput_ops_per_s or 0.0, held)
