"""Something breaks under load: what is lost, how long it takes to be noticed, how long until all is well."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass

from loadstone.errors import LoadstoneError
from loadstone.study.balancers import timeline as course_of
from loadstone.study.balancers import trouble
from loadstone.study.balancers.capture import Captured, capturing
from loadstone.study.balancers.description import Faults
from loadstone.study.balancers.exchanges import Exchange, Seen, observe
from loadstone.study.balancers.places import ASKED
from loadstone.study.balancers.site import SERVERS
from loadstone.study.balancers.throughput import warm
from loadstone.study.balancers.trouble import Trouble
from loadstone.study.bench import Bench
from loadstone.study.offered import Json, Offered, follow, steady


def fault(bench: Bench, balancer: str, kind: str, wanted: Faults, seed: int) -> Json:
    """One kind of trouble with one balancer, in the middle of a steady load; mended at the end.

    LoadstoneError `trouble`, `no-process`, and those of `capturing`, `follow` and `Bench.set`.
    """
    bench.set(balancer)
    warm(bench, balancer, seed)
    happens = _trouble(bench, balancer, kind, wanted)
    client, front = bench.clients[0], bench.target(balancer)
    ports = f"tcp port {front.port} or tcp port {bench.site.service(SERVERS).port}"
    seconds = wanted.before_s + wanted.during_s + wanted.after_s
    plan = steady(
        front, users=wanted.users, pause_s=wanted.pause_ms / 1000, seconds=seconds, seed=seed,
        timeout_s=wanted.timeout_s,
    )  # fmt: skip
    box = bench.host(balancer)
    watched = {client: box, happens.victim: client if happens.victim == box else box}
    with capturing(bench.ssh, watched, ports) as capture:
        run = bench.fleets(1).start(json.dumps(plan))
        course = _Course(happens, wanted)
        try:
            offered = follow(run, 1, course.look)
        finally:
            course.mend()
        captured = capture.stop()
    return _figures(bench, balancer, offered, course, captured)


def _trouble(bench: Bench, balancer: str, kind: str, wanted: Faults) -> Trouble:
    victim = bench.servers(SERVERS)[1]
    match kind:
        case "server-killed":
            return trouble.server_killed(bench, victim)
        case "server-cut":
            return trouble.server_cut(bench, victim)
        case "lossy-link":
            return trouble.lossy_link(bench, balancer, victim, wanted.loss)
        case "drained":
            return trouble.drained(bench, balancer, victim)
        case "balancer-killed":
            return trouble.balancer_killed(bench, balancer)
    raise ValueError(kind)


@dataclass
class _Step:
    """Something done to a host, by our clock."""

    before_ns: int
    after_ns: int


class _Course:
    """When the trouble begins and ends, in the course of a run."""

    def __init__(self, happens: Trouble, wanted: Faults) -> None:
        self._happens = happens
        self._wanted = wanted
        self.victim = happens.victim
        self.begun: _Step | None = None
        self.mended: _Step | None = None

    def look(self, seconds: int) -> None:
        """Is called several times a second with how many seconds of the run there are."""
        if self.begun is None and seconds >= self._wanted.before_s:
            self.begun = _timed(self._happens.begin)
        elif self.begun and time.time_ns() - self.begun.before_ns >= self._wanted.during_s * 1e9:
            self.mend()

    def mend(self) -> None:
        """Ends the trouble, where it began and did not end yet."""
        if self.begun and self.mended is None:
            self.mended = _timed(self._happens.end)


def _timed(work: Callable[[], None]) -> _Step:
    before = time.time_ns()
    work()
    return _Step(before, time.time_ns())


def _figures(
    bench: Bench, balancer: str, offered: Offered, course: _Course, captured: dict[str, Captured]
) -> Json:
    begun, mended = course.begun, course.mended
    if begun is None or mended is None:
        raise LoadstoneError("trouble", "the run ended before the trouble began")
    client, victim = bench.clients[0], course.victim
    entry = bench.target(balancer)
    servers = (
        {(entry.address, entry.port)} if victim == bench.host(balancer) else set(bench.endpoints(SERVERS))
    )
    at_client = observe(captured[client].segments, lambda one: one == (entry.address, entry.port))
    # Other balancers ask for the victim's health, too.
    peer = bench.ssh.address(client if victim == bench.host(balancer) else bench.host(balancer))
    heard = [one for one in captured[victim].segments if peer in (one.source[0], one.target[0])]
    at_victim = observe(heard, servers.__contains__)
    asked, met = _asked(at_client), _asked(at_victim)
    start_ns = asked[0].asked_ns if asked else 0
    here, there = (trouble.clock_ahead_ns(bench.ssh, host) for host in (client, victim))
    middle_ns = (begun.before_ns + begun.after_ns) // 2
    return offered.figures() | {
        "lost": sum(offered.failed.values()),
        "victim": victim,
        "begun_s": (middle_ns + here - start_ns) / 1e9,
        "begun_uncertain_s": (begun.after_ns - begun.before_ns) / 2e9,
        "mended_s": (mended.after_ns + here - start_ns) / 1e9,
        "noticed_s": course_of.noticed_s(at_victim, met, middle_ns + there, mended.before_ns + there),
        "back_s": course_of.back_s(met, middle_ns + there, mended.after_ns + there),
        "silence_s": course_of.silence_s(at_client, asked),
        "before_ms": course_of.spans_ms(asked, start_ns, begun.before_ns + here),
        "during_ms": course_of.spans_ms(asked, begun.before_ns + here, mended.after_ns + here),
        "repeated_segments": at_client.repeated + at_victim.repeated,
        "packets_dropped": sum(one.dropped for one in captured.values()),
        "timeline": course_of.timeline(at_client, asked, start_ns),
    }


def _asked(seen: Seen) -> list[Exchange]:
    return [one for one in seen.exchanges if one.request.startswith(ASKED)]
