"""What can be asked of a model, and the answers: every one an enclosure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

from loadstone.ctmc.expression import Condition

Cycle = Literal["share", "frequency", "mean", "between"]
_CYCLE: dict[Cycle, str] = {
    "share": "cycle-share",
    "frequency": "cycle-frequency",
    "mean": "cycle-mean",
    "between": "cycle-mean-between",
}


@dataclass(frozen=True)
class Named:
    """A label or reward of a model, by its name."""

    name: str
    owner: int


Of = Named | Condition


@dataclass(frozen=True)
class Question:
    """One question: made by `until`, `at`, `long_run`, `first`, `first_by` or `cycle`."""

    ask: str
    of: Of
    time: float | None = None
    part: str | None = None

    def data(self) -> dict[str, Any]:
        """As the solver takes it."""
        subject = self.of.name if isinstance(self.of, Named) else str(self.of)
        return {"ask": self.ask, "of": subject} | ({} if self.time is None else {"time": self.time})


@dataclass(frozen=True)
class Answer:
    """The truth lies between `low` and `high`, rounding included; `high` may be infinite.

    states_used: the states that were computed with; the others are in the bounds.
    """

    question: Question
    low: float
    high: float
    method: str
    states_used: int

    @property
    def relative_width(self) -> float:
        """(high - low) / high; infinite when `high` is."""
        if math.isinf(self.high):
            return math.inf
        return (self.high - self.low) / self.high if self.high else 0.0


def at(of: Of, time: float) -> Question:
    """The expected value of a reward, or the probability of a condition, at a time."""
    return Question("at", of, time)


def until(of: Of, time: float) -> Question:
    """What a reward comes to until a time; of a condition, the expected time in it."""
    return Question("until", of, time)


def long_run(of: Of) -> Question:
    """The mean in the long run."""
    return Question("long-run", of)


def first(of: Of) -> Question:
    """The mean time until a condition is first true."""
    return Question("first-mean", of)


def first_by(of: Of, time: float) -> Question:
    """The probability that a condition is true at least once by a time."""
    return Question("first-by", of, time)


def cycle(of: Of, part: Cycle) -> Question:
    """In the long run: the `share` of time a condition is true, the `frequency` of visits to it, their `mean`
    length, the mean time `between` two.
    """
    return Question("cycle", of, part=_CYCLE[part])
