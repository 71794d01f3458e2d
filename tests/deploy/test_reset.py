"""Data of deployed services between runs: what a run has changed is as loaded again, and nothing else is."""

from __future__ import annotations

from pathlib import Path

import lab_sites
import pytest

from loadstone.deploy import Site
from loadstone.deploy.kinds import ROLES
from loadstone.deploy.role import Place, Service
from loadstone.measure import Deployed
from loadstone.ssh import Ssh

pytestmark = pytest.mark.timeout(600)

BALANCED = """
[[service]]
name = "front"
role = "haproxy"
hosts = ["lb"]
[service.settings]
backends = "olio"

[[service]]
name = "cache"
role = "memcached"
hosts = ["lb"]
"""
OLIO = """
[[service]]
role = "olio"
kind = "web"
[service.settings]
accounts = 100
media_scale = 0.01
"""
SHARED = (
    OLIO
    + """
database = "people"

[[service]]
name = "people"
role = "mariadb"
hosts = ["lb"]
"""
)
SQLITE = "/var/lib/loadstone/olio/data/olio/olio.db"
_PYTHON = "import sqlite3; c = sqlite3.connect({file!r}); print(c.execute({sql!r}).fetchall()); c.commit()"


def sqlite(hosts: Ssh, host: str, sql: str) -> str:
    done = hosts.run(host, ["python3", "-c", _PYTHON.format(file=SQLITE, sql=sql)])
    assert done.code == 0, done.err
    return done.out


def mariadb(hosts: Ssh, sql: str) -> str:
    client = "mariadb --defaults-file=/var/lib/loadstone/people/conf/client.cnf -NB loadstone"
    done = hosts.run("lb", f"{client} -e '{sql}'")
    assert done.code == 0, done.err
    return done.out


def run_begins(site: Site, service: str = "front", **options: bool) -> tuple[list[str], list[str]]:
    """What is told, and the events for the record."""
    told = list[str]()
    events = Deployed(site.topology.path, service, **options).renew(told.append)
    return told, [f"{one['kind']} {one.get('host')} {one.get('action')}" for one in events]


def test_each_host_has_its_own_data_as_loaded(lab_file: Path) -> None:
    with lab_sites.site(lab_file, OLIO + BALANCED) as (site, hosts):
        lab_sites.put(site, hosts)
        rows = sqlite(hosts, "web1", "SELECT count(*) FROM comment")
        # Data that were just loaded need no reset, and what people did without a run is theirs.
        sqlite(hosts, "web1", "DELETE FROM comment")
        assert run_begins(site) == ([], [])
        assert sqlite(hosts, "web1", "SELECT count(*) FROM comment") != rows

        told, events = run_begins(site, resets=False)
        assert told == ["the data of olio are as an earlier run left them"]
        assert events == ["data-kept None None"]
        assert sqlite(hosts, "web1", "SELECT count(*) FROM comment") != rows

        for action in ("loaded", "copied"):
            told, events = run_begins(site)
            assert told == ["reset: `olio` on web1, web2: data are made as Loadstone loaded them"]
            assert events == [f"reset web1 {action}", f"reset web2 {action}"]
            assert sqlite(hosts, "web1", "SELECT count(*) FROM comment") == rows
            assert lab_sites.get(hosts.address("web1"), 8080)[0] == 200
            sqlite(hosts, "web1", "DELETE FROM comment")


@pytest.mark.long
def test_a_database_keeps_what_the_loader_did_not_make(lab_file: Path) -> None:
    with lab_sites.site(lab_file, SHARED) as (site, hosts):
        lab_sites.put(site, hosts)
        count = "SELECT count(*) FROM comment"
        rows = mariadb(hosts, count)
        mariadb(hosts, "CREATE TABLE own (n INT); INSERT INTO own VALUES (7)")
        assert run_begins(site, "olio") == ([], [])
        mariadb(hosts, "SET foreign_key_checks = 0; DELETE FROM comment")
        told, events = run_begins(site, "olio")
        assert told == ["reset: `olio` on web1, web2: data are made as Loadstone loaded them"]
        # The database is not Loadstone's to empty; the second host only forgets what it knew of it.
        assert events == ["reset web1 loaded", "reset web2 restarted"]
        assert mariadb(hosts, count) == rows and mariadb(hosts, "SELECT n FROM own") == "7\n"
        assert lab_sites.get(hosts.address("web2"), 8080)[0] == 200


@pytest.mark.parametrize(("rules", "resets"), [("benchmark", "data"), ("public", "")])
def test_a_site_for_people_is_never_reset(rules: str, resets: str) -> None:
    settings = ROLES["olio"].settings(rules=rules)
    service = Service("olio", ROLES["olio"], ("web1",), 8080, settings)
    place = Place("web1", {"web1": "10.0.0.1"}, {"olio": service})
    assert ROLES["olio"].unit(service, place).resets == resets


@pytest.mark.parametrize("role", ["mariadb", "postgresql", "nginx"])
def test_what_loadstone_has_not_loaded_is_never_reset(role: str) -> None:
    service = Service("one", ROLES[role], ("web1",), 8080, ROLES[role].settings())
    place = Place("web1", {"web1": "10.0.0.1"}, {"one": service})
    assert ROLES[role].unit(service, place).resets == ""
