"""A service that is ready on its host, and nobody reaches it; what is down is told, and why."""

import json
from collections.abc import Iterator
from pathlib import Path

import lab_sites
import pytest
from labs import loadstone

from loadstone.deploy import Site, SiteError, configure, restart, status
from loadstone.ssh import Ssh

SERVICES = """
[[service]]
name = "balancer"
role = "nginx"
hosts = ["lb"]
settings = { backends = "web" }

[[service]]
name = "web"
role = "nginx"
hosts = ["web1"]
"""
WALL = "add table inet wall; add chain inet wall in { type filter hook input priority 0; }"
HOSTS = '[[host]]\nname = "lb"\n[[host]]\nname = "web1"\n'


@pytest.fixture(scope="module")
def deployed(lab_file: Path) -> Iterator[tuple[Site, Ssh]]:
    with lab_sites.site(lab_file, SERVICES) as (site, hosts):
        lab_sites.put(site, hosts)
        yield site, hosts


def wall(hosts: Ssh, host: str, rule: str) -> None:
    made = hosts.run(host, ["nft", f"{WALL}; add rule inet wall in {rule}"])
    assert made.code == 0, made.words


@pytest.mark.parametrize("host, asks", [("web1", "`lb`"), ("lb", "this machine")])
def test_who_needs_a_service_must_reach_it(deployed: tuple[Site, Ssh], host: str, asks: str) -> None:
    site, hosts = deployed
    name = {"web1": "web", "lb": "balancer"}[host]
    wall(hosts, host, 'iifname != "lo" tcp dport 8080 reject with tcp reset')
    try:
        with pytest.raises(SiteError) as failed:
            restart(site, hosts, lab_sites.quiet, [name])
        with pytest.raises(SiteError):
            configure(site.with_settings(name, access_log=True), hosts, name)
    finally:
        hosts.run(host, ["nft", "delete table inet wall"])
    assert failed.value.slugs == ["service-unreachable"] and failed.value.exit_code == 3
    where = f"{hosts.address(host)}:8080 is not reached from {asks}: Connection refused"
    assert f"`{name}` on `{host}`: it answers on its host, but {where}" in str(failed.value)
    assert restart(site, hosts, lab_sites.quiet, [name]).failed == []


def test_one_that_another_host_reaches_is_reached(deployed: tuple[Site, Ssh]) -> None:
    """We may stand outside; users may come from elsewhere."""
    site, hosts = deployed
    rule = f'iifname != "lo" ip saddr != {hosts.address("web1")} tcp dport 8080 reject with tcp reset'
    wall(hosts, "lb", rule)
    try:
        assert restart(site, hosts, lab_sites.quiet, ["balancer"]).failed == []
    finally:
        hosts.run("lb", ["nft", "delete table inet wall"])


def test_status_ends_with_what_is_down_and_says_why(deployed: tuple[Site, Ssh]) -> None:
    site, hosts = deployed
    file = site.topology.path
    assert loadstone("status", file).returncode == 0
    (web,) = [one for one in status(site, hosts) if one.service == "web"]
    hosts.run("web1", ["kill", "-9", *map(str, web.pids)])
    down = loadstone("status", file, "--json", check=False)
    assert down.returncode == 3
    assert [one["state"] for one in json.loads(down.stdout)] == ["failed", "running"]
    restart(site, hosts, lab_sites.quiet, ["web"])
    # A host whose login does not work.
    gone = Ssh(hosts.config, {**hosts.addresses, "web1": "198.18.0.9"}, Path("/nowhere"), topology="t-reach")
    gone._ssh = lambda host, _command: ["sh", "-c", f"echo {host} is asleep >&2; exit 255"]  # type: ignore[method-assign,assignment]
    states = status(site, gone)
    assert {one.state for one in states} == {"unreachable"}
    assert states[0].why == "`web1` (198.18.0.9) cannot be reached: web1 is asleep"
