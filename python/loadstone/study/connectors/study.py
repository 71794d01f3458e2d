"""The study from beginning to end: a folder, servers that run, the schedule worked through, the findings."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadstone import record
from loadstone.drive import Engine, Interrupt
from loadstone.errors import LoadstoneError
from loadstone.study.conduct import Watch, conduct
from loadstone.study.connectors.description import Description, load_description
from loadstone.study.connectors.findings import findings
from loadstone.study.connectors.fleet import Fleet
from loadstone.study.connectors.parts import Performer, parts, require_programs
from loadstone.study.connectors.servers import versions
from loadstone.study.order import NAME, Order, header
from loadstone.study.results import Results
from loadstone.study.schedule import Task, schedule

Json = dict[str, Any]


@dataclass(frozen=True)
class Plan:
    """The study laid out: nothing was started yet."""

    order: Order
    description: Description
    tasks: list[Task]

    @property
    def expected_s(self) -> float:
        """About how long all of it takes."""
        return sum(task.expected_s for task in self.tasks)


def begin(folder: Path, *, quick: bool, only: Sequence[str] | None, servers: Sequence[str] | None) -> Order:
    """The order of a new study in a new folder.

    LoadstoneError `study-part`, `study-server`, `program-missing`, `folder-in-use`, `cannot-write`.
    """
    description = load_description()
    experiments = [one.name for one in description.experiment]
    for name in only or ():
        if name not in experiments:
            hint = f"there are {', '.join(experiments)}"
            raise LoadstoneError("study-part", f"the study has no part `{name}`", hint=hint)
    known = [one.name for one in description.server]
    for name in servers or ():
        if name not in known:
            raise LoadstoneError(
                "study-server", f"the study has no server `{name}`", hint=f"there are {', '.join(known)}"
            )
    order = Order(
        folder,
        "quick" if quick else "full",
        tuple(only) if only else None,
        None,
        tuple(servers) if servers else None,
    )
    require_programs(description, lay_out(order).tasks)
    record.require_unused(folder)
    record.make_folder(folder)
    return order


def lay_out(order: Order) -> Plan:
    """What the order amounts to. Errors as `load_description`."""
    description = load_description()
    wanted = parts(description, order.size, order.only, order.variants)
    return Plan(order, description, schedule(wanted, description.seed))


def run(plan: Plan, command: Sequence[str], engine: Engine, interrupt: Interrupt, watch: Watch) -> Json:
    """Measures what is not measured yet; returns the content of `study.json`.

    Ctrl-C ends it after the measurement under way. What was measured is kept whatever happens.
    """
    order, description = plan.order, plan.description
    folder = order.folder
    results = Results(folder)
    begun = header(order, description.name, description.summary, description.seed, command)
    kinds = (description.server_of(str(task.case["server"])).kind for task in plan.tasks)
    begun["versions"] |= versions(kinds)
    record.write_json(folder / NAME, begun)
    outcome = "failed"
    try:
        with interrupt, tempfile.TemporaryDirectory(prefix="connectors-") as own, Fleet(Path(own)) as fleet:
            # Servers that give their root rights away must get to their files.
            Path(own).chmod(0o755)
            perform = Performer(description, fleet, engine)
            outcome = conduct(plan.tasks, perform, results, interrupt, watch)
    except KeyboardInterrupt:
        outcome = "interrupted"
        raise
    finally:
        content = begun | {"outcome": outcome, "ended_at": record.now()}
        content |= findings(description, plan.tasks, results)
        record.write_json(folder / NAME, content)
    return content
