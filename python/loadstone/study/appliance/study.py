"""The study of appliances: machines laid out, built, booted, and what was measured of them."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from loadstone.image import ASKED_EVERY_S, accelerator, kernel, tool
from loadstone.measure import RustEngine
from loadstone.study.appliance import findings, terminal
from loadstone.study.appliance.description import ASKED, PARTS, load_description, means
from loadstone.study.appliance.machines import Machines
from loadstone.study.appliance.measure import Performer
from loadstone.study.appliance.parts import parts
from loadstone.study.conduct import Perform
from loadstone.study.definition import dated
from loadstone.study.order import Order
from loadstone.study.results import Results
from loadstone.study.study import Around, Study
from loadstone.study.words import Block

Json = dict[str, Any]


class Appliance(Study):
    """Images beside the same programs in a Linux guest."""

    name = "appliance"
    part_names = PARTS

    def __init__(self, order: Order) -> None:
        """Errors as `load_description`."""
        super().__init__(order)
        self.description = load_description()
        self.summary, self.seed = self.description.summary, self.description.seed
        self.amounts = self.description.amounts(order.size)
        self.parts = parts(self.amounts, order.only)

    def require(self) -> None:
        """LoadstoneError `program-missing`, `image-source`."""
        for program in ("qemu-system-x86_64", "cargo", "gcc", "strip", "mke2fs"):
            tool(program)
        kernel()

    def definition(self) -> Json:
        """The study's file, and how often a booting guest is asked."""
        return self.description.model_dump(mode="json") | {ASKED: 1000 * ASKED_EVERY_S}

    def header(self) -> Json:
        """What the guests are."""
        return {
            "guests": {
                "accelerator": accelerator(),
                "kernel": kernel().version,
                "memory_mib": self.description.memory_mib,
                "amounts": self.amounts.model_dump(),
            }
        }

    @contextlib.contextmanager
    def ready(self, around: Around) -> Iterator[Perform]:
        """A folder for what is built; machines are built and booted as they are measured."""
        with tempfile.TemporaryDirectory(prefix="appliance-") as own:
            machines = Machines(self.description, self.amounts, Path(own))
            yield Performer(self.description, self.amounts, machines, RustEngine())

    def findings(self, results: Results) -> Json:
        """As the module `findings`."""
        found = findings.findings(self.description, results)
        now = self.definition()
        then = self.order.definition.file if self.order.definition else now
        return found | {"targets": dated(found["targets"], means, then, now)}

    def told(self, measured: Json) -> str:
        """The first few figures."""
        return terminal.told(measured)

    def answer(self, content: Json) -> Sequence[Block]:
        """What was to be shown, and whether it was."""
        return terminal.answer(content)
