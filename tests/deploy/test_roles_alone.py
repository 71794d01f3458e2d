"""What is one role's own: Apache's page, the kernel's table, Varnish's cache. And each leaves nothing."""

import time
from collections.abc import Iterator
from pathlib import Path

import lab_sites
import pytest
from lab_sites import get

from loadstone.deploy import Site, configure, status, undeploy
from loadstone.ssh import Ssh

pytestmark = pytest.mark.long

WEB = '[[service]]\nname = "web"\nrole = "apache"\nhosts = ["web1", "web2"]\n'
BALANCERS = ("apache", "caddy", "haproxy", "nftables", "nginx", "varnish")


def traces(hosts: Ssh) -> tuple[list[str], str]:
    """Everything on a host that a balancer could leave behind: processes, files, tables, settings, ports."""
    processes = hosts.run("lb", ["ps", "-e", "-o", "user=,args="]).out.splitlines()
    rest = (
        "ls -A /var/lib/loadstone /tmp /dev/shm /run; nft list ruleset; ss -Hltn; sysctl net.ipv4.ip_forward"
    )
    return sorted(line for line in processes if "ps -e" not in line), hosts.run("lb", rest).out


@pytest.fixture(scope="module")
def web(lab_file: Path) -> Iterator[tuple[Site, Ssh]]:
    with lab_sites.site(lab_file, WEB) as (site, hosts):
        lab_sites.put(site, hosts)
        yield site, hosts


def balancer(role: str, settings: str = "") -> str:
    table = f'[[service]]\nname = "b"\nrole = "{role}"\nhosts = ["lb"]\n'
    return f'{WEB}{table}settings = {{ backends = "web"{settings} }}\n'


def test_apaches_page_has_the_bytes_asked_for(web: tuple[Site, Ssh]) -> None:
    site, hosts = web
    for size in (1, 40, 166, 100_000):
        configure(site.with_settings("web", page_bytes=size), hosts, "web")
        code, headers, body = get(hosts.address("web1"), 8080)
        assert (code, len(body), headers["content-type"]) == (200, size, "text/html")
    for threads, processes in ((8, 1), (100, 2)):
        configure(site.with_settings("web", threads=threads), hosts, "web")
        (pids,) = [one.pids for one in status(site, hosts) if one.host == "web1"]
        assert len(pids) == 1 + processes


@pytest.mark.parametrize("role", BALANCERS)
def test_removed_it_leaves_nothing(web: tuple[Site, Ssh], lab_file: Path, role: str) -> None:
    _, hosts = web
    before = traces(hosts)
    with lab_sites.site(lab_file, balancer(role)) as (site, _):
        lab_sites.put(site, hosts)
        assert get(hosts.address("lb"), 8080)[0] == 200
        assert traces(hosts) != before
        undeploy(site, hosts, lab_sites.quiet, ["b"])
        assert traces(hosts) == before


def test_a_killed_checker_leaves_the_table_until_it_is_removed(web: tuple[Site, Ssh], lab_file: Path) -> None:
    _, hosts = web
    before = traces(hosts)
    with lab_sites.site(lab_file, balancer("nftables")) as (site, _):
        lab_sites.put(site, hosts)
        (pids,) = [one.pids for one in status(site, hosts) if one.service == "b"]
        hosts.run("lb", ["kill", "-9", *map(str, pids)])
        assert get(hosts.address("lb"), 8080)[0] == 200, "the kernel needs nobody to go on"
        states = [one.state for one in status(site, hosts) if one.service == "b"]
        assert states == ["failed"]
        undeploy(site, hosts, lab_sites.quiet, ["b"])
        assert traces(hosts) == before


def test_varnish_caches_only_when_asked(web: tuple[Site, Ssh], lab_file: Path) -> None:
    _, hosts = web
    for cache in ("false", "true"):
        with lab_sites.site(lab_file, balancer("varnish", f", cache = {cache}")) as (site, _):
            lab_sites.put(site, hosts)
            get(hosts.address("lb"), 8080)
            time.sleep(1.1)
            age = int(get(hosts.address("lb"), 8080)[1]["age"])
            assert (age > 0) == (cache == "true")
            undeploy(site, hosts, lab_sites.quiet, ["b"])
