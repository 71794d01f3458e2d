"""The cases of the study, and how one is measured."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.measure import Builtin, Engine, sut_of
from loadstone.scenario import Scenario
from loadstone.sources import script
from loadstone.study.connectors.description import OWN, Description, Experiment, Load, Server
from loadstone.study.connectors.fleet import Fleet, settle, state
from loadstone.study.connectors.httperf import run_httperf
from loadstone.study.connectors.offered import offer, scenario_of
from loadstone.study.connectors.servers import missing, program
from loadstone.study.connectors.site import write_site
from loadstone.study.schedule import StudyPart, Task

Json = dict[str, Any]

_AROUND_S = 1.5
"""Of a measurement beside its sessions: a database at rest, counters."""
_LIFE_S = 8.0
"""About how long sessions still live when no more arrive."""
_WARM_S = 3.0
_WARM_SESSIONS_PER_S = 8.0
"""Half of what the database carries: warming up must not leave a queue."""
_SETTLE_S = 0.3


def parts(
    description: Description, size: str, only: Sequence[str] | None, servers: Sequence[str] | None
) -> list[StudyPart]:
    """What to measure, in order; `only` names experiments, `servers` servers."""
    found = []
    for experiment in description.experiment:
        if only is None or experiment.name in only:
            loads: list[Load] = getattr(experiment, size)
            made = [_part(description, experiment, load, servers) for load in loads]
            found += [part for part in made if part.cases]
    return found


def _part(
    description: Description, experiment: Experiment, load: Load, servers: Sequence[str] | None
) -> StudyPart:
    names = load.servers or [one.name for one in description.server]
    cases = [
        {"server": name, "sessions_per_s": load.sessions_per_s, "client": load.client}
        for name in names
        if servers is None or name in servers
    ]
    return StudyPart(experiment.name, cases, load.repetitions, experiment.arrive_s + _LIFE_S + _AROUND_S)


def require_programs(description: Description, tasks: Sequence[Task]) -> None:
    """Refuses what cannot be measured here before anything starts. LoadstoneError `program-missing`."""
    wanted = {str(task.case["server"]) for task in tasks}
    lacking = {
        one.name: why
        for one in description.server
        if one.name in wanted and (why := missing(one.kind, one.options))
    }
    if lacking:
        words = "; ".join(f"{name}: {why}" for name, why in lacking.items())
        install = f"sudo {script('setup-connectors')}, pip install 'loadstone[connectors]'"
        raise LoadstoneError("program-missing", words, hint=f"{install}, or --servers without them")
    if any(task.case["client"] == "httperf" for task in tasks):
        program("httperf")


@dataclass(frozen=True)
class Performer:
    """Measures tasks, one server at a time."""

    description: Description
    fleet: Fleet
    engine: Engine

    def __call__(self, task: Task) -> Json:
        """The figures of a task. Errors are those of starting the server and of the client."""
        experiment = self.description.experiment_of(task.part)
        server = self.description.server_of(str(task.case["server"]))
        rate, seed = float(task.case["sessions_per_s"]), self.description.seed + task.repetition
        if experiment.application == "proxy":
            return self._relayed(experiment, server, rate, seed, str(task.case["client"]))
        return self._served(experiment, server, rate, seed)

    def _relayed(self, experiment: Experiment, server: Server, rate: float, seed: int, client: str) -> Json:
        wanted = self.description.database
        database = self.fleet.database(wanted.slots, wanted.service_ms)
        name = server.name
        if name not in self.fleet:
            self._start(experiment, server, name, server.options, database.url)
        running = self.fleet[name]
        settle(database)
        calls, cpu_s = state(database)["calls"], running.cpu_s()
        plan = scenario_of(experiment, rate).plan(seed=seed, target=running.endpoint)
        if client == "httperf":
            found = run_httperf(
                running,
                "/item",
                rate=rate,
                sessions=round(rate * experiment.arrive_s),
                calls=plan["session"]["max_operations"],
                think_s=plan["pacing"]["law"]["value_s"],
                timeout_s=plan["load"]["timeout_s"],
            )
        else:
            steady = (experiment.settled_s, experiment.arrive_s) if experiment.settled_s else None
            found = offer(self.engine, plan, steady)
        found["server_cpu_s"] = running.cpu_s() - cpu_s
        settle(database)
        # Calls that the server made after its clients had left are in vain: they count, too.
        found["database_calls"] = state(database)["calls"] - calls
        return found

    def _served(self, experiment: Experiment, server: Server, rate: float, seed: int) -> Json:
        name = f"{experiment.name}-{server.name}"
        scenario = scenario_of(experiment, rate)
        if name not in self.fleet:
            place, options = self._data(scenario, server)
            self._start(experiment, server, name, {**options, **server.options}, place)
        running = self.fleet[name]
        cpu_s = running.cpu_s()
        found = offer(self.engine, scenario.plan(seed=seed, target=running.endpoint))
        found["server_cpu_s"] = running.cpu_s() - cpu_s
        time.sleep(_SETTLE_S)
        return found

    def _data(self, scenario: Scenario, server: Server) -> tuple[str, Json]:
        """What a server serves, and the application's options. LoadstoneError `study-file`, `load-data`."""
        sut = sut_of(scenario)
        if not isinstance(sut, Builtin):
            raise LoadstoneError("study-file", f"the scenario `{scenario.name}` has no built-in application")
        if not sut.site.stored and server.kind != OWN:
            folder = self.fleet.folder / f"{scenario.name}-site"
            if not folder.exists():
                write_site(folder, sut.served["data"])
            return str(folder), {}
        return str(self.fleet.keep(sut.place())), sut.served

    def _start(
        self, experiment: Experiment, server: Server, name: str, options: Mapping[str, Any], behind: str
    ) -> None:
        """The server, warm: its threads are there, its code compiled."""
        running = self.fleet.start(name, server.kind, options, behind, self.description.backlog)
        scenario = scenario_of(experiment, _WARM_SESSIONS_PER_S)
        plan = scenario.plan(seed=self.description.seed, target=running.endpoint)
        plan["load"] |= {"steady_s": _WARM_S}
        offer(self.engine, plan)
