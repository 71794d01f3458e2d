"""Operations of people: without programs, shared addresses, refusals and what follows a redirect."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loadstone.learn.read import FILE, PROGRAM, READS, REDIRECT, REFUSED, ROBOTS, Events

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

_FOLLOWS_US = 2_000_000
"""A redirect is followed at once: a request that comes later is a person's."""
_MANY = 100
"""Operations of one client from which on its speed tells a program."""
_FAST_US = 1_000_000
_STEADY = 0.1
"""Coefficient of variation of the pauses of a clock. Of people it is about 1."""
_PAUSE_US = 3_600_000_000
_LOADS_US = 86_400_000_000
"""A page may fetch for as long as it is open; no later than this."""


@dataclass
class Left:
    """What was left out: clients by reason, requests by reason."""

    clients: Counter[str] = field(default_factory=Counter)
    requests: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class Visits:
    """Operations of one part of the log, by client and then by time."""

    client: NDArray[np.uint64]
    start_us: Ints
    end_us: Ints
    """Of the last file of the page, where the log has times; else the start."""
    operation: Ints
    files: Ints
    took_us: Ints

    def __len__(self) -> int:
        """Number of operations."""
        return len(self.client)

    @property
    def begins(self) -> Flags:
        """The first operation of each client."""
        return np.r_[True, self.client[1:] != self.client[:-1]] if len(self) else np.zeros(0, bool)


def visits(
    events: Events, operation_of: Ints, left: Left, *, shared_from: int, with_programs: bool, rare: int
) -> Visits:
    """The operations of people in one part.

    operation_of: by leaf, -1 where it is rare. shared_from: user agents on one address from which on it is
    shared. What is not taken is counted in `left`.
    """
    events = events[np.lexsort((events["start_us"], events["client"]))]
    if not with_programs:
        events = _people(events, left, shared_from)
    events = events[~_counted(left, (events["what"] & REFUSED) > 0, "answered with 4xx")]
    follows = _following(events)
    _counted(left, follows, "after a redirect")
    of_page = ((events["what"] & FILE) > 0) | follows
    asked = np.flatnonzero(~of_page)
    if not len(asked):
        return _empty()
    operation = operation_of[events["leaf"][asked]]
    client, start_us = events["client"], events["start_us"].astype(np.int64)
    owner = np.searchsorted(asked, np.arange(len(events)), "right") - 1
    page = asked[np.maximum(owner, 0)]
    # A client's files belong to its operation before them. Those of another year belong to none, and neither
    # do those before its first operation.
    belongs = (owner >= 0) & (client == client[page]) & (start_us - start_us[page] <= _LOADS_US)
    ends = np.where(belongs, start_us + np.maximum(events["took_us"], 0), 0)
    its_file = belongs & ((events["what"] & FILE) > 0)
    found = Visits(
        events["client"][asked],
        start_us[asked],
        np.maximum.reduceat(ends, asked).astype(np.int64),
        operation,
        np.bincount(owner[its_file], minlength=len(asked)),
        events["took_us"][asked].astype(np.int64),
    )
    return _only(found, ~_counted(left, operation == rare, "of rare kinds"))


def _only(found: Visits, keep: Flags) -> Visits:
    return Visits(*(getattr(found, name)[keep] for name in Visits.__dataclass_fields__))


def _empty() -> Visits:
    none = np.zeros(0, np.int64)
    return Visits(np.zeros(0, np.uint64), none, none, none, none, none)


def _counted(left: Left, out: Flags, reason: str) -> Flags:
    if number := int(np.count_nonzero(out)):
        left.requests[reason] += number
    return out


def _following(events: Events) -> Flags:
    """Requests that a browser makes by itself, told to by a redirect."""
    found = np.zeros(len(events), bool)
    if len(events) > 1:
        same = events["client"][1:] == events["client"][:-1]
        soon = events["start_us"][1:] - events["start_us"][:-1] <= _FOLLOWS_US
        found[1:] = same & soon & ((events["what"][:-1] & REDIRECT) > 0) & ((events["what"][1:] & READS) > 0)
    return found


def _people(events: Events, left: Left, shared_from: int) -> Events:
    """Without the clients that are programs or share an address."""
    if not len(events):
        return events
    clients, first, inverse = np.unique(events["client"], return_index=True, return_inverse=True)
    reasons: dict[str, Any] = {
        "programs by their user agent": _any(inverse, events["what"] & PROGRAM, len(clients)),
        "programs that read robots.txt": _any(inverse, events["what"] & ROBOTS, len(clients)),
        "addresses shared by many": _shared(events["address"][first], shared_from),
    }
    fast, steady = _pauses(events, inverse, len(clients))
    reasons |= {"faster than people": fast, "as regular as a clock": steady}
    out = np.zeros(len(clients), bool)
    for reason, of in reasons.items():
        fresh = of & ~out
        if number := int(np.count_nonzero(fresh)):
            left.clients[reason] += number
            left.requests[reason] += int(np.count_nonzero(fresh[inverse]))
        out |= of
    return events[~out[inverse]]


def _any(inverse: Ints, flags: NDArray[Any], clients: int) -> Flags:
    return np.bincount(inverse, weights=flags > 0, minlength=clients) > 0


def _shared(address: NDArray[np.uint64], least: int) -> Flags:
    """Of each client, whether at least so many have its address."""
    _, inverse, count = np.unique(address, return_inverse=True, return_counts=True)
    return np.asarray(count[inverse] >= least)


def _pauses(events: Events, inverse: Ints, clients: int) -> tuple[Flags, Flags]:
    """Clients that are too fast, or too regular, for a person."""
    asked = (events["what"] & FILE) == 0
    client, start = inverse[asked], events["start_us"][asked]
    fast, steady = np.zeros(clients, bool), np.zeros(clients, bool)
    many = np.flatnonzero(np.bincount(client, minlength=clients) >= _MANY)
    for one in many:
        low, high = np.searchsorted(client, (one, one + 1))
        pauses = np.diff(start[low:high])
        pauses = pauses[pauses < _PAUSE_US]
        if len(pauses) >= _MANY // 2:
            fast[one] = np.median(pauses) < _FAST_US
            steady[one] = pauses.mean() > 0 and pauses.std() < _STEADY * pauses.mean()
    return fast, steady
