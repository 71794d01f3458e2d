"""A run against services on lab hosts that its scenario ends, drains and starts: what the record says."""

from __future__ import annotations

import json
from pathlib import Path

import lab_sites
import pytest
from labs import loadstone

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

SERVICES = """
[[service]]
name = "balancer"
role = "haproxy"
hosts = ["lb"]
settings = { backends = "web" }

[[service]]
name = "web"
role = "nginx"
kind = "web"

[[service]]
name = "cache"
role = "memcached"
hosts = ["web2"]
"""
SCENARIO = """
format = 1
name = "faults"
[target]
url = "http://set-by-the-command.example"
[load]
users = 5
ramp_up_s = 1
steady_s = 11
ramp_down_s = 0
timeout_s = 5
[pacing]
think = 0.1
[[operation]]
name = "Page"
limit_s = 1
step = [{ get = "/" }]
"""
FAULTS = (
    (1, "web@web1", "drain"),
    (3, "web@web1", "kill"),
    (5, "web@web1", "restart"),
    (6, "web@web1", "undrain"),
    (7, "cache", "stop"),
    (8, "cache", "stop"),
    (9, "cache", "restart"),
)


def faults(*wanted: tuple[int, str, str]) -> str:
    return "".join(
        f'[[fault]]\nat_s = {at}\nservice = "{name}"\nwhat = "{what}"\n' for at, name, what in wanted
    )


def test_services_are_ended_drained_and_started(lab_file: Path, tmp_path: Path) -> None:
    scenario, folder = tmp_path / "page.toml", tmp_path / "run"
    with lab_sites.site(lab_file, SERVICES) as (site, hosts):
        lab_sites.put(site, hosts)
        where = ("--topology", site.topology.path, "--service", "balancer")
        scenario.write_text(SCENARIO + faults((1, "wed", "kill")))
        refused = loadstone("run", scenario, *where, "--out", folder, check=False)
        assert (refused.returncode, "error[fault]" in refused.stderr) == (2, True)
        assert "did you mean `web`?" in refused.stderr and not folder.exists()

        scenario.write_text(SCENARIO + faults(*FAULTS))
        done = loadstone("run", scenario, *where, "--out", folder, check=False, timeout_s=300)
        states = {
            one["service"]: one for one in json.loads(loadstone("status", *where[1:2], "--json").stdout)
        }

    run = json.loads((folder / "run.json").read_text())
    told = [one for one in run["events"] if one["kind"].startswith("fault")]
    done_to = [
        (one["service"], one.get("host"), one["note"].partition("` ")[2].partition(" after")[0])
        for one in told
        if one["kind"] == "fault"
    ]
    assert done_to == [
        ("web", "web1", "drained"),
        ("web", "web1", "killed"),
        ("web", "web1", "restarted"),
        ("web", "web1", "served with new users again"),
        ("cache", None, "stopped"),
        ("cache", None, "restarted"),
    ], done.stderr
    (failed,) = [one for one in told if one["kind"] == "fault-failed"]
    assert "does not run here" in failed["reason"] and failed["note"] in run["warnings"]
    assert all(one["second"] >= at for one, (at, _, _) in zip(told, FAULTS, strict=True))
    kinds = [(one["kind"], one["service"]) for one in run["events"] if one["kind"].startswith("service-")]
    assert ("service-died", "web") in kinds and ("service-came-back", "web") in kinds
    # Whoever was drained before it was killed took nobody with it.
    assert not any(run["operations"]["Page"]["failed"].values())
    assert {name: one["state"] for name, one in states.items()} == dict.fromkeys(states, "running")
