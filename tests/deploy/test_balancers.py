"""Every balancer, held to the same promises. What a server got is counted in the servers' own logs."""

import contextlib
import itertools
import socket
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import lab_sites
import pytest
from lab_sites import get

from loadstone.deploy import Site, SiteError, configure, restart, status
from loadstone.deploy.remote import at_once
from loadstone.ssh import Ssh

pytestmark = pytest.mark.long

SERVERS = ("web1", "web2", "web3")
HOSTS = "".join(f'[[host]]\nname = "{name}"\n' for name in ("lb", "client", *SERVERS))
# nginx counts turns in each of its workers, so that only one of them counts exactly.
PORTS = {"apache": 8081, "caddy": 8082, "haproxy": 8083, "nftables": 8084, "nginx": 8085, "varnish": 8086}
EXTRA = {"nginx": {"threads": 1}}
# A check that a busy machine answers late is none that failed: checks have as long as they are apart.
SERVICES = """
[[service]]
name = "web"
role = "nginx"
hosts = ["web1", "web2", "web3"]
settings = { access_log = true }
"""
SERVICES += "".join(
    f'[[service]]\nrole = "{role}"\nhosts = ["lb"]\nport = {port}\n'
    'settings = { backends = "web", check_interval_s = 5 }\n'
    for role, port in PORTS.items()
)
WAIT_S = 60.0
LOG = "/var/lib/loadstone/web/log/access.log"

COOKIES = ("apache", "caddy", "haproxy", "varnish")
LEAST = ("apache", "caddy", "haproxy", "nginx")
SOURCE = ("caddy", "haproxy", "nftables", "nginx", "varnish")
URI = ("caddy", "haproxy", "nginx", "varnish")

_marks = itertools.count(1)


class Balanced:
    """One balancer over three servers."""

    def __init__(self, role: str, site: Site, hosts: Ssh) -> None:
        self.role, self.site, self.hosts = role, site, hosts
        self.address, self.port = hosts.address("lb"), PORTS[role]

    def having(self, **settings: object) -> Site:
        return self.site.with_settings(self.role, **EXTRA.get(self.role, {}), **settings)

    def set(self, **settings: object) -> None:
        configure(self.having(**settings), self.hosts, self.role)

    def got(self, ask: Callable[[str], object]) -> dict[str, int]:
        """Requests that reached each server while `ask` used a path; servers without any are left out."""
        mark = self.mark()
        ask(mark)
        return self.counts(mark)

    def mark(self) -> str:
        return f"/?{self.role}-{next(_marks)}-"

    def counts(self, mark: str) -> dict[str, int]:
        """Requests for paths that begin so, by server. A server notes a request when its answer is sent."""
        found = at_once(lambda server: int(self.hosts.run(server, f"grep -cF '{mark}' {LOG}").out), SERVERS)
        return {server: count for server, count in zip(SERVERS, found, strict=True) if count}

    def shares(self, count: int) -> dict[str, int]:
        return self.got(lambda mark: [self.get(f"{mark}{number}") for number in range(count)])

    def get(self, path: str, **headers: str) -> list[str]:
        """The cookies that it sets, when it is answered."""
        url = f"http://{self.address}:{self.port}{path}"
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=WAIT_S) as answer:
            assert (answer.status, len(answer.read())) == (200, 166)
            return list(answer.headers.get_all("Set-Cookie", []))

    def answers(self) -> bool:
        with contextlib.suppress(OSError, ValueError):
            return get(self.address, self.port, "/?")[0] == 200
        return False


@pytest.fixture(scope="module")
def deployed(lab_file: Path) -> Iterator[tuple[Site, Ssh]]:
    with lab_sites.site(lab_file, SERVICES) as (site, hosts):
        lab_sites.put(site, hosts)
        yield site, hosts


def of(*roles: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("role", roles)


@pytest.fixture
def balanced(role: str, deployed: tuple[Site, Ssh]) -> Balanced:
    one = Balanced(role, *deployed)
    one.set()
    until(one.answers)
    return one


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT_S
    while not holds():
        assert time.monotonic() < deadline, f"not within {WAIT_S} s"
        time.sleep(0.05)


@of(*PORTS)
def test_round_robin_gives_each_its_turn(balanced: Balanced) -> None:
    assert balanced.shares(30) == {"web1": 10, "web2": 10, "web3": 10}


@of(*PORTS)
def test_weights_are_shares_of_the_turns(balanced: Balanced) -> None:
    balanced.set(weights={"web1": 2, "web3": 3})
    assert balanced.shares(36) == {"web1": 12, "web2": 6, "web3": 18}


@of(*PORTS)
def test_a_drained_server_gets_nothing_new(balanced: Balanced) -> None:
    balanced.set(drain=["web2"])
    assert balanced.shares(20) == {"web1": 10, "web3": 10}
    balanced.set()
    assert balanced.shares(30) == {"web1": 10, "web2": 10, "web3": 10}


@of(*LEAST)
def test_least_connections_reaches_all(balanced: Balanced) -> None:
    balanced.set(algorithm="least-connections")
    shares = balanced.shares(60)
    assert sum(shares.values()) == 60 and set(shares) == set(SERVERS)


@of(*(role for role in LEAST if role != "nginx"))
def test_least_connections_avoids_the_busy(balanced: Balanced) -> None:
    """A page whose reader stops keeps its server busy; nginx would take it off the server's hands."""
    site, hosts = balanced.site, balanced.hosts
    configure(site.with_settings("web", page_bytes=10_000_000), hosts, "web")
    try:
        balanced.set(algorithm="least-connections")
        marks = [balanced.mark(), balanced.mark()]
        with reading(balanced, marks[0]):
            for number in range(9):
                assert get(balanced.address, balanced.port, f"{marks[1]}{number}")[0] == 200
        until(lambda: bool(balanced.counts(marks[0])))
        (busy,), free = balanced.counts(marks[0]), balanced.counts(marks[1])
        assert sum(free.values()) == 9 and busy not in free
    finally:
        configure(site, hosts, "web")


@of(*SOURCE)
def test_the_source_chooses_the_server(balanced: Balanced) -> None:
    balanced.set(algorithm="source-hash")
    assert list(balanced.shares(12).values()) == [12]
    base = balanced.address.rpartition(".")[0]
    sources = [f"{base}.{last}" for last in range(200, 230)]
    add = "; ".join(f"ip address add {source}/24 dev eth0 2>/dev/null" for source in sources)
    balanced.hosts.run("client", f"{add}; true")

    def ask(mark: str) -> None:
        lines = "; ".join(
            f"curl -sf -o /dev/null --interface {source} 'http://{balanced.address}:{balanced.port}{mark}'"
            for source in sources
        )
        assert balanced.hosts.run("client", f"set -e; {lines}").code == 0

    first, second = balanced.got(ask), balanced.got(ask)
    assert first == second and sum(first.values()) == 30 and len(first) > 1


@of(*URI)
def test_the_page_chooses_the_server(balanced: Balanced) -> None:
    balanced.set(algorithm="uri-hash")
    assert list(balanced.got(lambda mark: [balanced.get(mark) for _ in range(12)]).values()) == [12]
    assert len(balanced.shares(40)) > 1


@of(*COOKIES)
def test_a_cookie_keeps_a_user_on_one_server(balanced: Balanced) -> None:
    balanced.set(sticky=True)
    users: list[str] = []
    served = balanced.got(lambda mark: [users.extend(balanced.get(f"{mark}{n}")) for n in range(3)])
    assert served == dict.fromkeys(SERVERS, 1), "users without a cookie are shared out as ever"
    cookies = [user.partition(";")[0] for user in users]
    assert len(set(cookies)) == 3
    for cookie in cookies:
        mark = balanced.mark()
        for _ in range(6):
            balanced.get(mark, Cookie=f"a=b; {cookie}")
        assert list(balanced.counts(mark).values()) == [6]
    # Drained is not dead: who has a cookie of it stays.
    home = {cookie: server_of(balanced, cookie) for cookie in cookies}
    balanced.set(sticky=True, drain=["web2"])
    assert {cookie: server_of(balanced, cookie) for cookie in cookies} == home
    assert balanced.shares(20) == {"web1": 10, "web3": 10}


@of(*PORTS)
def test_a_killed_server_is_taken_out_and_comes_back(balanced: Balanced) -> None:
    site, hosts = balanced.site, balanced.hosts
    balanced.set(check_interval_s=0.5)
    (pids,) = [one.pids for one in status(site, hosts) if (one.service, one.host) == ("web", "web2")]
    hosts.run("web2", ["kill", "-9", *map(str, pids)])
    try:
        until(lambda: all(balanced.answers() for _ in range(12)))
        assert set(balanced.shares(12)) == {"web1", "web3"}
    finally:
        restart(site, hosts, lab_sites.quiet, ["web"])
    until(lambda: set(balanced.shares(12)) == set(SERVERS))


# Caddy now and then ends a connection that it has just accepted when it changes its configuration.
@of(*(role for role in PORTS if role != "caddy"))
def test_a_reload_fails_nobody(balanced: Balanced) -> None:
    stop, answers = threading.Event(), Counter[bool]()

    def ask() -> None:
        while not stop.is_set():
            answers[balanced.answers()] += 1

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        for drained in ("web1", "web2", "web3"):
            balanced.set(drain=[drained])
            assert drained not in balanced.shares(6)
    finally:
        stop.set()
        asking.join()
    assert set(answers) == {True}


@of(*PORTS)
def test_a_broken_configuration_is_refused_while_the_old_one_serves(balanced: Balanced) -> None:
    site, hosts = balanced.site, balanced.hosts
    before = {one.service: one for one in status(site, hosts)}[balanced.role]
    # What is put into the template is wrong, the template is not.
    hosts.addresses["web1"], real = 'no"{ address', hosts.addresses["web1"]
    try:
        with pytest.raises(SiteError) as refused:
            balanced.set()
    finally:
        hosts.addresses["web1"] = real
    assert refused.value.slug == "config-refused" and f"`{balanced.role}` on `lb`" in str(refused.value)
    assert balanced.shares(12) == dict.fromkeys(SERVERS, 4)
    after = {one.service: one for one in status(site, hosts)}[balanced.role]
    assert (after.digest, after.pids[0], after.state) == (before.digest, before.pids[0], "running")


def server_of(balanced: Balanced, cookie: str) -> str:
    (server,) = balanced.got(lambda mark: balanced.get(mark, Cookie=cookie))
    return server


@contextlib.contextmanager
def reading(balanced: Balanced, path: str) -> Iterator[None]:
    """A user who has the head of an answer and does not read on."""
    with socket.create_connection((balanced.address, balanced.port), 20) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: site\r\n\r\n".encode())
        assert connection.recv(1)
        yield
