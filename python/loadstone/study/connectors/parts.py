"""The cases of the study, and how one is measured."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from loadstone.drive import Engine
from loadstone.errors import LoadstoneError
from loadstone.study.connectors.description import Description, Experiment, Load, Server
from loadstone.study.connectors.fleet import Fleet, Running, settle, state
from loadstone.study.connectors.httperf import run_httperf
from loadstone.study.connectors.offered import offer, plan_of
from loadstone.study.connectors.servers import missing, program
from loadstone.study.schedule import Part, Task

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
) -> list[Part]:
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
) -> Part:
    names = load.servers or [one.name for one in description.server]
    cases = [
        {"server": name, "sessions_per_s": load.sessions_per_s, "client": load.client}
        for name in names
        if servers is None or name in servers
    ]
    return Part(experiment.name, cases, load.repetitions, experiment.arrive_s + _LIFE_S + _AROUND_S)


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
        hint = "sudo scripts/setup-connectors, pip install 'loadstone[connectors]', or --servers without them"
        raise LoadstoneError("program-missing", words, hint=hint)
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
        if experiment.application == "relay":
            return self._relayed(experiment, server, rate, seed, str(task.case["client"]))
        return self._served(experiment, server, rate, seed)

    def _relayed(self, experiment: Experiment, server: Server, rate: float, seed: int, client: str) -> Json:
        wanted = self.description.database
        database = self.fleet.database(wanted.slots, wanted.service_ms)
        running = self._started(experiment, server, server.name, server.options, database.url)
        settle(database)
        calls, cpu_s = state(database)["calls"], running.cpu_s()
        plan = plan_of(experiment, running.endpoint, rate, seed)
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
            found = offer(self.engine, plan)
        found["server_cpu_s"] = running.cpu_s() - cpu_s
        settle(database)
        # What the server asked for after its clients had left is asked for nobody: it counts, too.
        found["database_calls"] = state(database)["calls"] - calls
        return found

    def _served(self, experiment: Experiment, server: Server, rate: float, seed: int) -> Json:
        name = f"{experiment.name}-{server.name}"
        running = self._started(
            experiment,
            server,
            name,
            {**server.options, **experiment.options, "relay": False},
            experiment.place,
        )
        cpu_s = running.cpu_s()
        found = offer(self.engine, plan_of(experiment, running.endpoint, rate, seed))
        found["server_cpu_s"] = running.cpu_s() - cpu_s
        time.sleep(_SETTLE_S)
        return found

    def _started(
        self, experiment: Experiment, server: Server, name: str, options: Json | Any, behind: str
    ) -> Running:
        """The server, warm: its threads are there, its code compiled."""
        new = name not in self.fleet
        running = self.fleet.server(name, server.kind, options, behind, self.description.backlog)
        if new:
            plan = plan_of(experiment, running.endpoint, _WARM_SESSIONS_PER_S, self.description.seed)
            plan["load"] |= {"steady_s": _WARM_S}
            offer(self.engine, plan)
        return running
