"""From a scenario to a measurement: the plan for the service's address, and what the run is judged by."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadstone import record
from loadstone.errors import LoadstoneError
from loadstone.measure.conduct import Progress, measure
from loadstone.measure.deployed import Deployed
from loadstone.measure.engine import Engine
from loadstone.measure.faults import Faults, on_topology, refuse_without_hosts
from loadstone.measure.imaged import imaged
from loadstone.measure.interrupt import Interrupt
from loadstone.measure.seen import Seen
from loadstone.measure.servers import Busy, Hands, Servers, scaled
from loadstone.measure.service import Service
from loadstone.measure.sut import Builtin, External, Sut
from loadstone.scenario import Scaling, Scenario
from loadstone.site import SITES, Loading
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
    latter. Errors: `target` when they are given for a built-in application; those of `imaged`.
    """
    target = scenario.target
    if target.url is None:
        if processes or reset:
            raise LoadstoneError(
                "target",
                f"the built-in application `{target.app}` has its own process and its own reset",
                hint="--sut-pid, --db-pid and --reset are for a site of yours: give its --url",
            )
        app = SITES[target.app or ""]
        data = app.data.model_validate(app.given(scenario.data, target.options))
        if target.image:
            return imaged(app, data, target.options, target.image, loading)
        return Builtin(app, data, target.options, loading)
    site: dict[str, Any] = scenario.plan()["target"]
    if "socket" in site:
        host, port = site["socket"], 0
    else:
        host, port = site.get("proxy") or (site["host"], site["port"])
    return External(target.url, host, port, processes or {}, reset or target.reset)


def measure_scenario(
    job: Job, folder: Path, *, load: float | None, seed: int, interrupt: Interrupt, progress: Progress
) -> Run:
    """One run into `folder` with the service brought up for it; its record.

    `load`: users, or sessions a second where they arrive; None: as the scenario says. Errors: those of
    `Sut.running`, of `measure` and of `Deployed.describe`, and `fault`; a folder that cannot be used is
    refused before the service is brought up.
    """
    record.require_unused(folder)
    deployed = job.deployed
    faults = _faults(job)
    with contextlib.ExitStack() as stack:
        description, before = dict[str, Any](), list[dict[str, Any]]()
        if deployed:
            stack.enter_context(deployed.held())
            description, before = _prepared(deployed, progress)
        service = stack.enter_context(job.sut.running())
        topology = deployed.topology if deployed else None
        hands, hosts = stack.enter_context(scaled(job.scenario.scaling, topology, progress.note))
        seen = stack.enter_context(deployed.seen()) if deployed else None
        servers = _servers(job.scenario.scaling, hosts, hands, seen)
        beginning = _beginning(job, service, load, seed)
        try:
            return measure(
                folder, beginning, service, job.engine, interrupt, progress, seen, before, faults, servers
            )
        finally:
            if deployed and folder.is_dir():
                deployed.keep(folder, description, progress.note)


def _prepared(deployed: Deployed, progress: Progress) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What is deployed, and events of data that were reset; both at once, they wait for the same hosts."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        description = pool.submit(deployed.describe)
        before = deployed.renew(progress.note)
        return description.result(), before


def _faults(job: Job) -> Faults:
    """What the scenario does to hosts and services. Errors: `fault`, and those of `on_topology`."""
    wanted = job.scenario.faults
    if job.deployed:
        return on_topology(job.deployed.topology, wanted)
    refuse_without_hosts(wanted)
    return Faults()


def _servers(
    scaling: Scaling | None, hosts: tuple[str, ...], hands: Hands | None, seen: Seen | None
) -> Servers:
    if scaling is None or seen is None:
        return Servers()
    away = seen.away(scaling.service)
    for host in hosts[scaling.first :]:
        away(host, True)
    servers = Servers(scaling, hosts, hands, Busy(seen.cores()), away)
    seen.tell(servers.hear)
    return servers


def _beginning(job: Job, service: Service, load: float | None, seed: int) -> record.Beginning:
    scenario = job.scenario
    target = None if scenario.target.url else service.endpoint()
    plan = scenario.plan(load=load, seed=seed, target=target)
    accounts = scenario.data.get("accounts")
    return record.Beginning(
        scenario_text=scenario.text.decode(),
        plan=plan,
        target=service.url,
        accounts=None if accounts is None else int(accounts),
        sla_window_s=scenario.sla_window_s,
        sla_rules=scenario.sla_rules,
        expectations=job.engine.expectations(json.dumps(plan)),
        checks=[check.model_dump() for check in scenario.checks],
        goals=scenario.goals,
        command=job.command,
    )
