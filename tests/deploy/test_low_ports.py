"""Ports below 1024: taken by users that are not root, who may do that and nothing else of root's."""

import json
from pathlib import Path

import lab_sites
import pytest

from loadstone.deploy import Site, load_site, status
from loadstone.deploy.render import unit_text
from loadstone.deploy.role import Place
from loadstone.ssh import Ssh

ADDRESSES = {"lb": "198.18.0.11", "web1": "198.18.0.12", "web2": "198.18.0.13"}
OWN = """
[[service]]
name = "own"
role = "command"
hosts = ["web1"]
port = {port}
settings = {{ command = "python3 -m http.server {{port}}", health = {{ http = "/" }}{more} }}
"""
FRONT = """
[[service]]
name = "front"
role = "nginx"
hosts = ["lb"]
port = 80
settings = { backends = "own" }
"""
SITE = """
[[service]]
name = "surge"
role = "surge"
hosts = ["web2"]
port = 443
settings = { files = 10 }
"""
BIND_SERVICE = 1 << 10


@pytest.mark.parametrize(
    "port, more, low",
    [
        (8080, "", False),
        (80, "", True),
        (8080, ", ports = { tls = 443 }", True),
        (1023, ", instances = 2", True),
    ],
)
def test_a_service_may_take_low_ports_when_it_has_one(
    tmp_path: Path, port: int, more: str, low: bool
) -> None:
    file = tmp_path / "site.toml"
    file.write_text(f'format = 1\nname = "low"\n{lab_sites.HOSTS}{OWN.format(port=port, more=more)}')
    site = load_site(file)
    unit = json.loads(unit_text(site.services["own"], Place("web1", ADDRESSES, site.services)))
    assert unit["low_ports"] is low


def rights(site: Site, hosts: Ssh, host: str) -> set[tuple[int, int]]:
    """User and effective capabilities of each process of the one service that the host has."""
    (found,) = [one for one in status(site, hosts) if one.host == host]
    assert found.state == "running"
    lines = hosts.run(host, ["cat", *(f"/proc/{pid}/status" for pid in found.pids)]).out.splitlines()
    users = [int(line.split()[1]) for line in lines if line.startswith("Uid:")]
    effective = [int(line.split()[1], 16) for line in lines if line.startswith("CapEff:")]
    return set(zip(users, effective, strict=True))


@pytest.mark.long
def test_programs_of_ones_own_balancers_and_sites_take_them_without_root(lab_file: Path) -> None:
    with lab_sites.site(lab_file, OWN.format(port=80, more="") + FRONT + SITE) as (site, hosts):
        lab_sites.put(site, hosts)
        for host, port in (("web1", 80), ("lb", 80), ("web2", 443)):
            lab_sites.get(hosts.address(host), port)
            for user, capabilities in rights(site, hosts, host):
                assert user >= 60578
                # The interpreter of a built-in site may be where only root reads.
                assert capabilities & BIND_SERVICE and (host == "web2" or capabilities == BIND_SERVICE)
        assert lab_sites.get(hosts.address("lb"), 80)[0] == 200

    # An ordinary port takes the right away again.
    with lab_sites.site(lab_file, OWN.format(port=8080, more="")) as (site, hosts):
        lab_sites.put(site, hosts)
        assert {capabilities for _, capabilities in rights(site, hosts, "web1")} == {0}
