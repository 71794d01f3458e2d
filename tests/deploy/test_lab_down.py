"""What a lab leaves on the machine that deployed to it, when it goes down without `undeploy`."""

from pathlib import Path

import pytest
from labs import lab, loadstone

from loadstone.deploy import load_site
from loadstone.ssh import ssh

pytestmark = pytest.mark.long

DATABASE = '[[host]]\nname = "db"\n[[service]]\nname = "database"\nrole = "mariadb"\nhosts = ["db"]\n'


def test_nothing_is_kept_of_a_lab_that_is_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with lab(tmp_path, "t-lab-down", DATABASE) as file:
        site = load_site(file)
        with ssh(site.topology) as hosts:
            password = site.places(hosts)["db"].secrets["database"]["password"]
            (kept,) = (tmp_path / "state" / "loadstone" / "topologies").iterdir()
            assert password in kept.read_text() and hosts.identity.number in kept.read_text()
        loadstone("lab", "down", file)
        assert not kept.exists()


def test_what_is_on_real_machines_is_still_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    machine = '[[host]]\nname = "far"\naddress = "root@192.0.2.7"\n'
    with lab(tmp_path, "t-lab-down", machine + DATABASE) as file:
        site = load_site(file)
        with ssh(site.topology) as hosts:
            password = site.places(hosts)["db"].secrets["database"]["password"]
        (kept,) = (tmp_path / "state" / "loadstone" / "topologies").iterdir()
        loadstone("lab", "down", file)
        assert password in kept.read_text()
