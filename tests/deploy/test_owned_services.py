"""A database with rows, and a second topology that has another service of the same name there."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import lab_sites
import pytest

from loadstone.deploy import Site, SiteError, configure, deploy, load_site, planned, status, undeploy
from loadstone.lab import identify
from loadstone.ssh import Ssh

pytestmark = pytest.mark.long

HOSTS = '[[host]]\nname = "db"\n'
FIRST = '[[service]]\nname = "database"\nrole = "postgresql"\nhosts = ["db"]\n'
SECOND = '[[service]]\nname = "database"\nrole = "mariadb"\nhosts = ["db"]\n'
QUERY = "psql -X -qAt -h /var/lib/loadstone/database/run -U postgres loadstone"


@pytest.fixture(scope="module")
def first(lab_file: Path) -> Iterator[tuple[Site, Ssh]]:
    with lab_sites.site(lab_file, FIRST) as (site, hosts):
        lab_sites.put(site, hosts)
        sql("CREATE TABLE t AS SELECT generate_series(1, 1000)", hosts)
        yield site, hosts


@pytest.fixture
def second(lab_file: Path, first: tuple[Site, Ssh]) -> tuple[Site, Ssh]:
    """Another topology that reaches the same host."""
    _, hosts = first
    file = lab_file.with_name("second.toml")
    file.write_text(f'format = 1\nname = "second"\n{HOSTS}{SECOND}')
    sockets = lab_file.with_name("s")
    sockets.mkdir(exist_ok=True)
    return load_site(file), Ssh(hosts.config, hosts.addresses, sockets, topology="second")


@pytest.fixture
def checkout(lab_file: Path, first: tuple[Site, Ssh]) -> tuple[Site, Ssh]:
    """The same topology from another folder, as another machine would have it."""
    _, hosts = first
    folder = lab_file.parent / "checkout"
    folder.mkdir(exist_ok=True)
    shutil.copy(lab_file.with_name("site.toml"), folder)
    site = load_site(folder / "site.toml")
    name = site.topology.name
    return site, Ssh(
        hosts.config, hosts.addresses, folder, topology=name, identity=lambda: identify(site.topology)
    )


def sql(query: str, hosts: Ssh) -> str:
    answer = hosts.run("db", f"setpriv --reuid=postgres --regid=postgres --clear-groups {QUERY}", send=query)
    assert answer.code == 0, answer.words
    return answer.out.strip()


def rows(hosts: Ssh) -> int:
    return int(sql("SELECT count(*) FROM t", hosts))


def test_a_second_topology_loses_nothing_of_the_first(
    first: tuple[Site, Ssh], second: tuple[Site, Ssh]
) -> None:
    site, theirs = second
    try:
        for attempt in (
            lambda: deploy(site, theirs, lab_sites.quiet),
            lambda: configure(site, theirs, "database"),
            lambda: planned(site, theirs),
        ):
            with pytest.raises(SiteError) as refused:
                attempt()
            assert refused.value.slugs == ["service-owned"] and refused.value.exit_code == 2
            text = str(refused.value)
            assert "`database` on `db`: it belongs to the topology `t-owned-services`" in text
            assert " MiB in " in text and "`--replace-data`" in text
        assert [one.state for one in status(site, theirs)] == ["foreign"]
        (step,) = undeploy(site, theirs, lab_sites.quiet).steps
        assert (step.action, step.owner, step.changed) == ("left", "t-owned-services", False)
    finally:
        theirs.close()
    assert rows(first[1]) == 1000


def test_a_second_checkout_is_another_owner(first: tuple[Site, Ssh], checkout: tuple[Site, Ssh]) -> None:
    site, theirs = checkout
    try:
        for attempt in (lambda: deploy(site, theirs, lab_sites.quiet), lambda: planned(site, theirs)):
            with pytest.raises(SiteError) as refused:
                attempt()
            assert refused.value.slugs == ["service-owned"]
            assert f":{first[0].topology.path.parent.resolve()}, owner " in str(refused.value)
        (step,) = undeploy(site, theirs, lab_sites.quiet).steps
        assert step.action == "left"
        assert [one.state for one in status(*first)] == ["running"] and rows(first[1]) == 1000
        # With the owner that the message tells, it is the same topology.
        number = first[1].identity.number
        site.topology.path.write_text(f'owner = "{number}"\n{site.topology.path.read_text()}')
        same = load_site(site.topology.path)
        theirs.identity = identify(same.topology)
        assert [one.state for one in status(same, theirs)] == ["running"]
    finally:
        theirs.close()


def test_another_role_is_refused_until_it_is_wanted(first: tuple[Site, Ssh], lab_file: Path) -> None:
    site, hosts = first
    file = lab_file.with_name("other-role.toml")
    file.write_text(lab_file.read_text() + SECOND)
    other = load_site(file)
    with pytest.raises(SiteError, match=r"the role changes from postgresql to mariadb.* would be lost"):
        deploy(other, hosts, lab_sites.quiet)
    assert rows(hosts) == 1000
    plan = planned(other, hosts, consent="replace").steps[0].as_json()
    assert plan["action"] == "restarted" and "the role changes" in plan["loses"]
    assert "+bind-address" in plan["difference"] and rows(hosts) == 1000
    (step,) = deploy(other, hosts, lab_sites.quiet, consent="replace").steps
    (folder,) = step.backups
    assert hosts.run("db", f"cat {folder}/data/main/PG_VERSION").out.strip().isdigit()
    assert json.loads(hosts.run("db", f"cat {folder}/made").out)["role"] == "postgresql"
    hosts.run("db", f"rm -r {folder}")
    deploy(site, hosts, lab_sites.quiet, consent="discard")
    assert hosts.run("db", "ls /var/lib/loadstone/.backups").out == ""
