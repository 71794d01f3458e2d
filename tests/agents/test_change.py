"""The load of a run that agents make is changed by hand: by all at one instant, or by none."""

from __future__ import annotations

import json
import queue
import signal
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from following import eventually
from local_hosts import LocalHosts
from test_loss import Deed, run
from walked import Walked

from loadstone.errors import LoadstoneError
from loadstone.measure import remote_run
from loadstone.measure.agent_link import Clock, Link
from loadstone.measure.agents import fleet
from loadstone.measure.control import ask
from loadstone.measure.remote_run import RemoteRun, Slice
from loadstone.unit import Unit


class Asking(Deed):
    """Asks for another load at the third second, as `loadstone set` does: from a thread of its own."""

    def __init__(self, folder: Path, load: float) -> None:
        self.said: list[str] = []
        self._folder, self._load = folder, load
        super().__init__(self._begin)

    def _begin(self) -> None:
        import threading

        threading.Thread(target=self._ask, daemon=True).start()

    def _ask(self) -> None:
        try:
            self.said.append(f"{ask(self._folder, Unit.USERS, self._load):.3f}")
        except LoadstoneError as error:
            self.said.append(str(error))


def test_all_change_at_one_instant_and_everybody_is_told(
    hosts: LocalHosts, site: Walked, tmp_path: Path
) -> None:
    asking = Asking(tmp_path / "run", 14)
    result = run(tmp_path / "run", site, hosts, asking, steady_s=8.0)
    [event] = [event for event in result.events if event.kind == "load-changed"]
    [at_s] = asking.said
    assert event.note is not None and "the load was changed by hand to 14 users from" in event.note
    assert result.changed and event.note in result.warnings and 3 <= float(at_s) < 8
    assert {agent.host: agent.users for agent in result.agents} == {"one": 7, "two": 7}
    assert not [event for event in result.events if event.kind == "agent-late"], result.events
    walked = {user for user, operations in site.walks.items() if operations}
    assert walked == set(range(14)), "each has the slice that it would have had from the beginning"


def test_a_rate_changes_as_one(hosts: LocalHosts, site: Walked) -> None:
    plan = site.plan(steady_s=6.0)
    del plan["load"]["users"]
    plan["load"] |= {"requests_per_s": 20.0, "connections": 8}
    with fleet(hosts, ["one", "two"]) as engine:
        remote = engine.start(json.dumps(plan))
        eventually(lambda: remote.next(0.1) is not None, "no second")
        at_s = remote.change(60.0)
        windows, summary = follow_on(remote)
    assert summary["outcome"] == "complete"
    full = [one["arrived"] for one in windows if at_s + 1 <= one["second"] < 5]
    assert full and all(55 <= arrived <= 65 for arrived in full), (at_s, windows)
    # Together they still make each arrival once.
    users = [user for user, operations in site.walks.items() for _ in operations]
    assert len(users) == len(set(users))


def follow_on(remote: RemoteRun) -> tuple[list[dict[str, Any]], Mapping[str, Any]]:
    """As `follow`, of a run of which some seconds were taken."""
    windows = []
    while (summary := remote.summary()) is None:
        if window := remote.next(0.2):
            windows.append(window)
    return windows, summary


def test_a_lost_agent_is_the_reason_why_not(hosts: LocalHosts, site: Walked) -> None:
    with fleet(hosts, ["one", "two"]) as engine:
        remote = engine.start(json.dumps(site.plan(steady_s=600.0)))
        with pytest.raises(ValueError, match=r"agent one: 3\.5 is no number of users"):
            remote.change(3.5)
        hosts.started["two"][0].kill()
        eventually(
            lambda: any(e["kind"] == "agent-lost" for e in (remote.next(0.1), remote.events())[1]), "lost"
        )
        with pytest.raises(ValueError, match="the load cannot be changed: agent two was lost: it ended"):
            remote.change(12)
        remote.stop()
        follow_on(remote)
        with pytest.raises(ValueError, match="agent one has ended its part of the run"):
            remote.change(12)


def test_an_agent_that_says_nothing_is_the_reason_why_not(
    hosts: LocalHosts, site: Walked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote_run, "_ANSWER_S", 0.5)
    with fleet(hosts, ["one", "two"]) as engine:
        remote = engine.start(json.dumps(site.plan(steady_s=600.0)))
        process = hosts.started["two"][0]
        process.send_signal(signal.SIGSTOP)
        with pytest.raises(ValueError, match=r"agent two: it did not answer within 0\.5 s"):
            remote.change(12)
        process.send_signal(signal.SIGCONT)
        eventually(lambda: (remote.next(0.1) or {"users": 0})["users"] == 8, "nothing has changed")
        remote.stop()
        follow_on(remote)


class Scripted:
    """The wire of an agent that answers as it is told to."""

    silent_s, alive = 15.0, True

    def __init__(self, host: str, inbox: Any, answers: Mapping[str, Any]) -> None:
        self.asked: list[dict[str, Any]] = []
        self.link: Any = type(
            "L", (), {"host": host, "silent_s": 15.0, "send": self.send, "close": self.close}
        )()
        self._inbox, self._answers = inbox, answers

    def send(self, message: dict[str, Any]) -> None:
        self.asked.append(message)
        key = "may" if "may" in message else "late" if message["at_s"] is None else "change"
        if said := self._answers.get(key):
            self._inbox.put((self.link, {"run": 1, **said}))

    def close(self, wait_s: float = 0.0) -> None:
        """Nothing to end."""


HELLO = {"hostname": "h", "cores": 1, "kernel": "k", "python": "3"}
GOOD = {"may": {"may": 5.0}, "change": {"changed": 2.0}}


def scripted(*answers: Mapping[str, Any]) -> tuple[RemoteRun, list[Scripted]]:
    inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
    agents = [Scripted(f"h{number}", inbox, one) for number, one in enumerate(answers)]
    slices = [Slice(agent.link, Clock(0.0, 0.001), HELLO, 1) for agent in agents]
    run = RemoteRun(1, time.monotonic(), slices, inbox)
    run.events()
    return run, agents


def test_nobody_changes_where_one_refuses() -> None:
    run, agents = scripted(GOOD, {"may": {"refused": "9 users need 90 open files"}})
    with pytest.raises(ValueError, match="agent h1: 9 users need 90 open files"):
        run.change(9)
    assert all([list(message) for message in agent.asked] == [["may", "load"]] for agent in agents)


def test_one_that_is_late_changes_as_soon_as_it_can_and_that_is_told() -> None:
    run, agents = scripted(GOOD, {**GOOD, "change": {"late": 1.0}, "late": {"changed": 2.75}})
    at_s = run.change(9)
    assert agents[0].asked[1] == {"change": 1, "load": 9, "at_s": at_s} == agents[1].asked[1]
    assert agents[1].asked[2] == {"change": 1, "load": 9, "at_s": None} and len(agents[0].asked) == 2
    [event] = run.events()
    assert event["kind"] == "agent-late" and event["agent"] == "h1"
    assert event["note"] == f"agent h1 changed its load only at 2.8 s, not at {at_s:.1f} s"


def test_a_link_has_what_the_script_has() -> None:
    assert all(hasattr(Link, name) for name in ("send", "close", "silent_s"))
