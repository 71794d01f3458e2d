"""nginx as a server of a page, and as a balancer."""

import json
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import lab_sites
import pytest
from lab_sites import get
from labs import loadstone

from loadstone.deploy import Site, SiteError, collect_logs, configure, load_site, record, status
from loadstone.errors import LoadstoneError
from loadstone.ssh import Ssh

SERVICES = """
[[service]]
name = "balancer"
role = "nginx"
hosts = ["lb"]
[service.settings]
backends = "web"
access_log = true

[[service]]
name = "web"
role = "nginx"
kind = "web"
"""


@pytest.fixture(scope="module")
def deployed(lab_file: Path) -> Iterator[tuple[Site, Ssh]]:
    with lab_sites.site(lab_file, SERVICES) as (site, hosts):
        lab_sites.put(site, hosts)
        yield site, hosts


def served_by(hosts: Ssh, count: int, path: str = "/") -> Counter[str]:
    """How many of `count` requests to the balancer each back end got, by the balancer's own log."""
    log = "/var/lib/loadstone/balancer/log/access.log"
    hosts.run("lb", f": >{log}")
    for number in range(count):
        assert get(hosts.address("lb"), 8080, path.format(number))[0] == 200
    lines = hosts.run("lb", ["cat", log]).out.splitlines()
    names = {f"{hosts.address(host)}:8080": host for host in ("web1", "web2")}
    return Counter(names[line.split()[5]] for line in lines)


def test_the_page_has_the_bytes_asked_for(deployed: tuple[Site, Ssh]) -> None:
    site, hosts = deployed
    assert not configure(site, hosts, "web").changed
    for size in (1, 40, 166, 100_000):
        assert configure(site.with_settings("web", page_bytes=size), hosts, "web").changed
        code, _, body = get(hosts.address("web1"), 8080)
        assert (code, len(body)) == (200, size)
    assert configure(site, hosts, "web").changed


def test_each_runs_as_a_user_of_its_own_and_is_told_of(deployed: tuple[Site, Ssh]) -> None:
    site, hosts = deployed
    states = status(site, hosts)
    assert [(one.service, one.host, one.state, one.wanted) for one in states] == [
        ("web", "web1", "running", True),
        ("web", "web2", "running", True),
        ("balancer", "lb", "running", True),
    ]
    for one in states:
        users = hosts.run(one.host, ["ps", "-o", "uid=", "-p", ",".join(map(str, one.pids))]).out.split()
        own = hosts.run(one.host, ["cat", f"/var/lib/loadstone/{one.service}/user"]).out
        assert users == [own] * len(one.pids) and len(one.pids) >= 2 and 60578 <= int(own) < 61184
        assert one.version.startswith("nginx version: nginx/1.")


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
    # One worker: each counts its turns by itself.
    configure(site.with_settings("balancer", threads=1, **settings), hosts, "balancer")
    assert served_by(hosts, 20) == shares


@pytest.mark.parametrize("algorithm, paths", [("source-hash", "/?{}"), ("uri-hash", "/")])
def test_what_is_hashed_stays_on_one(deployed: tuple[Site, Ssh], algorithm: str, paths: str) -> None:
    site, hosts = deployed
    configure(site.with_settings("balancer", algorithm=algorithm), hosts, "balancer")
    assert sorted(served_by(hosts, 12, paths).values()) == [12]
    if algorithm == "uri-hash":
        assert len(served_by(hosts, 40, "/?{}")) == 2


def test_reuse_is_seen_by_the_back_end(deployed: tuple[Site, Ssh]) -> None:
    site, hosts = deployed
    for reuse in (True, False):
        wanted = site.with_settings("balancer", threads=1, drain=["web2"], reuse=reuse)
        configure(wanted, hosts, "balancer")
        for _ in range(5):
            get(hosts.address("lb"), 8080)
        kept = hosts.run("lb", "ss -Htn state established dport = :8080 | wc -l").out.strip()
        assert kept == ("1" if reuse else "0")


def test_a_broken_configuration_is_refused_while_the_old_one_serves(deployed: tuple[Site, Ssh]) -> None:
    site, hosts = deployed
    configure(site, hosts, "balancer")
    before = {one.host: one for one in status(site, hosts)}["lb"]
    stop, answers = threading.Event(), Counter[int]()

    def ask() -> None:
        while not stop.is_set():
            answers[get(hosts.address("lb"), 8080)[0]] += 1

    asking = threading.Thread(target=ask)
    asking.start()
    # An address that nginx cannot parse: the template is right, what is put into it is not.
    hosts.addresses["web1"], real = "no address", hosts.addresses["web1"]
    try:
        with pytest.raises(SiteError) as refused:
            configure(site, hosts, "balancer")
    finally:
        hosts.addresses["web1"] = real
        stop.set()
        asking.join()
    text = str(refused.value)
    assert refused.value.slug == "config-refused" and "`balancer` on `lb`" in text
    assert "[emerg]" in text and 'invalid parameter "address:8080"' in text
    assert set(answers) == {200} and answers[200] > 0
    after = {one.host: one for one in status(site, hosts)}["lb"]
    assert (after.digest, after.pids) == (before.digest, before.pids)
    assert not configure(site, hosts, "balancer").changed


def test_what_differs_from_the_defaults_is_recorded(deployed: tuple[Site, Ssh]) -> None:
    site, hosts = deployed
    wanted = site.with_settings("balancer", algorithm="least-connections")
    configure(wanted, hosts, "balancer")
    kept = json.loads(json.dumps(record(wanted, hosts)))["services"]
    assert kept["web"]["settings"] == {}
    assert {host["difference"] for host in kept["web"]["hosts"].values()} == {""}
    balancer = kept["balancer"]
    assert balancer["settings"] == {
        "backends": "web", "access_log": True, "algorithm": "least-connections"
    }  # fmt: skip
    changed = [line for line in balancer["hosts"]["lb"]["difference"].splitlines() if line[0] in "+-"]
    assert "+        least_conn;" in changed and "-    access_log off;" in changed


def test_a_program_that_is_gone_is_told_while_the_old_one_serves(deployed: tuple[Site, Ssh]) -> None:
    site, hosts = deployed
    hosts.run("web2", "mv /usr/sbin/nginx /usr/sbin/nginx.away")
    try:
        with pytest.raises(SiteError) as failed:
            configure(site.with_settings("web", page_bytes=200), hosts, "web")
    finally:
        hosts.run("web2", "mv /usr/sbin/nginx.away /usr/sbin/nginx")
    assert failed.value.slugs == ["program-missing"]
    assert "`web` on `web2`: not installed: nginx" in str(failed.value)
    assert [len(get(hosts.address(host), 8080)[2]) for host in ("web1", "web2")] == [200, 166]


def test_what_was_never_deployed_cannot_be_configured(lab_file: Path, deployed: tuple[Site, Ssh]) -> None:
    file = lab_file.with_name("more.toml")
    more = '[[service]]\nname = "more"\nrole = "nginx"\nhosts = ["lb"]\nport = 9000\n'
    file.write_text(deployed[0].topology.path.read_text() + more)
    site, hosts = load_site(file), deployed[1]
    with pytest.raises(SiteError) as failed:
        configure(site, hosts, "more")
    assert failed.value.slug == "service-missing"
    assert {one.service: one.state for one in status(site, hosts)}["more"] == "absent"
    with pytest.raises(LoadstoneError) as unknown:
        configure(site, hosts, "mroe")
    assert unknown.value.slug == "service-name" and "did you mean `more`?" in str(unknown.value)


def test_a_crash_is_seen_and_mended(deployed: tuple[Site, Ssh], tmp_path: Path) -> None:
    site, hosts = deployed
    (web1,) = [one for one in status(site, hosts) if one.host == "web1"]
    hosts.run("web1", ["kill", "-9", *map(str, web1.pids)])
    assert [one.state for one in status(site, hosts) if one.host == "web1"] == ["failed"]
    assert configure(site, hosts, "web").changed
    assert {one.state for one in status(site, hosts)} == {"running"}
    logs = collect_logs(site, hosts, tmp_path)
    assert tmp_path / "logs/web1/web/service.log" in logs
    assert "start worker processes" in (tmp_path / "logs/web1/web/service.log").read_text()


def test_a_check_prints_what_would_change_and_changes_nothing(
    deployed: tuple[Site, Ssh], lab_file: Path
) -> None:
    site, hosts = deployed
    for service in ("web", "balancer"):
        configure(site, hosts, service)
    before = status(site, hosts)
    file = lab_file.with_name("checked.toml")
    file.write_text(f"{site.topology.path.read_text()}settings = {{ page_bytes = 12 }}\n")
    done = loadstone("deploy", file, "--check", "--only", "web")
    assert "web on web1:\n--- used/www/index.html\n+++ wanted/www/index.html\n" in done.stdout
    assert "+............\n" in done.stdout and "changed=2 failed=0" in done.stdout
    steps = json.loads(loadstone("deploy", file, "--check", "--json").stdout)["steps"]
    assert [(one["service"], one["action"]) for one in steps] == [
        ("web", "reloaded"), ("web", "reloaded"), ("balancer", "unchanged")
    ]  # fmt: skip
    assert status(site, hosts) == before
    refused = loadstone("deploy", file, "--no-backup", check=False)
    assert refused.returncode == 2 and "error[bad-option]: --no-backup" in refused.stderr
