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
        self.within = np.zeros((count, len(BOUNDS_S)))
        """Right answers at most as late as each of the bounds."""
        self.sum_s = np.zeros(count)
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
            if one["response"]["bucket"]:
                times_s = midpoints_us(one["response"]["bucket"]) / 1e6
                counts = np.asarray(one["response"]["count"], dtype=np.float64)
                self.sum_s[at] += float(times_s @ counts)
                self.within[at] += [float(counts[times_s <= bound].sum()) for bound in BOUNDS_S]
        for name in self.totals:
            self.totals[name] += window[name]
        self.now = {
            "second": window["second"] + 1,
            "users": window["users"],
            "in_flight": window["in_flight"],
        }
