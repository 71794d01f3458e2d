"""HAProxy in front of two nginx, and memcached beside them."""

import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import lab_sites
import pytest
from lab_sites import get

from loadstone.deploy import Site, SiteError, configure, status
from loadstone.ssh import Ssh

pytestmark = pytest.mark.long

SERVICES = """
[[service]]
name = "balancer"
role = "haproxy"
hosts = ["lb"]
[service.settings]
backends = "web"
threads = 1
access_log = true
check_interval_s = 0.2

[[service]]
name = "web"
role = "nginx"
kind = "web"

[[service]]
name = "cache"
role = "memcached"
hosts = ["lb"]
"""


@pytest.fixture(scope="module")
def deployed(lab_file: Path) -> Iterator[tuple[Site, Ssh]]:
    with lab_sites.site(lab_file, SERVICES) as (site, hosts):
        lab_sites.put(site, hosts)
        yield site, hosts


def served_by(hosts: Ssh, count: int, path: str = "/", header: str = "") -> Counter[str]:
    """How many of `count` requests each back end got, by HAProxy's own log."""
    log = "/var/lib/loadstone/balancer/log/service.log"
    before = int(hosts.run("lb", f"wc -l <{log}").out)
    for number in range(count):
        assert get(hosts.address("lb"), 8080, path.format(number), header)[0] == 200
    lines = hosts.run("lb", f"tail -n +{before + 1} {log}").out.splitlines()
    return Counter(line.split(" web/")[1].split()[0] for line in lines if " web/" in line)


@pytest.mark.parametrize(
    "settings, shares",
    [
        ({}, {"web1": 10, "web2": 10}),
        ({"weights": {"web1": 3}}, {"web1": 15, "web2": 5}),
        ({"drain": ["web2"]}, {"web1": 20}),
        ({"algorithm": "least-connections"}, {"web1": 10, "web2": 10}),
    ],
)
def test_requests_are_shared_as_asked(
    deployed: tuple[Site, Ssh], settings: dict[str, object], shares: dict[str, int]
) -> None:
    site, hosts = deployed
    configure(site.with_settings("balancer", **settings), hosts, "balancer")
    assert served_by(hosts, 20) == shares


@pytest.mark.parametrize("algorithm, path", [("source-hash", "/?{}"), ("uri-hash", "/")])
def test_what_is_hashed_stays_on_one(deployed: tuple[Site, Ssh], algorithm: str, path: str) -> None:
    site, hosts = deployed
    configure(site.with_settings("balancer", algorithm=algorithm), hosts, "balancer")
    assert list(served_by(hosts, 12, path).values()) == [12]


def test_a_cookie_keeps_a_user_also_on_a_drained_host(deployed: tuple[Site, Ssh]) -> None:
    site, hosts = deployed
    configure(site.with_settings("balancer", sticky=True), hosts, "balancer")
    cookie = get(hosts.address("lb"), 8080)[1]["set-cookie"].split(";")[0]
    assert cookie in ("loadstone=web1", "loadstone=web2")
    mine = cookie.partition("=")[2]
    header = f"Cookie: LOADSTONE={mine}\r\n"
    assert served_by(hosts, 6, header=header) == {mine: 6}
    configure(site.with_settings("balancer", sticky=True, drain=[mine]), hosts, "balancer")
    assert served_by(hosts, 6, header=header) == {mine: 6}
    assert mine not in served_by(hosts, 6)


def test_reuse_is_seen_by_the_back_end(deployed: tuple[Site, Ssh]) -> None:
    site, hosts = deployed
    for reuse in (True, False):
        # Health checks have connections of their own, gone at once.
        wanted = site.with_settings("balancer", drain=["web2"], reuse=reuse, check_interval_s=60)
        configure(wanted, hosts, "balancer")
        for _ in range(5):
            get(hosts.address("lb"), 8080)
        kept = hosts.run("lb", "ss -Htn state established dport = :8080 | wc -l").out.strip()
        assert kept == ("1" if reuse else "0")


def test_no_request_is_lost_while_it_is_reconfigured(deployed: tuple[Site, Ssh]) -> None:
    site, hosts = deployed
    configure(site, hosts, "balancer")
    stop, answers = threading.Event(), Counter[int]()

    def ask() -> None:
        while not stop.is_set():
            answers[get(hosts.address("lb"), 8080)[0]] += 1

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        for algorithm in ("least-connections", "source-hash", "round-robin"):
            assert configure(site.with_settings("balancer", algorithm=algorithm), hosts, "balancer").changed
        hosts.addresses["web1"], real = "999.0.0.1:x", hosts.addresses["web1"]
        try:
            with pytest.raises(SiteError) as refused:
                configure(site, hosts, "balancer")
        finally:
            hosts.addresses["web1"] = real
    finally:
        stop.set()
        asking.join()
    assert refused.value.slug == "config-refused" and "[ALERT]" in str(refused.value)
    assert set(answers) == {200} and answers[200] > 0


def test_memcached_restarts_for_what_it_cannot_change(deployed: tuple[Site, Ssh]) -> None:
    site, hosts = deployed
    before = {one.service: one for one in status(site, hosts)}["cache"]
    assert before.state == "running" and before.version.startswith("memcached 1.")
    assert not configure(site, hosts, "cache").changed
    assert configure(site.with_settings("cache", memory_mib=32), hosts, "cache").changed
    after = {one.service: one for one in status(site, hosts)}["cache"]
    assert (after.state, after.wanted, before.wanted) == ("running", False, True)
    assert set(after.pids).isdisjoint(before.pids)
    command = hosts.run("lb", ["ps", "-o", "args=", "-p", str(after.pids[0])]).out
    assert "-m 32 " in command
