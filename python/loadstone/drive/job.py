"""From a scenario to a measurement: the plan for the service's address, and what the run is judged by."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadstone import record
from loadstone.drive.dataset import Auctions, DataSet, Loading
from loadstone.drive.deployed import Deployed
from loadstone.drive.engine import Engine
from loadstone.drive.generated import Generated
from loadstone.drive.imaged import imaged
from loadstone.drive.interrupt import Interrupt
from loadstone.drive.measure import Progress, measure
from loadstone.drive.service import Service
from loadstone.drive.sut import Builtin, External, Sut
from loadstone.errors import LoadstoneError
from loadstone.scenario import Scenario
from loadstone.scenario.model import AsImage
from loadstone.stages.run import Run


@dataclass(frozen=True)
class Job:
    """A scenario with what every run of it has in common."""

    scenario: Scenario
    sut: Sut
    engine: Engine
    command: Sequence[str]
    """The command line, for the record."""
    deployed: Deployed | None = None
    """What else is to be recorded of the service."""


def sut_of(
    scenario: Scenario,
    *,
    processes: Mapping[str, int] | None = None,
    reset: str | None = None,
    loading: Loading | None = None,
) -> Sut:
    """The scenario's target as something to bring up: a built-in application, or a site that runs already.

    `processes` (first process by role) and `reset` (a shell command, before the scenario's own) are for the
    latter. Errors: `target` when they are given for a built-in application, `data-options`; those of
    `imaged`.
    """
    target = scenario.target
    if target.url is None:
        if processes or reset:
            raise LoadstoneError(
                "target",
                f"the built-in application `{target.app}` has its own process and its own reset",
                hint="--sut-pid, --db-pid and --reset are for a site of yours: give its --url",
            )
        return _builtin(target.app or "", target.image, dict(target.options), scenario.data, loading)
    site: dict[str, Any] = scenario.plan()["target"]
    return External(target.url, site["host"], site["port"], processes or {}, reset or target.reset)


def _builtin(
    app: str, image: AsImage | None, options: dict[str, Any], data: Mapping[str, Any], loading: Loading | None
) -> Sut:
    """A built-in application, as a process or as an image."""
    if app == "surge":
        generated = Generated.of(data, options)
        made = {key: generated.options["surge"][key] for key in ("files", "seed")}
        return imaged(app, image, made, None, loading) if image else generated
    kept = (
        Auctions.of(data)
        if app == "rubis"
        else DataSet.of(data, str(options.pop("profile", DataSet.profile)))
    )
    if image:
        return imaged(app, image, options, kept, loading)
    return Builtin(kept, options | ({"rubis": {}} if app == "rubis" else {}), loading)


def measure_scenario(
    job: Job, folder: Path, *, users: int | None, seed: int, interrupt: Interrupt, progress: Progress
) -> Run:
    """One run into `folder` with the service brought up for it; its record.

    `users` None: as many as the scenario says. Errors: those of `Sut.running`, of `measure` and of
    `Deployed.describe`; a folder that cannot be used is refused before the service is brought up.
    """
    record.require_unused(folder)
    deployed = job.deployed
    description = deployed.describe() if deployed else {}
    with job.sut.running() as service:
        beginning = _beginning(job, service, users, seed)
        try:
            return measure(folder, beginning, service, job.engine, interrupt, progress)
        finally:
            if deployed and folder.is_dir():
                deployed.keep(folder, description, progress.note)


def _beginning(job: Job, service: Service, users: int | None, seed: int) -> record.Beginning:
    scenario = job.scenario
    target = None if scenario.target.url else service.endpoint()
    plan = scenario.plan(users=users, seed=seed, target=target)
    accounts = scenario.data.get("accounts")
    return record.Beginning(
        scenario_text=scenario.text.decode(),
        plan=plan,
        target=service.url,
        accounts=None if accounts is None else int(accounts),
        sla_window_s=scenario.sla_window_s,
        expectations=job.engine.expectations(json.dumps(plan)),
        checks=[check.model_dump() for check in scenario.checks],
        command=job.command,
    )
