"""Servers that come and go by a policy, with hands that start nothing; and what the record says of them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from loadstone.errors import LoadstoneError
from loadstone.judge import Measurement, OperationSeries
from loadstone.judge.elastic import elasticity
from loadstone.measure.policies import Reading, policy_of
from loadstone.measure.servers import Busy, Servers
from loadstone.scenario import Scaling

HOSTS = ("web1", "web2", "web3", "web4")


@dataclass
class Hands:
    """Writes down what it is asked for; does it when it is let."""

    done: list[str] = field(default_factory=list)
    go: threading.Event = field(default_factory=threading.Event)
    refuses: bool = False

    def add(self, host: str) -> float:
        assert self.go.wait(60)
        if self.refuses:
            raise LoadstoneError("service-failed", "no room")
        self.done.append(f"+{host}")
        return 1.5

    def remove(self, host: str) -> None:
        assert self.go.wait(60)
        self.done.append(f"-{host}")


@dataclass
class Kept:
    """A journal."""

    events: list[dict[str, Any]] = field(default_factory=list)

    def event(self, kind: str, **details: Any) -> None:
        self.events.append({"kind": kind, **details})

    def told(self) -> list[tuple[str, int]]:
        return [(one["kind"], one["servers"]) for one in self.events]


def quiet(_: str) -> None:
    """Says nothing."""


@dataclass
class Clock:
    """The time of a run, as the test has it."""

    now: float = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    clock = Clock()
    monkeypatch.setattr("loadstone.measure.servers.time.monotonic", clock.monotonic)
    yield clock


def settled(servers: Servers) -> None:
    """Waits for a change that is under way."""
    if servers._work:
        servers._work.result(60)


def run(servers: Servers, clock: Clock, seconds: int, busy: dict[str, float]) -> Kept:
    """So many seconds of a run; each host is as busy as `busy` says, by its number of processors."""
    kept, began = Kept(), clock.now
    for _ in range(seconds):
        clock.now += 1
        for host, cores in busy.items():
            servers.hear(host, clock.now, cores)
        servers.write(kept, quiet, began)
        settled(servers)
    servers.end(kept, quiet, began)
    return kept


def test_a_schedule_is_kept_to(clock: Clock) -> None:
    steps = [{"at_s": 3.0, "servers": 3}, {"at_s": 6.0, "servers": 1}]
    scaling = Scaling(service="app", policy="schedule", step=steps)  # type: ignore[arg-type]
    hands, away = Hands(), dict[str, bool]()
    hands.go.set()
    servers = Servers(scaling, HOSTS, hands, away=away.__setitem__)
    kept = run(servers, clock, 8, {})
    assert hands.done == ["+web2", "+web3", "-web3", "-web2"]
    assert kept.told() == [
        ("servers", 1), ("server-added", 2), ("server-added", 3), ("server-removed", 2),
        ("server-removed", 1),
    ]  # fmt: skip
    assert [one["at_s"] for one in kept.events] == [0, 3, 3, 6, 6]
    assert away == {"web2": True, "web3": True}


def test_servers_come_with_the_load_and_go_after_a_while(clock: Clock) -> None:
    scaling = Scaling(
        service="app", policy="target-utilisation", target=0.5, most=3, every_s=2.0, cool_down_s=10.0
    )
    hands = Hands()
    hands.go.set()
    servers = Servers(scaling, HOSTS, hands, Busy(dict.fromkeys(HOSTS, 2.0)))
    first = run_part(servers, clock, 6, dict.fromkeys(HOSTS, 1.9))
    assert hands.done == ["+web2", "+web3"], "no more than the bound"
    second = run_part(servers, clock, 5, dict.fromkeys(HOSTS, 0.1))
    assert hands.done == ["+web2", "+web3"], "it cools down first"
    third = run_part(servers, clock, 12, dict.fromkeys(HOSTS, 0.1))
    assert hands.done[2:] == ["-web3", "-web2"]
    assert [one.told() for one in (first, second, third)][1] == []


BEGAN = 1000.0


def run_part(servers: Servers, clock: Clock, seconds: int, busy: dict[str, float]) -> Kept:
    """A part of one run."""
    kept = Kept()
    for _ in range(seconds):
        clock.now += 1
        for host, cores in busy.items():
            servers.hear(host, clock.now, cores)
        servers.write(kept, quiet, BEGAN)
        settled(servers)
        servers.write(kept, quiet, BEGAN)
    return kept


def test_nothing_is_decided_while_a_server_is_silent(clock: Clock) -> None:
    scaling = Scaling(service="app", policy="target-utilisation", target=0.5, start=2, every_s=1.0)
    hands = Hands()
    servers = Servers(scaling, HOSTS, hands, Busy(dict.fromkeys(HOSTS, 1.0)))
    assert run(servers, clock, 9, {"web1": 1.0}).told() == [("servers", 2)]


def test_what_fails_is_told_and_tried_again(clock: Clock) -> None:
    scaling = Scaling(service="app", policy="schedule", step=[{"at_s": 2.0, "servers": 2}])  # type: ignore[list-item]
    hands = Hands(refuses=True)
    hands.go.set()
    servers = Servers(scaling, HOSTS, hands)
    kept = run_part(servers, clock, 3, {})
    assert [kind for kind, _ in kept.told()] == ["servers", "scaling-failed", "scaling-failed"]
    assert "no room" in kept.events[1]["note"]
    hands.refuses = False
    assert run_part(servers, clock, 1, {}).told() == [("server-added", 2)]


def test_no_second_change_begins_before_the_first_is_done(clock: Clock) -> None:
    steps = [{"at_s": 1.0, "servers": 2}, {"at_s": 2.0, "servers": 1}]
    scaling = Scaling(service="app", policy="schedule", step=steps)  # type: ignore[arg-type]
    hands, kept = Hands(), Kept()
    servers = Servers(scaling, HOSTS, hands)
    for _ in range(5):
        clock.now += 1
        servers.write(kept, quiet, BEGAN)
    assert hands.done == []
    hands.go.set()
    settled(servers)
    servers.write(kept, quiet, BEGAN)
    servers.end(kept, quiet, BEGAN)
    assert hands.done == ["+web2", "-web2"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"policy": "schedule"},
        {"policy": "target-utilisation"},
        {"target": 0.5},
        {"cool_down_s": 3.0},
        {"least": 3, "most": 2},
        {"start": 1, "least": 2},
        {"policy": "schedule", "step": [{"at_s": 5.0, "servers": 1}, {"at_s": 5.0, "servers": 2}]},
        {"policy": "schedule", "most": 2, "step": [{"at_s": 5.0, "servers": 3}]},
    ],
)
def test_what_contradicts_itself_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Scaling.model_validate({"service": "app", **wrong})


def test_none_is_as_many_as_it_begins_with() -> None:
    policy = policy_of(Scaling(service="app", start=3, most=4))
    assert policy.wanted(Reading(50, 3, 0, 1.0)) == 3


def series(name: str, count: list[float], late: list[float]) -> OperationSeries:
    zeros = np.zeros(len(count))
    return OperationSeries(name, 1.0, np.array(count), {}, np.array(late), zeros, {})


def test_the_record_has_windows_and_machine_hours() -> None:
    events = [
        {"kind": "servers", "at_s": 0, "servers": 1, "service": "app", "policy": "schedule", "least": 1,
         "most": 3},
        {"kind": "server-added", "at_s": 14.0, "asked_s": 10.0, "start_s": 3.0, "servers": 2, "host": "web2"},
        {"kind": "server-removed", "at_s": 30.0, "asked_s": 27.0, "servers": 1, "host": "web2"},
    ]  # fmt: skip
    seconds = 24
    none = np.zeros(seconds)
    measurement = Measurement(
        start_s=10.0, end_s=34.0, settled_s=10.0, users=np.arange(seconds, dtype=float), requests=none,
        bytes_in=none, bytes_out=none, cpu_s=none, threads=1,
        operations=(
            series("Home", [10.0] * seconds, [2.0] * 10 + [0.0] * 14),
            series("Event", [0.0] * 10 + [10.0] * 14, [0.0] * 24),
        ),
    )  # fmt: skip
    found = elasticity(events, measurement, 10, 40.0)
    assert found and [(one.start_s, one.end_s) for one in found.windows] == [(10, 20), (20, 34)]
    first, second = found.windows
    assert (first.within, first.kept) == (
        {"Home": 0.8, "Event": None},
        {"SLA-1": False, "SLA-2": False},
    )
    assert second.kept == {"SLA-1": True, "SLA-2": True}
    assert (first.servers, first.users) == (1 * 0.4 + 2 * 0.6, 4.5)
    # web1 for 40 s, web2 from when it was asked for until it had ended.
    assert found.machine_h * 3600 == pytest.approx(40 + 20)
    assert found.fixed_machine_h * 3600 == pytest.approx(3 * 40)
    assert found.saved_share == pytest.approx(0.5)
    assert [(one.host, one.asked_s, one.serving_s, one.start_s) for one in found.started] == [
        ("web2", 10.0, 14.0, 3.0)
    ]
    assert elasticity([], measurement, 10, 40.0) is None
