"""Sessions: cut from the operations of each client, and what is counted of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from loadstone.learn.chain import Floats, Ints, Steps
from loadstone.learn.laws import FINE_EDGES, Counts
from loadstone.learn.people import Visits

GROUPS = 40
"""Of the clients that are held out: what differs between the groups is the error of what all show."""
HELD_OUT = 4
"""One client in so many is held out."""
_MOST_SAMPLED = 20_000
_LONGEST = 5_000
"""Operations of a session that are told apart from longer ones."""
_HOUR_US = 3_600_000_000
_DAY_HOURS = 24


@dataclass
class Tally:
    """What is counted of the sessions to fit, of `operations` kinds."""

    operations: int
    cutoff_s: float
    whole: bool
    """Times are of whole seconds."""
    times: bool
    """Requests say how long they took: pauses are from end to start, else from start to start."""
    sampled: float
    """Share of the sessions that are kept for the classes."""
    steps: Floats = field(init=False)
    pauses: Ints = field(init=False)
    """By the operation that follows and by bin."""
    files: Ints = field(init=False)
    visited: Ints = field(init=False)
    took: Ints = field(init=False)
    """By operation and bin of FINE_EDGES."""
    hours: Counter[int] = field(default_factory=Counter)
    """Sessions that began, by hours since 1970; of all clients."""
    sessions: int = 0
    duration_s: float = 0.0
    held_counts: Floats = field(init=False)
    """Operations of those held out, by group."""
    held_sessions: Floats = field(default_factory=lambda: np.zeros(GROUPS))
    held_lengths: Ints = field(default_factory=lambda: np.zeros(_LONGEST + 1, np.int64))
    lengths: Ints = field(default_factory=lambda: np.zeros(_LONGEST + 1, np.int64))
    _sample: list[tuple[Ints, Ints, Ints]] = field(default_factory=list)
    _sample_size: int = 0

    def __post_init__(self) -> None:
        """Nothing is counted yet."""
        size = self.operations
        self.steps = np.zeros((size + 1, size + 1))
        bins = int(self.cutoff_s) + 2 if self.whole else len(FINE_EDGES) - 1
        self.pauses = np.zeros((size, bins), np.int64)
        self.files, self.visited = np.zeros(size, np.int64), np.zeros(size, np.int64)
        self.took = np.zeros((size, len(FINE_EDGES) - 1), np.int64)
        self.held_counts = np.zeros((GROUPS, size))

    def add(self, visits: Visits) -> None:
        """Counts the sessions of one part of the log."""
        if not len(visits):
            return
        gap_us = np.r_[0, visits.start_us[1:] - visits.end_us[:-1]]
        since_us = np.r_[0, np.diff(visits.start_us)]
        begins = visits.begins | (since_us > self.cutoff_s * 1e6)
        number = np.cumsum(begins) - 1
        hours, counts = np.unique(visits.start_us[begins] // _HOUR_US, return_counts=True)
        self.hours.update(dict(zip(hours.tolist(), counts.tolist(), strict=True)))
        held = (visits.client // np.uint64(GROUPS)) % np.uint64(HELD_OUT) == 0
        self._hold(visits, number, begins, held)
        self._fit(visits, number, begins, ~held, gap_us if self.times else since_us)

    def _hold(self, visits: Visits, number: Ints, begins: NDArray[np.bool_], held: NDArray[np.bool_]) -> None:
        group = (visits.client[held] % np.uint64(GROUPS)).astype(np.int64)
        size = self.operations
        seen = np.bincount(group * size + visits.operation[held], minlength=GROUPS * size)
        self.held_counts += seen.reshape(GROUPS, size)
        self.held_sessions += np.bincount(group[begins[held]], minlength=GROUPS)
        self.held_lengths += _lengths(number[held])

    def _fit(
        self, visits: Visits, number: Ints, begins: NDArray[np.bool_], fit: NDArray[np.bool_], pause_us: Ints
    ) -> None:
        operation, first, number = visits.operation[fit], begins[fit], number[fit]
        if not len(operation):
            return
        size = self.operations + 1
        last = np.r_[first[1:], True]
        before = np.where(first, self.operations, np.r_[0, operation[:-1]])
        step = np.r_[before * size + operation, operation[last] * size + self.operations]
        session = np.r_[number, number[last]]
        self.steps += np.bincount(step, minlength=size * size).reshape(size, size)
        self.sessions += int(np.count_nonzero(first))
        self.lengths += _lengths(number)
        self.duration_s += float((visits.end_us[fit][last] - visits.start_us[fit][first]).sum()) / 1e6
        self._pauses(operation[~first], pause_us[fit][~first] / 1e6)
        self.visited += np.bincount(operation, minlength=self.operations)
        self.files += np.bincount(operation, visits.files[fit], self.operations).astype(np.int64)
        known = visits.took_us[fit] >= 0
        took = np.searchsorted(FINE_EDGES, visits.took_us[fit][known] / 1e6, "right") - 1
        np.add.at(self.took, (operation[known], took.clip(0, len(FINE_EDGES) - 2)), 1)
        self._keep(session, step, visits.client[fit])

    def _pauses(self, operation: Ints, pause_s: Floats) -> None:
        pause_s = np.maximum(pause_s, 0.0)
        at = (
            np.rint(pause_s).astype(np.int64)
            if self.whole
            else np.searchsorted(FINE_EDGES, pause_s, "right") - 1
        )
        np.add.at(self.pauses, (operation, at.clip(0, self.pauses.shape[1] - 1)), 1)

    def _keep(self, session: Ints, step: Ints, client: NDArray[np.uint64]) -> None:
        """A sample of the sessions, by a hash of their place, as steps with their number."""
        size = (self.operations + 1) ** 2
        pairs, times = np.unique(session * size + step, return_counts=True)
        whose, made = pairs // size, pairs % size
        known, place = np.unique(whose, return_inverse=True)
        mixed = (known.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + client[0]) >> np.uint64(33)
        kept = mixed < np.uint64(int(self.sampled * 2**31))
        renumbered = np.cumsum(kept) - 1 + self._sample_size
        chosen = kept[place]
        self._sample.append((renumbered[place][chosen], made[chosen], times[chosen]))
        self._sample_size += int(np.count_nonzero(kept))

    @property
    def sample(self) -> Steps:
        """The sessions that were kept."""
        session, step, times = (np.concatenate(one) for one in zip(*self._sample, strict=True))
        return Steps(session, step, times, self._sample_size, self.operations)

    def pauses_before(self, operation: int | None = None) -> Counts:
        """Pauses before an operation, or before any."""
        counts = self.pauses.sum(axis=0) if operation is None else self.pauses[operation]
        return Counts(counts, self.whole, self.cutoff_s)


def sample_share(sessions: int) -> float:
    """Share of so many sessions that is kept for the classes."""
    return min(1.0, _MOST_SAMPLED / max(1, sessions))


def busiest_hour(hours: Counter[int]) -> tuple[int, int]:
    """The hour with the most sessions, since 1970, and their number."""
    return max(hours.items(), key=lambda one: (one[1], -one[0]))


def by_hour(hours: Counter[int]) -> list[float]:
    """Mean sessions that begin in each hour of the day, UTC, over the days of the log."""
    if not hours:
        return [0.0] * _DAY_HOURS
    first, last = min(hours), max(hours)
    total = [0] * _DAY_HOURS
    for hour, count in hours.items():
        total[hour % _DAY_HOURS] += count
    whole, rest = divmod(last - first + 1, _DAY_HOURS)
    in_rest = {(first + one) % _DAY_HOURS for one in range(rest)}
    return [count / max(1, whole + (hour in in_rest)) for hour, count in enumerate(total)]


def _lengths(number: Ints) -> Ints:
    _, counts = np.unique(number, return_counts=True)
    return np.bincount(counts.clip(0, _LONGEST), minlength=_LONGEST + 1).astype(np.int64)
