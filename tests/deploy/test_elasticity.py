"""Servers of a deployed site that come and go while a run measures: by a schedule, by how busy they are."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lab_sites
import pytest
from labs import loadstone

from loadstone.deploy import Site, deploy, status
from loadstone.ssh import Ssh

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

SERVERS = ("web1", "web2", "web3")
HOSTS = '[[host]]\nname = "lb"\n' + "".join(
    f'[[host]]\nname = "{name}"\nkind = "web"\ncpus = 0.5\n' for name in SERVERS
)
SERVICES = """
[[service]]
name = "balancer"
role = "haproxy"
hosts = ["lb"]
settings = { backends = "app" }

[[service]]
name = "app"
role = "olio"
kind = "web"
settings = { accounts = 100, media_scale = 0.01, workers = 2 }
"""
SCENARIO = """
format = 1
name = "wave"
[target]
url = "http://set-by-the-command.example"
[load]
users = 4
ramp_up_s = 1
steady_s = 24
ramp_down_s = 0
timeout_s = 20
profile = [[0, 4], [6, 12], [14, 4]]
[pacing]
think = 0.2
[sla]
window_s = 8
[[operation]]
name = "Event"
limit_s = 10
step = [{ get = "/events/1", expect = { contains = 'data-key="event:1"' } }]
[scaling]
service = "app"
"""


@pytest.fixture(scope="module")
def deployed(lab_file: Path) -> Iterator[tuple[Site, Ssh]]:
    with lab_sites.site(lab_file, SERVICES) as (site, hosts):
        deploy(site, hosts, lab_sites.quiet)
        yield site, hosts


def run(site: Site, tmp_path: Path, scaling: str) -> dict[str, Any]:
    """The record of a run with that policy, in which no operation failed."""
    scenario, folder = tmp_path / "wave.toml", tmp_path / "run"
    scenario.write_text(SCENARIO + scaling)
    where = ("--topology", site.topology.path, "--service", "balancer")
    done = loadstone("run", scenario, *where, "--out", folder, check=False, timeout_s=300)
    record: dict[str, Any] = json.loads((folder / "run.json").read_text())
    assert not any(record["operations"]["Event"]["failed"].values()), (record["failures"], done.stderr)
    assert not [one for one in record["events"] if one["kind"].startswith("service-")], record["events"]
    loadstone("report", folder)
    assert "Users, servers and response time" in (folder / "report.html").read_text()
    return record


def test_servers_come_and_go_by_a_schedule(deployed: tuple[Site, Ssh], tmp_path: Path) -> None:
    site, hosts = deployed
    steps = "".join(
        f"[[scaling.step]]\nat_s = {at}\nservers = {count}\n" for at, count in ((5, 3), (12, 2), (18, 1))
    )
    record = run(site, tmp_path, 'policy = "schedule"\ndrain_s = 1\n' + steps)
    found = record["elasticity"]
    counts = [one["servers"] for one in found["servers"]]
    assert counts[:3] == [1, 2, 3] and counts[-1] < 3, record["events"]
    assert [one["host"] for one in found["started"]] == ["web2", "web3"]
    for one in found["started"]:
        assert 5 <= one["asked_s"] < one["serving_s"] and 0 < one["start_s"] <= one["serving_s"]
    assert len(found["windows"]) == 3 and found["windows"][0]["servers"] < 3
    assert 0 < found["machine_h"] < found["fixed_machine_h"]
    assert found["fixed_machine_h"] == pytest.approx(3 * 25 / 3600, rel=0.2)
    # Afterwards all serve as the topology says.
    assert {one.state for one in status(site, hosts)} == {"running"}
    assert not deploy(site, hosts, lab_sites.quiet).changed


def test_busy_servers_get_help(deployed: tuple[Site, Ssh], tmp_path: Path) -> None:
    """A target that any work at all exceeds."""
    site, hosts = deployed
    policy = 'policy = "target-utilisation"\ntarget = 0.001\nevery_s = 2\nmost = 2\n'
    record = run(site, tmp_path, policy)
    found = record["elasticity"]
    assert [one["servers"] for one in found["servers"]] == [1, 2]
    assert (found["policy"], found["least"], found["most"]) == ("target-utilisation", 1, 2)
    assert {one.state for one in status(site, hosts)} == {"running"}


@pytest.mark.parametrize(
    ("scaling", "said"),
    [
        ('start = 4\npolicy = "none"\n', "has 3 hosts"),
        ('service = "ap"\n', "did you mean `app`?"),
        ('service = "balancer"\n', "needs 2"),
    ],
)
def test_what_cannot_be_is_refused_before_the_run(
    deployed: tuple[Site, Ssh], tmp_path: Path, scaling: str, said: str
) -> None:
    site, _ = deployed
    scenario, folder = tmp_path / "wave.toml", tmp_path / "run"
    text = SCENARIO.replace('service = "app"\n', "") if "service" in scaling else SCENARIO
    scenario.write_text(text + scaling)
    where = ("--topology", site.topology.path, "--service", "balancer")
    refused = loadstone("run", scenario, *where, "--out", folder, check=False)
    assert (refused.returncode, "error[scaling]" in refused.stderr, said in refused.stderr) == (2, True, True)
    assert not folder.exists()
