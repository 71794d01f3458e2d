"""The figures of a run that are shown while it goes on, from the lines of its journal."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from loadstone.intake import Kind, read_object
from loadstone.judge import CAUSES, Histogram
from loadstone.judge.offered import CHANGED
from loadstone.record.failures import EXAMPLE
from loadstone.record.folder import workload_file
from loadstone.stages.run import Failure
from loadstone.unit import Unit

RECENT_S = 5
"""Rates and percentiles on show are those of the last seconds: steadier to read than of one."""

_KIND = Kind("run-folder", "a record of a run", 64 << 20)

QUANTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99}


@dataclass(frozen=True, slots=True)
class Second:
    """One second of the load. Rates and percentiles are those of the last `RECENT_S` seconds."""

    second: int
    phase: str
    """`ramp-up`, `steady` or `ramp-down`."""
    load: int
    """Users, sessions that live, or requests that wait or are under way, at its end."""
    waiting: int
    """Those of them that wait for an answer."""
    ok_per_s: float
    """Right answers."""
    requests_per_s: float
    failed_per_s: float
    failed: int
    """Operations that failed since the run began."""
    dropped: int
    """Operations that were not sent since the run began."""
    p50_ms: float | None
    p90_ms: float | None
    p99_ms: float | None
    """None where fewer than one answer took longer: too few to tell."""


@dataclass(frozen=True, slots=True)
class Resources:
    """What processes of this machine, and hosts of the topology, needed in one second."""

    second: int
    cores: dict[str, float]
    """Mean cores busy, by role (`generator`, `sut`, `database`, `host`) or by name of a watched host."""
    bytes: dict[str, float]
    """Memory of each that is known."""


@dataclass
class Live:
    """What the journal of a run has said so far. `take` its lines in order."""

    plan: Mapping[str, Any]
    seconds: list[Second] = field(default_factory=list)
    resources: list[Resources] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """What happened, in sentences: changes by hand, services that died, agents that were lost."""
    wanted: float | None = None
    """The load that was asked for by hand last."""
    outcome: str | None = None
    """How the load ended, once it has."""
    _recent: deque[Mapping[str, Any]] = field(default_factory=lambda: deque(maxlen=RECENT_S))
    _failed: Counter[tuple[int, int]] = field(default_factory=Counter)
    _dropped: int = 0
    _examples: dict[tuple[str, str], Mapping[str, Any]] = field(default_factory=dict)

    @property
    def unit(self) -> Unit:
        """What the load is counted in."""
        return Unit.of(self.plan["load"])

    @property
    def total_s(self) -> float:
        """How long the run is to take. Sessions that still live at its end may make it longer."""
        load = self.plan["load"]
        return float(load["ramp_up_s"] + load["steady_s"] + load["ramp_down_s"])

    @property
    def left_s(self) -> float:
        """Seconds until then."""
        return max(0.0, self.total_s - (self.seconds[-1].second + 1 if self.seconds else 0))

    def take(self, line: Mapping[str, Any]) -> None:
        """One line of the journal."""
        if window := line.get("window"):
            self.window(window)
        elif hosts := line.get("hosts"):
            self.resources.append(_here(hosts))
        elif seen := line.get("seen"):
            self.resources.append(_watched(seen))
        elif event := line.get("event"):
            self._event(event)

    def window(self, window: Mapping[str, Any]) -> None:
        """One second as the engine has it."""
        self._recent.append(window)
        for one in window["operations"]:
            self._dropped += one["dropped"]
            for cause, count in enumerate(one["failed"]):
                if count:
                    self._failed[one["operation"], cause] += count
        operations = [one for recent in self._recent for one in recent["operations"]]
        seconds = len(self._recent)
        self.seconds.append(
            Second(
                second=window["second"],
                phase=self._phase(window["second"]),
                load=window["users"],
                waiting=window["in_flight"],
                ok_per_s=sum(one["ok"] for one in operations) / seconds,
                requests_per_s=sum(one["requests"] for one in self._recent) / seconds,
                failed_per_s=sum(sum(one["failed"]) for one in operations) / seconds,
                failed=self._failed.total(),
                dropped=self._dropped,
                **{f"{name}_ms": value for name, value in _percentiles(operations).items()},
            )
        )

    def failures(self) -> Iterator[Failure]:
        """By operation and cause with the first example, the most frequent first; of the whole run so far."""
        for (operation, cause), count in sorted(self._failed.items(), key=lambda one: (-one[1], one[0])):
            name, said = self.plan["operations"][operation]["name"], CAUSES[cause]
            first = self._examples.get((name, said), {})
            yield Failure(
                operation=name, cause=said, count=count, example=first.get("said"), at_s=first.get("at_s")
            )

    def _event(self, event: Mapping[str, Any]) -> None:
        match event["kind"]:
            case "end":
                self.outcome = str(event["outcome"])
            case kind if kind == EXAMPLE:
                self._examples[event["operation"], event["of"]] = event
            case kind if kind == CHANGED:
                self.wanted = float(event["load"])
        if note := event.get("note"):
            self.notes.append(str(note))

    def _phase(self, second: float) -> str:
        load = self.plan["load"]
        if second < load["ramp_up_s"]:
            return "ramp-up"
        return "steady" if second < load["ramp_up_s"] + load["steady_s"] else "ramp-down"


def live_of(folder: Path) -> Live:
    """Of the run in `folder`, of which nothing has been read yet. LoadstoneError `run-folder`."""
    return Live(read_object(workload_file(folder), _KIND))


def _percentiles(operations: list[Mapping[str, Any]]) -> dict[str, float | None]:
    """In ms, of all these together; without those that stand for less than one answer above them."""
    buckets = [bucket for one in operations for bucket in one["response"]["bucket"]]
    counts = [count for one in operations for count in one["response"]["count"]]
    times = Histogram.of(np.array(buckets, dtype=np.int64), np.array(counts))
    found: dict[str, float | None] = dict.fromkeys(QUANTILES)
    for name, share in QUANTILES.items():
        if times.count * (1 - share) >= 0.999 and (value := times.quantile_us(share)) is not None:
            found[name] = value / 1000
    return found


def _here(hosts: Mapping[str, Any]) -> Resources:
    roles = hosts["metrics"]
    memory = {role: of.get("rss_bytes", of.get("memory_used_bytes")) for role, of in roles.items()}
    return Resources(
        second=hosts["second"],
        cores={role: of["cpu_cores"] for role, of in roles.items() if "cpu_cores" in of},
        bytes={role: value for role, value in memory.items() if value is not None},
    )


def _watched(seen: Mapping[str, Any]) -> Resources:
    name, metrics = seen["host"], seen["metrics"]
    return Resources(
        second=seen["second"],
        cores={name: metrics["cpu_cores"]} if "cpu_cores" in metrics else {},
        bytes={name: metrics["memory_used_bytes"]} if "memory_used_bytes" in metrics else {},
    )
