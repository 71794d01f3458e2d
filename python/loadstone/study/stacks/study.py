"""The study of stacks: each configuration is a part, measured on a lab of its own."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from loadstone.study.conduct import Perform
from loadstone.study.order import Order
from loadstone.study.results import Results
from loadstone.study.schedule import StudyPart, Task
from loadstone.study.stacks import findings, terminal
from loadstone.study.stacks.description import FILE, Size, load_description
from loadstone.study.stacks.search import UNFINISHED, expected_s, measured, require
from loadstone.study.study import Around, Study
from loadstone.study.words import Block

Json = dict[str, Any]


class Stacks(Study):
    """Stacks beside each other, each with as many users as it carries."""

    name = "stacks"

    def __init__(self, order: Order, path: Path = FILE) -> None:
        """`path`: the study's file. Errors as `load_description`."""
        super().__init__(order)
        self.description = load_description(path)
        self.summary, self.seed = self.description.summary, self.description.seed
        self.part_names = tuple(one.name for one in self.description.configuration)
        quick = self.description.quick.configurations if order.size == "quick" else None
        usual = quick or self.part_names
        # In the order asked for: a study of hours begins with what matters most.
        self.parts = [
            StudyPart(name, [{"configuration": name}], 1, expected_s(self._size(name)))
            for name in order.only or usual
            if name in self.part_names
        ]

    def _size(self, name: str) -> Size:
        return self.description.size(self.description.of(name), self.order.size)

    def require(self) -> None:
        """Builds the stacks that are measured. Error `stack-setup`."""
        for task in self.tasks_now:
            require(self.description.of(task.part))

    def definition(self) -> Json:
        """The study's file."""
        return self.description.model_dump(mode="json")

    @contextlib.contextmanager
    def ready(self, around: Around) -> Iterator[Perform]:
        """Each measurement brings its own lab up and down."""

        def perform(task: Task) -> Json:
            one = self.description.of(task.part)
            require(one)
            size = self._size(task.part)
            return measured(one, self.description, size, self.seed, self.order.folder, around)

        yield perform

    def finished(self, measured: Mapping[str, Any]) -> bool:
        """A search that was interrupted, ran out of runs or met noise has not ended; a quick one has few."""
        quick = self.order.size == "quick" and measured["outcome"] != "interrupted"
        return quick or measured["outcome"] not in UNFINISHED

    def findings(self, results: Results) -> Json:
        """As the module `findings`, of configurations as they were when they were measured."""
        then = self.order.definition
        return findings.findings(
            self.description.with_those_of(then.file) if then else self.description, results
        )

    def told(self, measured: Json) -> str:
        """Users at both SLAs."""
        return terminal.told(measured)

    def answer(self, content: Json) -> Sequence[Block]:
        """Users and dollars of each configuration."""
        return terminal.answer(content)
