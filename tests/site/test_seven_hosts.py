"""The example of seven hosts as its users meet it: up, deployed, measured, changed, killed half-way, gone."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import traces
from labs import loadstone, obstacle

from loadstone.errors import VERDICTS

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]

EXAMPLE = Path(__file__).parents[2] / "examples/lab/seven-hosts.toml"
NAME = "t-seven-hosts"
OPERATIONS = 300


@pytest.fixture
def topology(tmp_path: Path) -> Iterator[Path]:
    """The example under a name of our own; whatever becomes of the test, nothing of it stays."""
    if reason := obstacle():
        pytest.skip(reason)
    path = tmp_path / "site.toml"
    path.write_text(EXAMPLE.read_text().replace('name = "seven-hosts"', f'name = "{NAME}"'))
    try:
        yield path
    finally:
        loadstone("lab", "down", NAME)


def test_from_nothing_to_nothing(topology: Path, tmp_path: Path) -> None:
    loadstone("lab", "down", NAME)  # what a killed run of this test has left
    before = traces.traces()
    assert len(result("lab", "up", topology)["hosts"]) == 7
    deployed = result("deploy", topology)
    assert {step["action"] for step in deployed["steps"]} == {"started"}
    assert not any(step["changed"] for step in result("deploy", topology)["steps"]), (
        "the second changes nothing"
    )

    run = measured(topology, tmp_path / "first")
    assert (run["outcome"], run["operations"]["Page"]["ok"]) == ("complete", OPERATIONS)
    assert [agent["host"] for agent in run["agents"]] == ["client"]
    assert recorded(tmp_path / "first") == "", "nothing but the defaults"

    text = topology.read_text()
    topology.write_text(text.replace('algorithm = "round-robin"', 'algorithm = "least-connections"'))
    changed = result("configure", topology, "--only", "balancer")
    assert [step["changed"] for step in changed["steps"]] == [True]
    measured(topology, tmp_path / "second")
    assert "+    balance leastconn" in recorded(tmp_path / "second")

    loadstone("undeploy", topology)
    killed_half_way(topology)
    result("deploy", topology)
    assert {one["state"] for one in result("status", topology)} == {"running"}
    loadstone("lab", "down", topology)
    assert not traces.added(before)


def result(*command: str | Path) -> Any:
    return json.loads(loadstone(*command, "--json").stdout)


def measured(topology: Path, folder: Path) -> Any:
    """A run against the balancer, from an agent on the client's host."""
    settings = {
        "load.operations": OPERATIONS,
        "load.ramp_up_s": 0,
        "pacing.think": 0,
        "operation.Page.step.1.page": "false",
    }
    changes = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    command = ["run", "page", "--users", "10", "--window", "60", *changes, "--out", folder]
    done = loadstone(
        *command, "--topology", topology, "--service", "balancer", "--agents", "client", "--json", check=False
    )
    assert done.returncode in VERDICTS, done.stderr  # how fast the machine is, is not the question
    assert len(list((folder / "logs").rglob("*.log"))) >= 4
    return json.loads(done.stdout)


def recorded(folder: Path) -> str:
    """How the balancer's configuration differs from the role's own, and a look at the rest."""
    services = json.loads((folder / "deployment.json").read_text())["services"]
    assert set(services) == {"balancer", "web", "database", "cache"}
    assert all(host["version"] for one in services.values() for host in one["hosts"].values())
    return str(services["balancer"]["hosts"]["balancer"]["difference"])


def killed_half_way(topology: Path) -> None:
    """Starts a deployment and kills it once it has begun to change hosts."""
    command = [sys.executable, "-m", "loadstone", "deploy", str(topology)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        assert process.stderr is not None and process.stderr.readline()
        process.send_signal(signal.SIGKILL)
        process.wait(60)
