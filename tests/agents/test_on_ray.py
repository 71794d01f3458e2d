"""Agents on a real Ray cluster with its token on, each node on a lab host with an address of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import folders
import pytest
import simulated
from following import PATIENCE_S, eventually, follow
from labs import lab as standing_lab
from labs import loadstone, ssh
from ray_in_lab import RayInLab

from loadstone import record
from loadstone.errors import BAD_INPUT, RUN_INVALID
from loadstone.measure import RustEngine
from loadstone.measure.agents import agents_on
from loadstone.measure.ray_cluster import Node, chosen, joined, nodes_of
from loadstone.measure.ray_nodes import RayNodes, Relayed
from loadstone.scenario import load_scenario

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

NAME = "t-ray"
NODES = ("node1", "node2")
SERVER = "import http.server as h; H = h.SimpleHTTPRequestHandler; H.protocol_version = 'HTTP/1.1'; " \
    "H.log_message = lambda *_: None; h.ThreadingHTTPServer(('', 80), H).serve_forever()"  # fmt: skip
SCENARIO = """
format = 1
name = "page"
[target]
url = "http://{address}"
[load]
users = 20
ramp_up_s = 1
steady_s = 8
ramp_down_s = 0
[pacing]
cycle = {{ kind = "fixed", value_s = 0.5 }}
[sla]
window_s = 8
[[operation]]
name = "Page"
limit_s = 20
step = [{{ get = "/", expect.contains = "page" }}]
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RayInLab]:
    """Two nodes, one of them the head; a page is served on a third host."""
    hosts = "".join(f'[[host]]\nname = "{name}"\n' for name in (*NODES, "web"))
    with standing_lab(tmp_path_factory.mktemp("lab"), NAME, hosts):
        serve = f'cd /srv; echo page >index.html; setsid python3 -c "{SERVER}" </dev/null >/dev/null 2>&1 &'
        assert ssh(NAME, "web", serve).returncode == 0
        cluster = RayInLab(NAME, NODES[0], NODES[1:])
        cluster.start()
        yield cluster


@pytest.fixture
def scenario(cluster: RayInLab, tmp_path: Path) -> Path:
    """Twenty users that ask for the page twice a second."""
    path = tmp_path / "scenario.toml"
    path.write_text(SCENARIO.format(address=cluster.addresses["web"]))
    return path


class Overheard(RayNodes):
    """Keeps what each node said, as it came."""

    def __init__(self, ray: Any, nodes: Sequence[Node]) -> None:
        super().__init__(ray, nodes)
        self.said: dict[str, list[bytes]] = {}

    def start(self, host: str, command: Sequence[str]) -> Relayed:
        wire, kept = super().start(host, command), self.said.setdefault(host, [])
        lines = wire.lines

        def overheard() -> Iterator[bytes]:
            for line in lines():
                kept.append(line)
                yield line

        wire.lines = overheard  # type: ignore[method-assign]
        return wire


def test_the_sum_is_that_of_the_parts(
    cluster: RayInLab, scenario: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in cluster.environment().items():
        monkeypatch.setenv(name, value)
    plan = load_scenario(str(scenario), {"load.steady_s": "3", "sla.window_s": "3"}).plan()
    with joined(cluster.client) as ray:
        nodes = chosen(nodes_of(ray), "2")
        assert [node.name for node in nodes] == ["node2", "node1"], "the head comes last"
        reach = Overheard(ray, nodes)
        with agents_on(reach, [node.name for node in nodes]) as engine:
            run = engine.start(json.dumps(plan))
            [started] = run.events()
            windows, summary = follow(run)
    assert (summary["outcome"], [window["users"] for window in windows[1:4]]) == ("complete", [20, 20, 20])
    for agent in started["agents"]:
        # All hosts of a lab share this machine's clock: the true offset is 0.
        assert abs(agent["clock_offset_s"]) <= agent["clock_error_s"] + 1e-6
        assert agent["hostname"] == agent["host"], "one a node"
    parts = [
        [message["window"] for message in map(json.loads, lines) if "window" in message]
        for lines in reach.said.values()
    ]
    assert [len(part) for part in parts] == [len(windows)] * 2
    summed = [_summed(list(both)) for both in zip(*parts, strict=True)]
    assert [window["operations"] for window in windows] == [each["operations"] for each in summed]
    own = _judged(tmp_path / "own", plan, windows)
    assert own["Page"]["count"] > 0 and own == _judged(tmp_path / "parts", plan, summed)


def _judged(folder: Path, plan: dict[str, Any], windows: Sequence[dict[str, Any]]) -> Any:
    """Percentiles and all else that a record has of the operations in these seconds."""
    known = replace(folders.beginning(simulated.plan()), plan=plan)
    journal = record.begin(folder, replace(known, expectations=RustEngine().expectations(json.dumps(plan))))
    for window in windows:
        journal.window(window)
    journal.event("end", outcome="complete", at=record.now(), ended_s=4.0, threads=2, examples=[])
    journal.close()
    return record.recover(folder).content()["operations"]


def _summed(windows: list[dict[str, Any]]) -> dict[str, Any]:
    """A second's parts added up number by number and bucket by bucket, by nothing of the engine's."""
    found: dict[tuple[int, int], dict[str, Any]] = {}
    for window in windows:
        for own in window["operations"]:
            key = own["operation"], own["phase"]
            found[key] = _added(found[key], own) if key in found else own
    return windows[0] | {"operations": [found[key] for key in sorted(found)]}


def _added(one: Any, other: Any) -> Any:
    if isinstance(one, list):
        return [_added(*both) for both in zip(one, other, strict=True)]
    if not isinstance(one, dict):
        return one + other
    if set(one) == {"bucket", "count"}:
        counts: Counter[int] = Counter()
        for each in (one, other):
            counts.update(dict(zip(each["bucket"], each["count"], strict=True)))
        buckets = sorted(counts)
        return {"bucket": buckets, "count": [counts[bucket] for bucket in buckets]}
    kept = ("operation", "phase")
    return {key: one[key] if key in kept else _added(one[key], other[key]) for key in one}


def test_a_node_is_killed_in_the_middle(
    cluster: RayInLab, scenario: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = scenario.with_name("run")
    command = ["run", scenario, "--on", cluster.client, "--agents", "node1,node2", "--out", folder]
    with subprocess.Popen(
        [sys.executable, "-m", "loadstone", *map(str, command)],
        env=cluster.environment(), stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as running:  # fmt: skip
        assert running.stderr
        journal = folder / "journal.ndjson"
        eventually(lambda: journal.is_file() and journal.read_text().count('{"window":') >= 3, "no seconds")
        killed = time.monotonic()
        loadstone("lab", "host", "kill", "node2", "--lab", NAME)
        said = ""
        while "agent node2 lost" not in said:
            line = running.stderr.readline()
            assert line, said
            said += line
        told = time.monotonic() - killed
        _, rest = running.communicate(timeout=PATIENCE_S)
    result = json.loads((folder / "run.json").read_text())
    assert (running.returncode, result["outcome"]) == (RUN_INVALID, "complete"), said + rest
    [event] = [event for event in result["events"] if event["kind"] == "agent-lost"]
    kept, lost = result["agents"]
    assert (kept["host"], kept["lost_at_s"]) == ("node1", None)
    assert (lost["host"], lost["lost_at_s"]) == ("node2", event["second"])
    assert lost["requests"] > 0, "what had come from it was kept"
    seconds = f"'{folder / 'windows.parquet'}' WHERE second BETWEEN 1 AND 8"
    counted = duckdb.sql(f"SELECT sum(requests) FROM {seconds}").fetchall()
    assert counted == [(kept["requests"] + lost["requests"],)]
    assert result["steady"]["end_s"] == 9.0, "the other one goes on to the end"
    with capsys.disabled():
        print(f"\ntold {told:.1f} s after the kill: {event['note']}")


def test_more_agents_than_nodes(cluster: RayInLab, tmp_path: Path) -> None:
    """Typed on the head, where no address is needed: the node that was killed is no longer counted."""
    program = [sys.executable, "-m", "loadstone"]
    url = f"http://{cluster.addresses['web']}"
    refused = cluster.on_head(*program, "run", "page", "--url", url, "--on", "ray", "--agents", "3")
    assert refused.returncode == BAD_INPUT, refused.stderr
    assert "error[agents]: 3 agents on a cluster of which" in refused.stderr
    assert "node1 (1 CPU)" in refused.stderr
