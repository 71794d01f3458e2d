"""Agents on a real Ray cluster with its token on, each node on a lab host with an address of its own.

All commands are typed on the head. Ray's server behind `ray://` ends at once for some clients, as its issue
63202 tells; `bench/ray_agents.py` goes that way.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import folders
import pytest
import simulated
from following import PATIENCE_S, eventually
from labs import lab as standing_lab
from labs import loadstone, ssh
from ray_in_lab import RayInLab

from loadstone import record
from loadstone.errors import BAD_INPUT, RUN_INVALID
from loadstone.measure import RustEngine
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
def scenario(cluster: RayInLab) -> Iterator[Path]:
    """Twenty users that ask for the page twice a second.

    Hosts read this checkout as this machine does; what they write, and their /tmp, is their own.
    """
    target = Path(__file__).parents[2] / "target"
    target.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target) as folder:
        path = Path(folder) / "scenario.toml"
        path.write_text(SCENARIO.format(address=cluster.addresses["web"]))
        yield path


def test_the_sum_is_that_of_the_parts(cluster: RayInLab, scenario: Path, tmp_path: Path) -> None:
    plan = load_scenario(str(scenario), {"load.steady_s": "3", "sla.window_s": "3"}).plan()
    done = cluster.on_head(sys.executable, Path(__file__).with_name("overheard.py"), json.dumps(plan))
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    windows, summary = told["windows"], told["summary"]
    assert (summary["outcome"], [window["users"] for window in windows[1:4]]) == ("complete", [20, 20, 20])
    assert [agent["host"] for agent in told["agents"]] == ["node2", "node1"], "the head comes last"
    for agent in told["agents"]:
        # All hosts of a lab share this machine's clock: the true offset is 0.
        assert abs(agent["clock_offset_s"]) <= agent["clock_error_s"] + 1e-6
        assert agent["hostname"] == agent["host"], "one a node"
    parts = [
        [message["window"] for message in messages if "window" in message]
        for messages in told["said"].values()
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


def test_the_load_is_changed(cluster: RayInLab, scenario: Path) -> None:
    """`loadstone set`, typed on the head beside the run."""
    folder = Path("/tmp/changed")  # of the head
    command = ["run", scenario, "--set", "load.steady_s=30", "--set", "sla.window_s=30", "--on", "ray"]
    program = [sys.executable, "-m", "loadstone"]
    with cluster.begun_on_head(*program, *command, "--agents", "node1,node2", "--out", folder) as running:
        eventually(lambda: _seconds(cluster, folder) >= 3 or running.poll() is not None, "no seconds")
        changed = cluster.on_head(*program, "set", "users", 30, "--run", folder)
        assert changed.returncode == 0, changed.stderr
        _, said = running.communicate(timeout=PATIENCE_S)
    result = json.loads(cluster.on_head("cat", folder / "run.json").stdout)
    assert result["outcome"] == "complete", said
    [event] = [event for event in result["events"] if event["kind"] == "load-changed"]
    assert "the load was changed by hand to 30 users from" in event["note"]
    assert {agent["host"]: agent["users"] for agent in result["agents"]} == {"node1": 15, "node2": 15}


def test_a_node_is_killed_in_the_middle(
    cluster: RayInLab, scenario: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Path("/tmp/run")  # of the head
    command = ["run", scenario, "--on", "ray", "--agents", "node1,node2", "--out", folder]
    with cluster.begun_on_head(sys.executable, "-m", "loadstone", *command) as running:
        assert running.stderr
        eventually(lambda: _seconds(cluster, folder) >= 3 or running.poll() is not None, "no seconds")
        killed = time.monotonic()
        loadstone("lab", "host", "kill", "node2", "--lab", NAME)
        said = ""
        while "agent node2 lost" not in said:
            line = running.stderr.readline()
            assert line, said
            said += line
        told = time.monotonic() - killed
        _, rest = running.communicate(timeout=PATIENCE_S)
    result = json.loads(cluster.on_head("cat", folder / "run.json").stdout)
    assert (running.returncode, result["outcome"]) == (RUN_INVALID, "complete"), said + rest
    [event] = [event for event in result["events"] if event["kind"] == "agent-lost"]
    kept, lost = result["agents"]
    assert (kept["host"], kept["lost_at_s"]) == ("node1", None)
    assert (lost["host"], lost["lost_at_s"]) == ("node2", event["second"])
    assert lost["requests"] > 0, "what had come from it was kept"
    table = f"SELECT sum(requests) FROM '{folder}/windows.parquet' WHERE second BETWEEN 1 AND 8"
    counted = cluster.on_head(
        sys.executable, "-c", f'import duckdb; print(duckdb.sql("{table}").fetchall()[0][0])'
    )
    assert counted.returncode == 0, counted.stderr
    assert int(counted.stdout) == kept["requests"] + lost["requests"]
    assert result["steady"]["end_s"] == 9.0, "the other one goes on to the end"
    with capsys.disabled():
        print(f"\ntold {told:.1f} s after the kill: {event['note']}")


def _seconds(cluster: RayInLab, folder: Path) -> int:
    """How many are in the journal."""
    return cluster.on_head("cat", folder / "journal.ndjson").stdout.count('{"window":')


def test_more_agents_than_nodes(cluster: RayInLab, tmp_path: Path) -> None:
    """The node that was killed may be counted for a while yet: three are more in any case."""
    program = [sys.executable, "-m", "loadstone"]
    url = f"http://{cluster.addresses['web']}"
    refused = cluster.on_head(*program, "run", "page", "--url", url, "--on", "ray", "--agents", "3")
    assert refused.returncode == BAD_INPUT, refused.stderr
    assert "error[agents]: 3 agents on a cluster of which" in refused.stderr
    assert "node1 (1 CPU)" in refused.stderr
