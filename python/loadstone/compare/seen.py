"""What one run showed of an operation, second by second."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from loadstone.judge import Measurement
from loadstone.judge.histogram import Floats, Histogram
from loadstone.record import measurement_of
from loadstone.record.seconds import NO_ANSWERS, answers_by_second

WHOLE = "*"
"""The name of all operations together."""


@dataclass(frozen=True)
class Seen:
    """An operation, or all together, in the steady state: the first four have one element a second."""

    length_s: Floats
    """What of the second is part of the steady state."""
    ok: Floats
    failed: Floats
    within: Floats
    """Right answers within the limit."""
    second: npt.NDArray[np.int64]
    """From here on one element a second and bucket: the second, from 0."""
    value_ms: Floats
    """Response times of right answers, the middle of their bucket."""
    answers: Floats
    """How many."""

    @property
    def count(self) -> Floats:
        """Operations each second, failed ones included."""
        return np.asarray(self.ok + self.failed, dtype=np.float64)

    def times(self) -> Histogram:
        """Response times of all seconds."""
        order = np.argsort(self.value_ms, kind="stable")
        return Histogram(self.value_ms[order] * 1000, self.answers[order])

    def by_second(self, weights: Floats) -> Floats:
        """Sums of `weights`, which has one element a second and bucket, over each second."""
        sums: Floats = np.bincount(self.second, weights, len(self.ok)).astype(np.float64)
        return sums


def read_seen(folder: Path) -> dict[str, Seen]:
    """Each operation of a completed run, and all together as `WHOLE`. Error `run-folder`."""
    measurement = measurement_of(folder)
    answers = answers_by_second(folder)
    length_s = _lengths(measurement)
    found = {}
    for operation in measurement.operations:
        mine = answers.get(operation.name, NO_ANSWERS)
        inside = (mine.second >= measurement.first_s) & (
            mine.second < measurement.first_s + len(operation.ok)
        )
        found[operation.name] = Seen(
            length_s=length_s,
            ok=operation.ok,
            failed=operation.count - operation.ok,
            within=operation.within,
            second=mine.second[inside] - measurement.first_s,
            value_ms=mine.value_ms[inside],
            answers=mine.count[inside],
        )
    return found | {WHOLE: together(list(found.values()), length_s)}


def together(parts: Sequence[Seen], length_s: Floats) -> Seen:
    """All operations of a run as if they were one."""
    zero = np.zeros(len(length_s))
    return Seen(
        length_s=length_s,
        ok=zero + sum(part.ok for part in parts),
        failed=zero + sum(part.failed for part in parts),
        within=zero + sum(part.within for part in parts),
        second=np.concatenate([NO_ANSWERS.second, *(part.second for part in parts)]),
        value_ms=np.concatenate([NO_ANSWERS.value_ms, *(part.value_ms for part in parts)]),
        answers=np.concatenate([NO_ANSWERS.count, *(part.answers for part in parts)]),
    )


def _lengths(measurement: Measurement) -> Floats:
    """The first and the last second of a steady state need not be whole."""
    begins = measurement.first_s + np.arange(len(measurement.users), dtype=np.float64)
    ends = np.minimum(begins + 1, measurement.end_s)
    lengths: Floats = np.maximum(0.0, ends - np.maximum(begins, measurement.start_s))
    return lengths
