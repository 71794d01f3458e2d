"""`tls = true`: databases, caches and balancers as their clients meet them, and who is not believed."""

import contextlib
import http.client
import socket
import ssl
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import lab_sites
import pytest
from certificates import Authority
from lab_sites import until

from loadstone.deploy import Site, status, undeploy
from loadstone.deploy.host.home import ROOT
from loadstone.lab import kept_authority
from loadstone.ssh import Answer, Ssh

pytestmark = pytest.mark.long

HOSTS = f'tls = true\n{lab_sites.HOSTS}[[host]]\nname = "db"\n'
BALANCERS = {"haproxy": 8081, "nginx": 8082, "apache": 8083, "caddy": 8084}
SERVICES = (
    "".join(
        f'[[service]]\nrole = "{role}"\nhosts = ["db"]\n' for role in ("postgresql", "mariadb", "memcached")
    )
    + '[[service]]\nname = "web"\nrole = "nginx"\nkind = "web"\n'
    + "".join(
        f'[[service]]\nname = "b-{role}"\nrole = "{role}"\nhosts = ["lb"]\nport = {port}\n'
        'settings = { backends = "web", check_interval_s = 0.2 }\n'
        for role, port in BALANCERS.items()
    )
)


@pytest.fixture(scope="module")
def deployed(lab_file: Path) -> Iterator[tuple[Site, Ssh]]:
    with lab_sites.site(lab_file, SERVICES) as (site, hosts):
        lab_sites.put(site, hosts)
        yield site, hosts


def page(site: Site, address: str, port: int) -> int:
    """The status of a page by HTTPS, of a server that the topology's authority vouches for."""
    believed = ssl.create_default_context(cafile=site.authority)
    connection = http.client.HTTPSConnection(address, port, timeout=120, context=believed)
    try:
        connection.request("GET", "/")
        return connection.getresponse().status
    finally:
        connection.close()


def plainly(address: str, port: int, asked: bytes) -> bytes:
    """What is answered without TLS: nothing, an alert, or a page that says so."""
    with socket.create_connection((address, port), 20) as connection, contextlib.suppress(ConnectionError):
        connection.sendall(asked)
        return connection.recv(100)
    return b""


@pytest.mark.parametrize("role", BALANCERS)
def test_a_front_serves_https_over_https(deployed: tuple[Site, Ssh], role: str) -> None:
    site, hosts = deployed
    address = hosts.address("lb")
    until(lambda: page(site, address, BALANCERS[role]) == 200, f"{role} finds its back ends well")
    with pytest.raises(ssl.SSLCertVerificationError):
        ssl.create_default_context().wrap_socket(
            socket.create_connection((address, BALANCERS[role]), 20), server_hostname=address
        )
    for host, port in (("lb", BALANCERS[role]), ("web1", 8080)):
        assert not plainly(hosts.address(host), port, b"GET / HTTP/1.0\r\n\r\n").startswith(b"HTTP/1.1 200")


def refused(site: Site, address: str, port: int) -> bool:
    """Whether a front has no back end that it believes."""
    return page(site, address, port) in (502, 503)


def psql(hosts: Ssh, site: Site, words: str, query: str) -> Answer:
    password = site.places(hosts)["db"].secrets["postgresql"]["password"]
    where = f"host={hosts.address('db')} user=loadstone dbname=loadstone {words}"
    return hosts.run("web1", f"PGPASSWORD={password} psql -X -A -t '{where}'", send=query)


def test_postgresql_is_asked_with_tls_or_not_at_all(deployed: tuple[Site, Ssh]) -> None:
    site, hosts = deployed
    authority = f"{ROOT}/web/conf/authority.crt"
    query = "SELECT ssl, version FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
    done = psql(hosts, site, f"sslmode=verify-full sslrootcert={authority}", query)
    assert done.out.strip() == "t|TLSv1.3", done.words
    refused = psql(hosts, site, "sslmode=disable", query)
    assert refused.code and "no encryption" in refused.words


def test_mariadb_is_asked_with_tls_or_not_at_all(deployed: tuple[Site, Ssh]) -> None:
    site, hosts = deployed
    password = site.places(hosts)["db"].secrets["mariadb"]["password"]
    client = f"mariadb --no-defaults -N -u loadstone -p{password} -h {hosts.address('db')} "
    checked = f"--ssl-ca={ROOT}/web/conf/authority.crt --ssl-verify-server-cert"
    done = hosts.run("web1", client + checked, send="SHOW STATUS LIKE 'Ssl_cipher'")
    assert done.out.split()[1].startswith("TLS_"), done.words
    assert hosts.run("web1", f"{client} --skip-ssl", send="SELECT 1").code
    own = f"mariadb --defaults-file={ROOT}/mariadb/conf/client.cnf -N"
    done = hosts.run("db", own, send="SHOW STATUS LIKE 'Ssl_cipher'")
    assert done.out.split()[1].startswith("TLS_"), done.words


def test_memcached_answers_by_tls_only(deployed: tuple[Site, Ssh]) -> None:
    site, hosts = deployed
    where = (hosts.address("db"), 11211)
    believed = ssl.create_default_context(cafile=site.authority)
    with believed.wrap_socket(socket.create_connection(where, 20), server_hostname=where[0]) as connection:
        connection.sendall(b"version\r\n")
        assert connection.recv(100).startswith(b"VERSION")
    assert not plainly(*where, b"version\r\n").startswith(b"VERSION")


def test_keys_are_their_services_own(deployed: tuple[Site, Ssh]) -> None:
    site, hosts = deployed
    for one in site.services.values():
        for host in one.hosts:
            folder = f"{ROOT}/{one.name}"
            said = hosts.run(host, f"stat -c '%a %u' {folder}/conf/server.crt.key {folder}/data").out.split()
            assert said[0] == "600" and said[1] == said[3], one.name
            assert "PRIVATE" not in hosts.run(host, f"cat /proc/[0-9]*/cmdline {folder}/log/*").out


def test_a_back_end_of_another_authority_gets_no_request(deployed: tuple[Site, Ssh], tmp_path: Path) -> None:
    """Last but one: the back ends are broken after it."""
    site, hosts = deployed
    certificate, key = Authority(tmp_path).certificates["self-signed"]
    conf = ROOT / "web" / "conf"
    for host in ("web1", "web2"):
        for path, text in ((conf / "server.crt", certificate), (conf / "server.crt.key", key)):
            hosts.write(host, str(path), text.read_text(), 0o644)  # also nginx's user reads it
        assert not hosts.run(host, "kill -HUP $(cut -d' ' -f1 /var/lib/loadstone/web/run/first)").code
    for role, port in BALANCERS.items():
        where = (site, hosts.address("lb"), port)
        until(partial(refused, *where), f"{role} believes them")


def test_what_is_undeployed_leaves_no_authority(deployed: tuple[Site, Ssh]) -> None:
    """The last one."""
    site, hosts = deployed
    undeploy(site, hosts, lab_sites.quiet)
    assert not kept_authority(site.topology.name, site.topology.path.parent).exists()
    assert {one.state for one in status(site, hosts)} == {"absent"}
