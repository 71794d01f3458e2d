"""The order of seconds and losses, with agents that say exactly what the test wants."""

from __future__ import annotations

import queue
from typing import Any, cast

import pytest

from loadstone.measure import remote_run
from loadstone.measure.agent_link import Clock, Link, Said
from loadstone.measure.remote_run import RemoteRun, Slice

HELLO = {"hostname": "h", "cores": 1, "kernel": "k", "python": "3.11"}
EMPTY: dict[str, list[int]] = {"bucket": [], "count": []}


class Quiet:
    """A link to nobody."""

    silent_s = 15.0

    def __init__(self, host: str) -> None:
        self.host = host
        self.sent: list[dict[str, Any]] = []
        self.closed = False

    def send(self, message: dict[str, Any]) -> None:
        self.sent.append(message)

    def close(self, wait_s: float = 0) -> None:
        self.closed = True

    def last_words(self) -> str:
        return "it ended with 9"


class Stage:
    """Run number 3 of agents `a` and `b`."""

    def __init__(self, early: list[Said] | None = None) -> None:
        self.links = {host: Quiet(host) for host in "ab"}
        self.inbox: queue.SimpleQueue[Said] = queue.SimpleQueue()
        slices = [Slice(cast(Link, link), Clock(0, 0), HELLO, 2) for link in self.links.values()]
        self.run = RemoteRun(3, 1000.0, slices, self.inbox, early or [])
        self.run.events()

    def say(self, host: str, message: dict[str, Any] | None, number: int = 3) -> None:
        said = None if message is None else {"run": number, **message}
        self.inbox.put((cast(Link, self.links[host]), said))

    def window(self, host: str, second: int, requests: int = 1, number: int = 3) -> None:
        self.say(host, {"window": window(second, requests)}, number)

    def end(self, host: str, outcome: str = "complete", ended_s: float = 9.0) -> None:
        self.say(host, {"summary": summary(outcome, ended_s)})

    def seconds(self) -> list[tuple[int, int]]:
        found = []
        while (window := self.run.next(0)) is not None:
            found.append((window["second"], window["requests"]))
        return found


def window(second: int, requests: int) -> dict[str, Any]:
    connections = ["connections", "connects", "reconnects", "closed_idle", "closed_with_answer", "waits"]
    zeros = dict.fromkeys([*connections, "in_flight", "bytes_in", "bytes_out"], 0)
    return {
        "second": second,
        "users": 1,
        "requests": requests,
        **zeros,
        "users_s": 0.75,
        "sessions_s": 0.25,
        "cpu_user_s": 0.5,
        "cpu_sys_s": 0.25,
        "control": EMPTY,
        "control_cpu_s": 0.0,
        "wake_lag": EMPTY,
        "sessions": [],
        "operations": [],
    }


def summary(outcome: str, ended_s: float) -> dict[str, Any]:
    return {"outcome": outcome, "ended_s": ended_s, "threads": 2, "examples": [example(ended_s)]}


def example(at_s: float) -> dict[str, Any]:
    return {"operation": "Home", "of": "status", "at_s": at_s, "said": "GET /: status 500"}


def test_a_second_waits_for_all_that_run() -> None:
    stage = Stage()
    stage.window("a", 0)
    stage.window("a", 1)
    assert stage.seconds() == []
    stage.window("b", 0, 5)
    assert stage.seconds() == [(0, 6)]
    stage.end("b")
    assert stage.seconds() == [(1, 1)], "one that has ended is not waited for"
    assert stage.run.summary() is None
    stage.end("a", ended_s=9.5)
    assert stage.seconds() == []
    ended = stage.run.summary()
    assert ended is not None
    assert (ended["outcome"], ended["ended_s"], ended["threads"]) == ("complete", 9.5, 4)
    assert ended["examples"] == [example(9.0)], "the first of all agents"


def test_each_agents_own_figures_stay() -> None:
    stage = Stage()
    stage.window("a", 0, 2)
    stage.window("b", 0, 3)
    found = stage.run.next(0)
    assert found is not None
    assert found["agents"]["b"] == {
        "users": 1, "in_flight": 0, "requests": 3, "cpu_s": 0.75, "wake_lag": EMPTY, "hooks_cpu_s": 0,
    }  # fmt: skip
    assert (found["users"], found["cpu_user_s"]) == (2, 1.0)
    assert (found["users_s"], found["sessions_s"]) == (1.5, 0.5)


def test_a_lost_agent_keeps_nobody_waiting() -> None:
    stage = Stage()
    for second in range(2):
        stage.window("a", second)
    stage.window("b", 0)
    stage.say("b", None)
    assert stage.seconds() == [(0, 2), (1, 1)]
    [event] = stage.run.events()
    assert (event["agent"], event["second"], event["reason"]) == ("b", 1, "it ended with 9")
    assert stage.links["b"].closed
    stage.window("b", 1)
    assert stage.seconds() == [], "what comes after that is not counted"
    stage.end("a")
    stage.seconds()
    ended = stage.run.summary()
    assert ended is not None and ended["outcome"] == "complete"


def test_all_are_lost() -> None:
    stage = Stage()
    stage.window("a", 0)
    for host in "ab":
        stage.say(host, None)
    assert stage.seconds() == [(0, 1)]
    ended = stage.run.summary()
    assert ended is not None
    assert (ended["outcome"], ended["ended_s"], ended["agents"]) == ("agents-lost", 1.0, {})


def test_one_that_is_cut_off_from_the_service_is_lost() -> None:
    stage = Stage()
    stage.end("b", "unreachable", 3.0)
    assert stage.seconds() == [] and stage.run.events() == [], "nobody knows yet whose fault it is"
    stage.window("a", 0, 0)
    stage.window("a", 1, 4)
    assert stage.seconds() == [(0, 0), (1, 4)]
    [event] = stage.run.events()
    assert (event["agent"], event["reason"]) == ("b", "it never got a connection to the service")
    stage.end("a")
    stage.seconds()
    ended = stage.run.summary()
    assert ended is not None and ended["outcome"] == "complete"


def test_nobody_reaches_the_service() -> None:
    stage = Stage()
    for host in "ab":
        stage.end(host, "unreachable", 3.0)
    stage.seconds()
    ended = stage.run.summary()
    assert ended is not None and ended["outcome"] == "unreachable"
    assert stage.run.events() == []


def test_an_earlier_run_is_not_this_one() -> None:
    stage = Stage()
    stage.window("a", 0, 7, number=2)
    stage.window("a", 0)
    stage.window("b", 0)
    assert stage.seconds() == [(0, 2)]


def test_silence_is_counted_from_when_it_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.5
    monkeypatch.setattr(remote_run.time, "monotonic", lambda: now)
    stage = Stage()
    assert stage.seconds() == []
    now = 1500.0  # we were held up ourselves, and hear late what was said in time
    stage.window("a", 0)
    stage.window("b", 0)
    assert stage.seconds() == [(0, 2)] and stage.run.events() == []
    now += Quiet.silent_s - 1
    stage.window("a", 1)
    stage.seconds()
    assert stage.run.events() == []
    now += 2
    stage.window("a", 2)
    assert stage.seconds() == [(1, 1), (2, 1)]
    [event] = stage.run.events()
    assert event["agent"] == "b" and "nothing was heard" in event["reason"]


def test_stop_is_told_to_those_that_run() -> None:
    stage = Stage()
    stage.end("b")
    stage.seconds()
    stage.run.stop()
    assert (stage.links["a"].sent, stage.links["b"].sent) == ([{"stop": 3}], [])
    stage.end("a", "stopped")
    stage.seconds()
    ended = stage.run.summary()
    assert ended is not None and ended["outcome"] == "stopped"
