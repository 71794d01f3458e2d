"""Agents on hosts of a lab: placed by the command line, killed, cut off, left alone."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from following import PATIENCE_S, eventually
from labs import described, loadstone, ssh
from labs import lab as standing_lab

from loadstone.errors import RUN_INVALID

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

NAME = "t-agents"
HOSTS = """
[[host]]
name = "client1"
[[host]]
name = "client2"
[[host]]
name = "web"
"""
SERVER = "import http.server as h; H = h.SimpleHTTPRequestHandler; H.protocol_version = 'HTTP/1.1'; " \
    "H.log_message = lambda *_: None; h.ThreadingHTTPServer(('', 80), H).serve_forever()"  # fmt: skip


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The topology file of the lab; a page is served on `web`."""
    with standing_lab(tmp_path_factory.mktemp("lab"), NAME, HOSTS) as path:
        serve = f'cd /srv; echo page >index.html; setsid python3 -c "{SERVER}" </dev/null >/dev/null 2>&1 &'
        assert ssh(NAME, "web", serve).returncode == 0
        yield path


@pytest.fixture
def scenario(lab: Path, tmp_path: Path) -> Path:
    """Twenty users that ask for the page twice a second."""
    [address] = [host["address"] for host in described(NAME)["hosts"] if host["name"] == "web"]
    path = tmp_path / "scenario.toml"
    path.write_text(
        f"""
format = 1
name = "page"
[target]
url = "http://{address}"
[load]
users = 20
ramp_up_s = 1
steady_s = 30
ramp_down_s = 0
[pacing]
cycle = {{ kind = "fixed", value_s = 0.5 }}
[sla]
window_s = 30
[[operation]]
name = "Page"
limit_s = 20
step = [{{ get = "/", expect.contains = "page" }}]
"""
    )
    return path


class Running:
    """`loadstone run` on both clients, under way."""

    def __init__(self, lab: Path, scenario: Path, *more: str) -> None:
        self.folder = scenario.with_name("run")
        arguments = ["run", str(scenario), "--topology", str(lab), "--agents", "client1,client2", *more]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "loadstone", *arguments, "--out", str(self.folder)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def seconds(self) -> int:
        """How many are in the journal."""
        journal = self.folder / "journal.ndjson"
        return journal.read_text().count('{"window":') if journal.is_file() else 0

    def under_way(self) -> None:
        eventually(lambda: self.seconds() >= 3 or self.process.poll() is not None, "no seconds")

    def ended(self) -> tuple[int, str, dict[str, Any]]:
        _, said = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, said, json.loads((self.folder / "run.json").read_text())


def agents_on(host: str) -> list[str]:
    return ssh(NAME, host, "pgrep -f '[a]gent.py'").stdout.split()


def test_two_hosts(lab: Path, scenario: Path) -> None:
    running = Running(lab, scenario, "--set", "load.steady_s=5", "--set", "sla.window_s=5")
    _, said, result = running.ended()
    assert result["outcome"] == "complete", said
    assert "load from client1 (± " in said
    assert [(agent["host"], agent["users"]) for agent in result["agents"]] == [
        ("client1", 10),
        ("client2", 10),
    ]
    for agent in result["agents"]:
        # Lab hosts share this machine's monotonic clock: the true offset is 0.
        assert abs(agent["clock_offset_s"]) <= agent["clock_error_s"] + 1e-6
        assert agent["hostname"] == agent["host"] and agent["lost_at_s"] is None
    # An operation that began in the ramp-up ends in these seconds, but is not one of the steady state.
    table = str(running.folder / "windows.parquet")
    counted = duckdb.sql(f"SELECT sum(requests) FROM '{table}' WHERE second BETWEEN 1 AND 5").fetchall()
    assert counted == [(sum(agent["requests"] for agent in result["agents"]),)]
    assert not agents_on("client1") and not agents_on("client2")


def test_the_load_is_changed(lab: Path, scenario: Path) -> None:
    """`loadstone set`, to agents behind real ssh connections."""
    running = Running(lab, scenario, "--set", "load.steady_s=30", "--set", "sla.window_s=30")
    running.under_way()
    changed = loadstone("set", "users", 30, "--run", running.folder)
    assert changed.returncode == 0, changed.stderr
    _, said, result = running.ended()
    assert result["outcome"] == "complete", said
    [event] = [event for event in result["events"] if event["kind"] == "load-changed"]
    assert "the load was changed by hand to 30 users from" in event["note"]
    assert [(agent["host"], agent["users"]) for agent in result["agents"]] == [
        ("client1", 15),
        ("client2", 15),
    ]
    table = running.folder / "engine.parquet"
    [(before, after)] = duckdb.sql(
        f"SELECT min(users), max(users) FROM '{table}' WHERE second >= 2"
    ).fetchall()
    assert (before, after) == (20, 30)


def test_a_killed_agent(lab: Path, scenario: Path) -> None:
    running = Running(lab, scenario)
    running.under_way()
    [pid] = agents_on("client2")
    ssh(NAME, "client2", f"kill -9 {pid}")
    code, said, result = running.ended()
    assert (code, result["outcome"]) == (RUN_INVALID, "complete")
    [event] = result["events"]
    assert (event["kind"], event["agent"]) == ("agent-lost", "client2")
    assert "agent client2 lost after" in said and "missed: agents: client2 lost" in said
    assert result["steady"]["end_s"] == 31.0


def test_a_host_that_is_cut_off(lab: Path, scenario: Path, capsys: pytest.CaptureFixture[str]) -> None:
    running = Running(lab, scenario)
    running.under_way()
    [pid] = agents_on("client2")
    cut = time.monotonic()
    # The link comes up again by itself: nobody could tell the host to.
    script = "sleep 1; ip link set eth0 down; sleep 60; ip link set eth0 up"
    ssh(NAME, "client2", f"setsid sh -c '{script}' </dev/null >/dev/null 2>&1 &")
    _, said, result = running.ended()
    [event] = [event for event in result["events"] if event["kind"] == "agent-lost"]
    assert (event["agent"], result["outcome"]) == ("client2", "complete"), said
    assert "client2" in [event["host"] for event in result["events"] if event["kind"] == "host-lost"]
    assert result["steady"]["end_s"] == 31.0, "the other one goes on to the end"
    with capsys.disabled():
        print(f"\ncut off: {event['note']}; the run ended {time.monotonic() - cut:.0f} s after the cut")
    eventually(lambda: ssh(NAME, "client2", "true").returncode == 0, "the link does not come back")
    assert pid not in agents_on("client2"), "it ended by itself, with its load"


def test_whoever_started_them_is_killed(lab: Path, scenario: Path) -> None:
    running = Running(lab, scenario, "--set", "load.steady_s=600")
    running.under_way()
    assert agents_on("client1") and agents_on("client2")
    running.process.send_signal(signal.SIGKILL)
    running.process.communicate(timeout=PATIENCE_S)
    eventually(lambda: not agents_on("client1") and not agents_on("client2"), "the agents outlive it")
    recovered = loadstone("report", running.folder)
    assert recovered.returncode == 0
    result = json.loads((running.folder / "run.json").read_text())
    assert result["outcome"] == "crashed" and len(result["agents"]) == 2


def test_ctrl_c_stops_all(lab: Path, scenario: Path) -> None:
    running = Running(lab, scenario, "--set", "load.steady_s=600")
    running.under_way()
    os.kill(running.process.pid, signal.SIGINT)
    _, _, result = running.ended()
    assert result["outcome"] == "interrupted" and result["events"][0]["kind"] == "interrupted"
    assert all(agent["lost_at_s"] is None for agent in result["agents"])
    assert not agents_on("client1") and not agents_on("client2")


def test_capacity_by_agents(lab: Path, scenario: Path) -> None:
    folder = scenario.with_name("found")
    where = ["--topology", str(lab), "--agents", "client1,client2", "--out", str(folder), "--json"]
    how = ["--from", "4", "--to", "8", "--window", "2", "--set", "load.ramp_up_s=1"]
    found = json.loads(loadstone("capacity", scenario, *where, *how).stdout)
    assert found["SLA-1"]["low"] == 8, "two runs by the same agents"
    for row in found["runs"]:
        result = json.loads((folder / row["folder"] / "run.json").read_text())
        assert [agent["host"] for agent in result["agents"]] == ["client1", "client2"]
