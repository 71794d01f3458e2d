"""The parts of the study: the cases of each, and how a case is measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadstone.deploy import Site
from loadstone.measure import Interrupt
from loadstone.study.balancers import spread
from loadstone.study.balancers.description import Size
from loadstone.study.balancers.faults import fault
from loadstone.study.balancers.places import places
from loadstone.study.balancers.site import DIRECT, SERVERS, SITE, SMALL, UNEVEN, balancers_of, can, front_of
from loadstone.study.balancers.site_users import users
from loadstone.study.balancers.throughput import carry, carry_by_ab
from loadstone.study.bench import Bench
from loadstone.study.offered import Json
from loadstone.study.schedule import Case, StudyPart, Task

ALGORITHMS: tuple[dict[str, Any], ...] = (
    {"algorithm": "round-robin", "sticky": False},
    {"algorithm": "least-connections", "sticky": False},
    {"algorithm": "source-hash", "sticky": False},
    {"algorithm": "uri-hash", "sticky": False},
    {"algorithm": "round-robin", "sticky": True},
)
UNEVEN_WAYS: tuple[dict[str, Any], ...] = (
    {"algorithm": "round-robin", "weighted": False},
    {"algorithm": "round-robin", "weighted": True},
    {"algorithm": "least-connections", "weighted": False},
)

_START_S = 1.3
"""Of a measurement beside the load itself: a common start, counters, a new configuration."""
_PER_S = 6000
"""Requests a second that a plan of the study's time assumes; what it sees corrects it."""

Skipped = dict[str, str]
"""Parts that this site has nothing for, with the reason."""

Make = Callable[[Site, Size, Skipped], list[StudyPart]]


def parts(site: Site, size: Size, only: Sequence[str] | None) -> tuple[list[StudyPart], Skipped]:
    """What to measure of the site, in order; `only` names parts."""
    skipped: Skipped = {}
    made = [part for make in _MAKERS.values() for part in make(site, size, skipped)]
    wanted = [part for part in made if only is None or part.name in only]
    return wanted, {name: why for name, why in skipped.items() if only is None or name in only}


def _throughput(site: Site, size: Size, skipped: Skipped) -> list[StudyPart]:
    """One part for each number of generators: their repetitions may differ."""
    clients = sum(host.kind == "client" for host in site.topology.file.host)
    found = []
    for load in size.throughput:
        if load.generators > clients:
            skipped["throughput"] = f"{load.generators} generators need as many hosts of kind `client`"
            continue
        cases = [
            {"balancer": balancer, "generators": load.generators, "concurrency": users}
            for balancer in [DIRECT, *balancers_of(site)]
            for users in load.concurrency
        ]
        found.append(_part("throughput", cases, load.repetitions, load.requests))
    return found


def _peer(site: Site, size: Size, skipped: Skipped) -> list[StudyPart]:
    cases = [
        {"balancer": balancer, "concurrency": users, "generator": generator}
        for balancer in [DIRECT, *_closer(site, size)]
        for users in size.peer.concurrency
        for generator in ("loadstone", "ab")
    ]
    return [_part("peer", cases, size.peer.repetitions, size.peer.requests)]


def _segments(site: Site, size: Size, skipped: Skipped) -> list[StudyPart]:
    cases = [{"balancer": balancer} for balancer in [DIRECT, *balancers_of(site)]]
    return [StudyPart("segments", cases, size.segments.repetitions, size.segments.steady_s + 2.5)]


def _spread(site: Site, size: Size, skipped: Skipped) -> list[StudyPart]:
    cases = [
        {"balancer": balancer, **settings}
        for balancer in _closer(site, size)
        for settings in ALGORITHMS
        if can(site, balancer, **settings)
    ]
    return [_part("spread", cases, size.spread.repetitions, size.spread.requests)]


def _uneven(site: Site, size: Size, skipped: Skipped) -> list[StudyPart]:
    if UNEVEN not in site.services:
        skipped["uneven"] = f"the topology has no service `{UNEVEN}`"
        return []
    cases = [
        {"balancer": balancer, **way}
        for balancer in _closer(site, size)
        for way in UNEVEN_WAYS
        if can(site, balancer, backends=UNEVEN, algorithm=way["algorithm"])
    ]
    return [_part("uneven", cases, size.uneven.repetitions, size.uneven.requests)]


def _reuse(site: Site, size: Size, skipped: Skipped) -> list[StudyPart]:
    able = [balancer for balancer in _closer(site, size) if can(site, balancer, reuse=False)]
    cases = [{"balancer": balancer, "reuse": kept} for balancer in able for kept in (True, False)]
    return [_part("reuse", cases, size.reuse.repetitions, size.reuse.requests)]


def _growth(site: Site, size: Size, skipped: Skipped) -> list[StudyPart]:
    if SMALL not in site.services:
        skipped["growth"] = f"the topology has no service `{SMALL}`"
        return []
    counts = range(1, len(site.service(SMALL).hosts) + 1)
    cases = [{"balancer": balancer, "servers": count} for balancer in _closer(site, size) for count in counts]
    return [_part("growth", cases, size.growth.repetitions, 3 * size.growth.requests)]


def _faults(site: Site, size: Size, skipped: Skipped) -> list[StudyPart]:
    if len(site.service(SERVERS).hosts) < 2:
        skipped["faults"] = "there is one server only"
        return []
    cases = [
        {"balancer": balancer, "fault": kind}
        for balancer in _closer(site, size)
        for kind in size.faults.kinds
    ]
    wanted = size.faults
    return [
        StudyPart("faults", cases, wanted.repetitions, 3 + wanted.before_s + wanted.during_s + wanted.after_s)
    ]


def _site(site: Site, size: Size, skipped: Skipped) -> list[StudyPart]:
    wanted = size.site
    if wanted is None:
        return []
    if SITE not in site.services:
        skipped["site"] = f"the topology has no service `{SITE}`"
        return []
    balancer = front_of(site, SITE)
    counts = range(1, len(site.service(SITE).hosts) + 1)
    cases = [{"balancer": balancer, "servers": count} for count in counts]
    search_s = wanted.runs * (wanted.ramp_up_s + wanted.window_s + _RENEW_S)
    return [StudyPart("site", cases, wanted.repetitions, search_s)]


_RENEW_S = 6.0
"""A run of a search needs new data and a start before it."""

_MAKERS: dict[str, Make] = {
    "throughput": _throughput,
    "peer": _peer,
    "segments": _segments,
    "spread": _spread,
    "uneven": _uneven,
    "reuse": _reuse,
    "growth": _growth,
    "faults": _faults,
    "site": _site,
}
NAMES = tuple(_MAKERS)
"""Of all parts, in the order they are measured."""


def _closer(site: Site, size: Size) -> list[str]:
    """Balancers that all parts look at."""
    return balancers_of(site)[: size.closer]


def _part(name: str, cases: Sequence[Case], repetitions: int, requests: int) -> StudyPart:
    return StudyPart(name, cases, repetitions, _START_S + requests / _PER_S)


@dataclass(frozen=True)
class Performer:
    """Measures tasks on a bench."""

    bench: Bench
    size: Size
    seed: int
    folder: Path
    interrupt: Interrupt

    def __call__(self, task: Task) -> dict[str, Any]:
        """The figures of a task. Errors are those of what it does."""
        seed = self.seed + task.repetition
        case = dict(task.case)
        balancer = case.pop("balancer")
        measure: dict[str, Callable[[str, Mapping[str, Any], int], Json]] = {
            "throughput": self._throughput,
            "peer": self._peer,
            "segments": self._segments,
            "site": self._site,
            "spread": lambda name, case, seed: spread.by_algorithm(
                self.bench, name, case, self.size.spread, seed
            ),
            "uneven": lambda name, case, seed: spread.uneven(self.bench, name, case, self.size.uneven, seed),
            "reuse": lambda name, case, seed: spread.reuse(
                self.bench, name, case["reuse"], self.size.reuse, seed
            ),
            "growth": lambda name, case, seed: spread.growth(
                self.bench, name, case["servers"], self.size.growth, seed
            ),
            "faults": lambda name, case, seed: fault(self.bench, name, case["fault"], self.size.faults, seed),
        }
        return measure[task.part](balancer, case, seed)

    def _site(self, balancer: str, case: Mapping[str, Any], seed: int) -> Json:
        assert self.size.site is not None  # there is no such part without
        count = case["servers"]
        # A search that failed before left its runs: each try has a folder of its own.
        tries = len(list(self.folder.glob(f"site/{count}-servers-*")))
        folder = self.folder / "site" / f"{count}-servers-{tries + 1}"
        return users(self.bench, count, self.size.site, seed, folder, self.interrupt)

    def _throughput(self, balancer: str, case: Mapping[str, Any], seed: int) -> Json:
        self.bench.set(balancer)
        (load,) = [one for one in self.size.throughput if one.generators == case["generators"]]
        return carry(self.bench, balancer, **case, requests=load.requests, seed=seed)

    def _peer(self, balancer: str, case: Mapping[str, Any], seed: int) -> Json:
        self.bench.set(balancer)
        users, requests = case["concurrency"], self.size.peer.requests
        if case["generator"] == "ab":
            return carry_by_ab(self.bench, balancer, concurrency=users, requests=requests)
        return carry(self.bench, balancer, generators=1, concurrency=users, requests=requests, seed=seed)

    def _segments(self, balancer: str, case: Mapping[str, Any], seed: int) -> Json:
        self.bench.set(balancer)
        return places(self.bench, balancer, self.size.segments, seed)
