"""The order of a study: every repetition measures all cases once, in an order drawn anew.

Whatever drifts while a study lasts (heat, other tenants, caches) then meets all variants alike, and does
not look like a difference between them.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Case = Mapping[str, Any]
"""A cell of the matrix: plain values by name."""


@dataclass(frozen=True)
class Task:
    """One measurement to make."""

    part: str
    case: Case
    repetition: int
    """From 1."""
    expected_s: float
    """How long it takes, by experience."""

    @property
    def key(self) -> str:
        """What is the same for the same measurement in every run of the study."""
        return json.dumps([self.part, dict(self.case), self.repetition], sort_keys=True)


@dataclass(frozen=True)
class StudyPart:
    """The cases of one part of a study."""

    name: str
    cases: Sequence[Case]
    repetitions: int
    task_s: float
    """About how long one measurement takes."""


def schedule(parts: Sequence[StudyPart], seed: int) -> list[Task]:
    """All tasks in the order to make them; the same for the same seed.

    Parts follow each other. Within a part one repetition follows the other, and the cases of each are
    shuffled.
    """
    tasks = []
    for part in parts:
        for repetition in range(1, part.repetitions + 1):
            cases = list(part.cases)
            # A stream of its own for each: a part left out does not change the order of the others.
            random.Random(f"{seed}/{part.name}/{repetition}").shuffle(cases)
            tasks += [Task(part.name, case, repetition, part.task_s) for case in cases]
    return tasks
