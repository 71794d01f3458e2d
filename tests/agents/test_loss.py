"""Agents that are lost, refuse, or outlive whoever started them."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import folders
import pytest
import simulated
from following import PATIENCE_S, counted, eventually, follow
from local_hosts import LocalHosts
from walked import Walked

from loadstone.cli.run import conclude
from loadstone.errors import LoadstoneError
from loadstone.measure import Interrupt, RustEngine, Silent, measure
from loadstone.measure.agents import fleet
from loadstone.measure.service import Remote
from loadstone.stages.run import Run

STEADY_S = 15.0
"""Long enough that a busy machine does something at the third second before the end."""
COORDINATOR = Path(__file__).with_name("coordinator.py")


class Deed(Silent):
    """Does something at the third second; keeps the notes."""

    def __init__(self, deed: Any) -> None:
        self._deed = deed
        self.notes: list[str] = []

    def window(self, window: Mapping[str, Any]) -> None:
        if window["second"] == 2:
            self._deed()

    def note(self, text: str) -> None:
        self.notes.append(text)


def run(folder: Path, site: Walked, hosts: LocalHosts, progress: Deed, steady_s: float = STEADY_S) -> Run:
    plan = site.plan(steady_s=steady_s)
    expectations = RustEngine().expectations(json.dumps(plan))
    beginning = replace(folders.beginning(simulated.plan()), plan=plan, expectations=expectations)
    service = Remote("http://127.0.0.1", *site.server_address[:2])  # type: ignore[arg-type]
    with fleet(hosts, ["one", "two"]) as engine:
        return measure(folder, beginning, service, engine, Interrupt(), progress)


def test_the_others_go_on(hosts: LocalHosts, site: Walked, tmp_path: Path) -> None:
    progress = Deed(lambda: hosts.started["two"][0].kill())
    result = run(tmp_path / "run", site, hosts, progress).content()
    assert (result["outcome"], result["validity"]["state"]) == ("complete", "invalid")
    one, two = result["agents"]
    assert (one["host"], one["lost_at_s"]) == ("one", None)
    assert two["host"] == "two" and 3 <= two["lost_at_s"] < STEADY_S
    assert two["requests"] > 0, "what it had delivered stays"
    # Requests of its last second count; the operations of its users that were to end in the next one do not.
    under_way = one["requests"] + two["requests"] - sum(o["count"] for o in result["operations"].values())
    assert 0 <= under_way <= two["users"]
    [event] = result["events"]
    assert (event["kind"], event["agent"]) == ("agent-lost", "two")
    assert event["second"] == two["lost_at_s"]
    check = next(check for check in result["validity"]["checks"] if check["name"] == "agents")
    assert check["verdict"] == "missed" and "two lost: after" in check["measured"]
    assert any("agent two lost" in note for note in progress.notes)
    assert result["steady"]["end_s"] == STEADY_S, "the run lasts as long as planned"


def test_nobody_is_left(hosts: LocalHosts, site: Walked, tmp_path: Path) -> None:
    def kill_all() -> None:
        for host in ("one", "two"):
            hosts.started[host][0].kill()

    result = run(tmp_path / "run", site, hosts, Deed(kill_all), steady_s=600.0)
    assert result.outcome == "agents-lost"
    assert {event.agent for event in result.events} == {"one", "two"}
    assert sum(operation.ok for operation in result.operations.values()) > 0
    with pytest.raises(LoadstoneError) as caught:
        conclude(result, "SLA-1")
    assert caught.value.slug == "agents-lost"


def test_the_next_run_has_all_of_them(hosts: LocalHosts, site: Walked) -> None:
    with fleet(hosts, ["one", "two"]) as engine:
        first = engine.start(json.dumps(site.plan(steady_s=600.0)))
        hosts.started["one"][0].kill()
        eventually(
            lambda: any(e["kind"] == "agent-lost" for e in (first.next(0.1), first.events())[1]), "lost"
        )
        first.stop()
        _, summary = follow(first)
        assert (summary["outcome"], list(summary["agents"])) == ("stopped", ["two"])
        windows, summary = follow(engine.start(json.dumps(site.plan(steady_s=1.0))))
    assert list(summary["agents"]) == ["one", "two"] and counted(windows) > 0


def test_nobody_listens(hosts: LocalHosts, site: Walked) -> None:
    plan = site.plan(steady_s=600.0)
    plan["target"] |= {"port": 1, "authority": "127.0.0.1:1"}
    with fleet(hosts, ["one", "two"]) as engine:
        _, summary = follow(engine.start(json.dumps(plan)))
    assert summary["outcome"] == "unreachable"
    assert all("connection refused" in example["said"] for example in summary["examples"])


def test_an_agent_refuses_the_plan(hosts: LocalHosts, site: Walked) -> None:
    plan = site.plan()
    plan["mix"]["a"] = {"nowhere": 1.0}
    with fleet(hosts, ["one", "two"]) as engine:
        with pytest.raises(LoadstoneError, match="the agent on `one` refuses the plan: mix") as caught:
            engine.start(json.dumps(plan))
        assert caught.value.slug == "plan-refused"
        with pytest.raises(LoadstoneError, match="2 agents for 1 users"):
            engine.start(json.dumps(site.plan(users=1)))
        follow(engine.start(json.dumps(site.plan(steady_s=0.2))))


@pytest.mark.parametrize(
    ("program", "script", "words"),
    [
        ("python3", "exit 127", "has no python3"),
        ("python3", "echo 3 9", "has Python 3.9, an agent needs 3.11"),
        ("uname", "echo Plan9 mips", "is Plan9 mips"),
        ("python3", 'case "$1" in -c) echo 3 11;; *) echo out of order >&2; exit 3;; esac', "out of order"),
        ("python3", """case "$1" in -c) echo 3 11;; *) echo '{"unfit": "no GLIBC"}';; esac""", "no GLIBC"),
    ],
)
def test_a_host_that_does_not_fit(program: str, script: str, words: str, cache: Path, tmp_path: Path) -> None:
    (tmp_path / program).write_text(f"#!/bin/sh\n{script}\n")
    (tmp_path / program).chmod(0o755)
    hosts = LocalHosts(["one", "odd"], cache, {"odd": str(tmp_path)})
    with pytest.raises(LoadstoneError, match=words) as caught, fleet(hosts, ["one", "odd"]):
        pass
    assert caught.value.slug == "agent-start"
    for process in hosts.started["one"]:
        assert process.wait(PATIENCE_S) is not None, "the others are not left behind"


def test_hosts_that_are_not_there(hosts: LocalHosts) -> None:
    for names in (["three"], ["one", "one"], []):
        with pytest.raises(LoadstoneError) as caught, fleet(hosts, names):
            pass
        assert caught.value.slug == "agents"
    assert not any(hosts.started.values())


def test_agents_end_with_whoever_started_them(cache: Path, site: Walked) -> None:
    command = [sys.executable, str(COORDINATOR), str(cache), json.dumps(site.plan(steady_s=600.0))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        agents = [Path(f"/proc/{pid}") for pid in json.loads(process.stdout.readline())]
        assert len(agents) == 2 and all(agent.exists() for agent in agents)
        eventually(lambda: site.requests > 50, "there is load")
        process.send_signal(signal.SIGKILL)
    eventually(lambda: not any(_lives(agent) for agent in agents), "the agents outlive it")


@pytest.mark.long
def test_an_agent_that_hears_nothing_ends(hosts: LocalHosts, site: Walked) -> None:
    """A host that is cut off does not see its input end: its load must end all the same."""
    with fleet(hosts, ["one"]):
        [process] = hosts.started["one"]
    command = process.args.removeprefix("exec ").split()  # type: ignore[union-attr]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as agent:
        assert agent.stdin
        plan = json.dumps({"plan": site.plan(steady_s=600.0)})
        agent.stdin.write(f'{plan}\n{{"start": 1, "at_s": 1e6}}\n'.encode())
        agent.stdin.flush()
        assert agent.wait(PATIENCE_S) == 1


@pytest.mark.long
def test_a_silent_agent_is_given_up(hosts: LocalHosts, site: Walked, tmp_path: Path) -> None:
    progress = Deed(lambda: hosts.started["two"][0].send_signal(signal.SIGSTOP))
    result = run(tmp_path / "run", site, hosts, progress, steady_s=40.0).content()
    assert result["outcome"] == "complete" and result["steady"]["end_s"] == 40.0
    [event] = result["events"]
    assert event["agent"] == "two" and "nothing was heard" in event["reason"]


def _lives(process: Path) -> bool:
    try:
        return process.joinpath("stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
