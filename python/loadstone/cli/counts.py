"""What a run has done so far, counted from its seconds, for those that watch it from outside."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from loadstone.judge import CAUSES
from loadstone.judge.histogram import midpoints_us

BOUNDS_S = (
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0,
)  # fmt: skip
"""Upper bounds of the histogram's buckets."""
NOW = {
    "second": "Seconds of the run that have passed.",
    "users": "Users, or what lives of that which arrives.",
    "in_flight": "Operations under way.",
}
OPERATIONS = "Operations that ended, by how."
LATE = "Right answers after the limit."
DROPPED = "Operations that were not sent."
LIMIT = "The limit that the SLA sets."
RESPONSES = "Response times of right answers, from the intended start."
FIRST_BYTES = "Times to the first byte of right answers, from the actual start."


class Watcher(Protocol):
    """Is told what happens, as `loadstone.measure.Progress`."""

    def started(self, plan: Mapping[str, Any], folder: Path) -> None:
        """The run begins."""

    def window(self, window: Mapping[str, Any]) -> None:
        """One second has passed."""

    def note(self, text: str) -> None:
        """Something worth a line."""

    def ended(self) -> None:
        """The run is over."""


class Times:
    """How long right answers took: a histogram of each operation; arrays have an element an operation."""

    def __init__(self, operations: int) -> None:
        """Of none."""
        self.count, self.sum_s = np.zeros(operations), np.zeros(operations)
        self.within = np.zeros((operations, len(BOUNDS_S)))
        """Those at most as long as each of the bounds."""

    def add(self, operation: int, found: Mapping[str, Any]) -> None:
        """Adds the buckets that a second has of an operation."""
        if found["bucket"]:
            times_s = midpoints_us(found["bucket"]) / 1e6
            counts = np.asarray(found["count"], dtype=np.float64)
            self.count[operation] += float(counts.sum())
            self.sum_s[operation] += float(times_s @ counts)
            self.within[operation] += [float(counts[times_s <= bound].sum()) for bound in BOUNDS_S]

    def buckets(self, operation: int) -> list[int]:
        """How many are in each bucket, the last without a bound."""
        upto = np.append(self.within[operation], self.count[operation])
        return [int(one) for one in np.diff(upto, prepend=0.0)]


class Counts:
    """Sums over all seconds so far; arrays have an element an operation."""

    def __init__(self, plan: Mapping[str, Any]) -> None:
        """All zero, for the operations of the plan."""
        operations = plan["operations"]
        self.scenario = str(plan["name"])
        self.names = [str(one["name"]) for one in operations]
        self.limits_s = [float(one["limit_s"]) for one in operations]
        count = len(operations)
        self.ok = np.zeros(count)
        self.failed = np.zeros((count, len(CAUSES)))
        self.late, self.dropped = np.zeros(count), np.zeros(count)
        self.responses, self.first_bytes = Times(count), Times(count)
        self.totals = dict.fromkeys(("requests", "bytes_in", "bytes_out"), 0)
        self.now = dict.fromkeys(("second", "users", "in_flight"), 0)
        """Seconds that have passed, and what lives at the end of the last."""

    def add(self, window: Mapping[str, Any]) -> None:
        """Adds a second."""
        for one in window["operations"]:
            at = one["operation"]
            self.ok[at] += one["ok"]
            self.failed[at, : len(one["failed"])] += one["failed"]
            self.late[at] += one["late"]
            self.dropped[at] += one["dropped"]
            self.responses.add(at, one["response"])
            # Nobody has one where all operations failed, or only messages of WebSockets were awaited.
            self.first_bytes.add(at, one.get("first_byte", {"bucket": []}))
        for name in self.totals:
            self.totals[name] += window[name]
        self.now = {
            "second": window["second"] + 1,
            "users": window["users"],
            "in_flight": window["in_flight"],
        }
