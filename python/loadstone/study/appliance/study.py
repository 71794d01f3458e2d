"""The study from beginning to end: what it needs is built, the schedule worked through, the findings
drawn."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadstone import record
from loadstone.drive import Engine, Interrupt
from loadstone.errors import LoadstoneError
from loadstone.image import accelerator, kernel, tool
from loadstone.study.appliance.description import PARTS, Description, load_description
from loadstone.study.appliance.findings import findings
from loadstone.study.appliance.machines import Machines
from loadstone.study.appliance.measure import Performer
from loadstone.study.appliance.parts import parts
from loadstone.study.conduct import Watch, conduct
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


def begin(folder: Path, *, quick: bool, only: Sequence[str] | None) -> Order:
    """The order of a new study in a new folder.

    LoadstoneError `study-part`, `program-missing`, `image-source`, `folder-in-use`, `cannot-write`.
    """
    for name in only or ():
        if name not in PARTS:
            hint = f"there are {', '.join(PARTS)}"
            raise LoadstoneError("study-part", f"the study has no part `{name}`", hint=hint)
    for program in ("qemu-system-x86_64", "cargo", "gcc", "strip", "mke2fs"):
        tool(program)
    kernel()
    record.require_unused(folder)
    record.make_folder(folder)
    return Order(folder, "quick" if quick else "full", tuple(only) if only else None)


def lay_out(order: Order) -> Plan:
    """What the order amounts to. Errors as `load_description`."""
    description = load_description()
    wanted = parts(description.amounts(order.size), order.only)
    return Plan(order, description, schedule(wanted, description.seed))


def run(plan: Plan, command: Sequence[str], engine: Engine, interrupt: Interrupt, watch: Watch) -> Json:
    """Measures what is not measured yet; returns the content of `study.json`.

    Ctrl-C ends it after the measurement under way. What was measured is kept whatever happens.
    """
    order, description = plan.order, plan.description
    results = Results(order.folder)
    begun = header(order, description.name, description.summary, description.seed, command)
    begun["guests"] = {
        "accelerator": accelerator(),
        "kernel": kernel().version,
        "memory_mib": description.memory_mib,
        "amounts": description.amounts(order.size).model_dump(),
    }
    record.write_json(order.folder / NAME, begun)
    outcome = "failed"
    try:
        with interrupt, tempfile.TemporaryDirectory(prefix="appliance-") as own:
            amounts = description.amounts(order.size)
            machines = Machines(description, amounts, Path(own))
            perform = Performer(description, amounts, machines, engine)
            outcome = conduct(plan.tasks, perform, results, interrupt, watch)
    except KeyboardInterrupt:
        outcome = "interrupted"
        raise
    finally:
        content = begun | {"outcome": outcome, "ended_at": record.now()}
        content |= findings(description, plan.tasks, results)
        record.write_json(order.folder / NAME, content)
    return content
