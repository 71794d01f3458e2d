"""What packages bring: programs by version, and services of the system that are to stay off."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from loadstone.deploy.host import home, units
from loadstone.deploy.host.data import Order, guard, make
from loadstone.deploy.host.home import Home, Refused, folders
from loadstone.deploy.host.program import major, missing, version
from loadstone.deploy.kinds import ROLES
from loadstone.deploy.role import Unit

UNIT = "[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n"


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setattr(home, "ROOT", tmp_path / "loadstone")
    one = Home("database")
    with one.lock():
        folders(one)
    return one


@pytest.mark.skipif(not shutil.which("systemctl"), reason="systemctl is not here")
def test_what_a_package_enables_stays_off_and_what_was_on_stays_on(
    there: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = tmp_path / "system"
    monkeypatch.setattr(units, "SYSTEM", system)
    folder = system / "usr" / "lib" / "systemd" / "system"
    folder.mkdir(parents=True)

    def install(name: str) -> None:
        (folder / name).write_text(UNIT)
        command = ["systemctl", f"--root={system}", "enable", name]
        subprocess.run(command, check=True, capture_output=True)

    install("operators.service")
    units.note(there)
    install("postgresql.service")
    units.note(there)  # another command, after one that was killed
    install("helper.service")
    assert units.quiet(there) == ["helper.service", "postgresql.service"]
    assert units.enabled() == {"operators.service"}
    assert units.quiet(there) == [] and not (there.path.parent / ".units").exists()


def test_without_systemd_the_scripts_of_its_predecessor_stay_off(
    there: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system, programs = tmp_path / "system", tmp_path / "bin"
    (system / "etc" / "rc3.d").mkdir(parents=True)
    programs.mkdir()
    (programs / "update-rc.d").write_text(f'#!/bin/sh\necho "$@" >>{tmp_path}/said\n')
    (programs / "update-rc.d").chmod(0o755)
    monkeypatch.setattr(units, "SYSTEM", system)
    monkeypatch.setattr(units.shutil, "which", lambda _name: None)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    (system / "etc/rc3.d/S01ssh").touch()
    units.note(there)
    (system / "etc/rc3.d/S02memcached").touch()
    assert units.quiet(there) == ["memcached"]
    assert (tmp_path / "said").read_text() == "memcached disable\n"


def unit(folder: Path) -> dict[str, object]:
    wanted = Unit("postgresql", None, ["{bin}/postgres"], ["{bin}/postgres"], user="root")
    changes = {"bin": f"{folder}/*/bin", "version": ["{bin}/postgres", "--version"]}
    return wanted.as_json() | changes | {"prepare": [["touch", "{data}/made"]]}


def install(folder: Path, number: int) -> None:
    program = folder / str(number) / "bin" / "postgres"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho 'postgres (PostgreSQL) {number}.2'\n")
    program.chmod(0o755)


def test_versions_are_looked_up_and_data_stay_with_theirs(there: Home, tmp_path: Path) -> None:
    folder, ours = tmp_path / "postgresql", Order("ours")
    one = unit(folder)
    assert missing(there, one) == [f"{folder}/*/bin/postgres"]
    for number in (9, 15):
        install(folder, number)
    assert missing(there, one) == [] and version(there, one).endswith("15.2"), "15 is newer than 9"

    def asked() -> str:
        return major(there, one)

    make(there, one, ours, asked, lambda *_: (there.data / "made").touch())
    install(folder, 17)
    assert version(there, one).endswith("15.2"), "the data are of 15"
    guard(there, one, ours, asked)
    shutil.rmtree(folder / "15")
    with pytest.raises(Refused) as refused:
        guard(there, one, ours, asked)
    assert refused.value.slug == "data-loss"
    assert "the data are of version 15, and the program is of version 17" in refused.value.message


def test_no_role_names_the_version_of_a_package() -> None:
    assert not [
        name for role in ROLES.values() for name in role.packages if name[-1].isdigit() and name != "apache2"
    ]
