"""Olio on a lab host, from the interpreter that runs the tests."""

import re
import sys
from pathlib import Path

import lab_sites
import pytest
from lab_sites import get

from loadstone.deploy import SiteError, configure, load_site, status
from loadstone.deploy.kinds import ROLES
from loadstone.deploy.role import Place

HOSTS = '[[host]]\nname = "web1"\n[[host]]\nname = "web2"\n'
SERVICES = """
[[service]]
role = "olio"
hosts = ["web1"]
[service.settings]
accounts = 100
media_scale = 0.01
"""


def test_olio_serves_and_keeps_its_data(lab_file: Path) -> None:
    with lab_sites.site(lab_file, SERVICES) as (site, hosts):
        lab_sites.put(site, hosts)
        address = hosts.address("web1")
        code, _, body = get(address, 8080)
        assert code == 200 and b"<html" in body
        (state,) = status(site, hosts)
        assert (state.state, state.version.split()[0], state.wanted) == ("running", "loadstone", True)
        number = hosts.run("web1", ["cat", "/var/lib/loadstone/olio/user"]).out
        for pid in state.pids:
            lines = hosts.run("web1", ["cat", f"/proc/{pid}/status"]).out
            assert f"Uid:\t{number}\t{number}" in lines
            # Nothing of root's, but to read where the interpreter is closed to others.
            assert re.search(r"CapEff:\t0{15}[04]\n", lines)

        data = "stat -c %i /var/lib/loadstone/olio/data/olio/olio.db"
        before = hosts.run("web1", data).out
        assert configure(site.with_settings("olio", cache="page", workers=2), hosts, "olio").changed
        assert hosts.run("web1", data).out == before
        more = site.with_settings("olio", accounts=110)
        with pytest.raises(SiteError, match=r"becomes `110`.*would be lost"):
            configure(more, hosts, "olio")
        assert hosts.run("web1", data).out == before and get(address, 8080)[0] == 200
        assert configure(more, hosts, "olio", "replace").changed
        assert hosts.run("web1", data).out != before
        assert get(address, 8080)[0] == 200

        own = "/opt/own/python"
        with pytest.raises(SiteError) as failed:
            configure(more.with_settings("olio", python=own), hosts, "olio")
        assert failed.value.slug == "program-missing" and f"not installed: {own}" in str(failed.value)
        hosts.write("web1", own, f'#!/bin/sh\nexec {sys.executable} "$@"\n', mode=0o755)
        made = hosts.run("web1", data).out
        assert configure(more.with_settings("olio", python=own), hosts, "olio").changed
        assert hosts.run("web1", data).out == made, "another interpreter makes the same data"
        assert get(address, 8080)[0] == 200


@pytest.mark.parametrize(
    ("settings", "load", "serve"),
    [
        ('role = "rubis"\n[service.settings]\nscale = 0.001', "--scale 0.001", "--rules benchmark"),
        ('role = "surge"\n[service.settings]\nfiles = 50', "", "serve surge --files 50 --seed 1"),
    ],
)
def test_every_site_is_a_role(tmp_path: Path, settings: str, load: str, serve: str) -> None:
    file = tmp_path / "hosts.toml"
    file.write_text(f'format = 1\nname = "one"\n{HOSTS}[[service]]\nhosts = ["web1"]\n{settings}\n')
    (service,) = load_site(file).services.values()
    unit = ROLES[service.role].unit(service, Place("web1", {"web1": "10.0.0.1"}, {service.name: service}))
    assert serve in " ".join(unit.start)
    assert [load in " ".join(command) for command in unit.prepare] == [True] * bool(load)


@pytest.mark.long
@pytest.mark.parametrize("role", ["postgresql", "mariadb"])
def test_hosts_share_a_database_that_the_first_one_fills(lab_file: Path, role: str) -> None:
    shared = f"""
[[service]]
name = "database"
role = "{role}"
hosts = ["web1"]

[[service]]
role = "olio"
hosts = ["web1", "web2"]
[service.settings]
accounts = 100
media_scale = 0.01
database = "database"
"""
    with lab_sites.site(lab_file, shared) as (site, hosts):
        lab_sites.put(site, hosts)
        # The key of a visitor's forms is the visitor's own.
        own = rb'(?<=name="authenticity_token" value=")[0-9a-f]+'
        for host in ("web1", "web2"):
            command = hosts.run(host, "ps -e -o args=; cat /var/lib/loadstone/olio/conf/unit.json").out
            assert "serve" in command and "://" not in command
        pages = [re.sub(own, b"", get(hosts.address(host), 8080)[2]) for host in ("web1", "web2")]
        assert pages[0] == pages[1] and b"<html" in pages[0]
        assert not configure(site, hosts, "olio").changed
        more = site.with_settings("olio", accounts=110)
        with pytest.raises(SiteError, match="the tables of olio in the database of `database` would be lost"):
            configure(more, hosts, "olio")
        assert configure(more, hosts, "olio", "replace").changed
        pids = [one.pids for one in status(site, hosts) if one.service == "olio"]
        assert all(pids) and get(hosts.address("web2"), 8080)[0] == 200
