"""What a study is: each one implements this, and everything else about it is the same for all."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from loadstone.measure import Interrupt
from loadstone.study.conduct import Perform
from loadstone.study.order import Order
from loadstone.study.results import Results
from loadstone.study.schedule import StudyPart, Task, schedule
from loadstone.study.words import Block, Say

Json = dict[str, Any]


@dataclass(frozen=True)
class Around:
    """What goes on around measurements."""

    interrupt: Interrupt
    say: Say


class Study(ABC):
    """A study laid out for an order, by its constructor: nothing was started yet, and nothing written.

    The constructor's errors are those of the study's own file and of what it is made for here.
    """

    name: ClassVar[str]
    part_names: Sequence[str]
    """All that there are, in the order they are measured."""
    variant_names: Sequence[str] = ()
    """All that an order may name."""
    summary: str
    """What it shows, in a sentence: its file says it."""
    seed: int
    parts: Sequence[StudyPart]
    """What is measured by this order."""
    skipped: Mapping[str, str] = {}
    """Parts that there is nothing for here, with the reason."""
    start_s = 0.0
    """About how long it takes before the first measurement."""

    def __init__(self, order: Order) -> None:
        """Constructors of studies begin with this one."""
        self.order = order

    @cached_property
    def tasks(self) -> list[Task]:
        """All measurements in the order to make them."""
        return schedule(self.parts, self.seed)

    @property
    def tasks_now(self) -> list[Task]:
        """Those that this command makes."""
        now = self.order.now
        return [task for task in self.tasks if now is None or task.part in now]

    @property
    def expected_s(self) -> float:
        """About how long all that this command makes takes, by experience."""
        return self.start_s + sum(task.expected_s for task in self.tasks_now)

    def require(self) -> None:  # noqa: B027 - most need nothing
        """Refuses what cannot be measured here. LoadstoneError `program-missing` and what else lacks."""

    def keep(self) -> None:  # noqa: B027 - the order says all of most
        """Writes down in the new folder what a resumed study needs besides the order."""

    def definition(self) -> Json:
        """The study's file as it is today: everything that its figures and targets depend on. {} without."""
        return {}

    def header(self) -> Json:
        """What `study.json` says of this study from its beginning on, `versions` in addition to ours."""
        return {}

    def finished(self, measured: Mapping[str, Any]) -> bool:
        """Whether a row is all that there is to measure; `--resume` goes on with one that is not."""
        return True

    @abstractmethod
    def ready(self, around: Around) -> AbstractContextManager[Perform]:
        """Starts what measurements need, and ends it whatever happens. Not asked for when all are made."""

    @abstractmethod
    def findings(self, results: Results) -> Json:
        """What the rows that there are amount to: the fields of `study.json` that are computed. Pure.

        `findings` are the sentences (`loadstone.study.finding`), the main one first; none is typed.
        """

    @abstractmethod
    def told(self, measured: Json) -> str:
        """One measurement in a few words."""

    @abstractmethod
    def answer(self, content: Json) -> Sequence[Block]:
        """`study.json` in a few lines."""
