"""The study of connectors: servers laid out, run on this machine, and what was measured of them."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from loadstone.measure import RustEngine
from loadstone.study.conduct import Perform
from loadstone.study.connectors import findings, terminal
from loadstone.study.connectors.description import Description, load_description, means, of_record
from loadstone.study.connectors.fleet import Fleet
from loadstone.study.connectors.parts import Performer, parts, require_programs
from loadstone.study.connectors.servers import versions
from loadstone.study.definition import dated
from loadstone.study.order import Order
from loadstone.study.results import Results
from loadstone.study.study import Around, Study
from loadstone.study.words import Block

Json = dict[str, Any]


class Connectors(Study):
    """Threaded, event-driven and hybrid servers under more sessions than they can carry."""

    name = "connectors"

    def __init__(self, order: Order) -> None:
        """Errors as `load_description`."""
        super().__init__(order)
        self.description = load_description()
        self.measured_by = _measured_by(order, self.description)
        self.summary, self.seed = self.description.summary, self.description.seed
        self.part_names = [one.name for one in self.description.experiment]
        self.variant_names = [one.name for one in self.description.server]
        self.parts = parts(self.description, order.size, order.only, order.variants)

    def require(self) -> None:
        """LoadstoneError `program-missing`."""
        require_programs(self.description, self.tasks)

    def definition(self) -> Json:
        """The study's file, and the scenarios beside it."""
        return self.description.model_dump(mode="json") | {"scenarios": self.description.scenarios()}

    def header(self) -> Json:
        """Versions of the servers' programs."""
        kinds = (self.description.server_of(str(task.case["server"])).kind for task in self.tasks)
        return {"versions": versions(kinds)}

    @contextlib.contextmanager
    def ready(self, around: Around) -> Iterator[Perform]:
        """A place for servers; they run one after the other. Errors as `Fleet`."""
        with tempfile.TemporaryDirectory(prefix="connectors-") as own, Fleet(Path(own)) as fleet:
            # Servers that give their root rights away must get to their files.
            Path(own).chmod(0o755)
            yield Performer(self.description, fleet, RustEngine())

    def findings(self, results: Results) -> Json:
        """As the module `findings`, by the definition that held when the rows were measured."""
        found = findings.findings(self.measured_by, results)
        now = self.definition()
        then = self.order.definition.file if self.order.definition else now
        return found | {"targets": dated(found["targets"], means, then, now)}

    def told(self, measured: Json) -> str:
        """Completed sessions."""
        return terminal.told(measured)

    def answer(self, content: Json) -> Sequence[Block]:
        """Every server under the highest load of each experiment, then the targets."""
        return terminal.answer(content)


def _measured_by(order: Order, today: Description) -> Description:
    """The file by which the study was measured, where its record keeps it. LoadstoneError `study-file`."""
    return of_record(order.definition.file) if order.definition else today
