"""A service of one's own on a machine that runs systemd: a unit, up again after its end and after a boot."""

import json
import shutil
import subprocess
from pathlib import Path

import lab_sites
import pytest
from systemd_machine import Machine, machine

from loadstone.deploy import Site, load_site, restart, status, undeploy
from loadstone.deploy.host import home as homes
from loadstone.deploy.host import systemd, units
from loadstone.deploy.host.home import UNIT, Home
from loadstone.deploy.kinds import ROLES
from loadstone.deploy.remote import ask
from loadstone.deploy.render import render
from loadstone.deploy.role import Place, Service

SITE = """format = 1
name = "t-booted"
[[host]]
name = "here"
address = "root@127.0.0.1"
[[service]]
name = "{name}"
role = "command"
hosts = ["here"]
port = {port}
[service.settings]
command = "python3 -m http.server {{port}} --bind 127.0.0.1"
at_boot = {at_boot}
programs = ["a-program"]
env = {{ ODD = "100% of '$HOME' \\"\\\\ \\n" }}
"""


def unit(service: str, **settings: object) -> homes.Unit:
    role = ROLES["command"]
    checked = role.settings.model_validate({"command": "serve"} | settings)
    one = Service(service, ROLES["command"], ("here",), 8000, checked)
    made = role.unit(one, Place("here", {"here": "127.0.0.1"}, {service: one}))
    return json.loads(json.dumps(made.as_json()))  # type: ignore[no-any-return]


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
def test_systemd_takes_the_unit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(homes, "ROOT", tmp_path)
    file = tmp_path / "loadstone-words.service"
    file.write_text(systemd.text(Home("words"), unit("words", stop_s=2.5)))
    assert "KillSignal=15\nTimeoutStopSec=4.5\n" in file.read_text()
    done = subprocess.run(["systemd-analyze", "verify", file], capture_output=True, text=True, check=False)
    # It reads the units that this one names, too, and may have words about those.
    said = [line for line in done.stderr.splitlines() if "loadstone-words" in line]
    assert done.returncode == 0 and said == []


def test_only_a_program_of_one_s_own_is_a_unit_and_only_where_systemd_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(systemd, "RUNS", tmp_path)
    assert systemd.runs(unit("words")) and not systemd.runs(unit("words") | {"managed": False})
    monkeypatch.setattr(systemd, "RUNS", tmp_path / "none")
    assert not systemd.runs(unit("words"))


def test_our_own_units_are_not_switched_off_with_those_of_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(homes, "ROOT", tmp_path)
    on, off = {"old.service"}, []
    monkeypatch.setattr(units, "enabled", lambda: on)
    monkeypatch.setattr(units, "_said", lambda words: off.append(words[-1]) or "")
    units.note(Home("words"))
    on |= {"new.service", "loadstone-other.service"}
    assert units.quiet(Home("words")) == off == ["new.service"]


def site(folder: Path, name: str, port: int, at_boot: bool) -> Site:
    file = folder / f"{name}.toml"
    file.write_text(SITE.format(name=name, port=port, at_boot=str(at_boot).lower()))
    return load_site(file)


def install(of: Site, here: Machine) -> None:
    """What an installation between `prepare` and `apply` does: the program, and a unit that it enables."""
    files = render(of.services["kept"], of.places(here)["here"])
    ask(here, "here", "prepare", "kept", {"unit": files.pop(UNIT), "files": list(files)})
    there = "/etc/systemd/system/a-package.service"
    lines = "[Service]\\nExecStart=/bin/sleep 9999\\n[Install]\\nWantedBy=multi-user.target\\n"
    here.says(f"printf '{lines}' >{there}; ln -s /bin/true /usr/local/bin/a-program")
    here.says("systemctl enable --quiet a-package")
    assert here.says("systemctl is-enabled a-package") == "enabled"


@pytest.mark.long
def test_a_unit_comes_back_after_its_end_and_after_a_boot(tmp_path: Path) -> None:
    kept, passing = site(tmp_path, "kept", 18310, True), site(tmp_path, "passing", 18311, False)
    with machine(tmp_path / "machine") as here:

        def state(of: Site) -> str:
            return status(of, here)[0].state

        def main_pid(name: str) -> str:
            return here.says(f"systemctl show -p MainPID --value loadstone-{name}")

        # A package's own unit, which an installation of ours enables while this service is deployed.
        install(kept, here)
        for one in (kept, passing):
            lab_sites.put(one, here)
            assert state(one) == "running"
        assert here.says("systemctl is-enabled loadstone-kept") == "enabled"
        assert here.says("systemctl is-enabled loadstone-passing") != "enabled"
        assert here.says("systemctl is-enabled a-package") == "disabled", "by us"
        first = main_pid("kept")
        server = here.says("pgrep -u $(cat /var/lib/loadstone/kept/user) -f http.server")
        environment = here.says(f"tr '\\0' '\\n' </proc/{server.split()[0]}/environ")
        assert "ODD=100% of '$HOME' \"\\ \n" in environment and "PORT=18310" in environment
        assert here.says("stat -c %a%u /var/lib/loadstone/kept/launch") == "6000"
        here.says(f"kill -9 {first}")
        lab_sites.until(lambda: state(kept) == "running" and main_pid("kept") not in ("0", first), "not back")
        second = main_pid("kept")
        restart(kept, here, lab_sites.quiet)
        assert state(kept) == "running" and main_pid("kept") != second

        here.off()
        here.boot()
        lab_sites.until(lambda: state(kept) == "running", "not up after the boot")
        assert state(passing) == "failed", "it was not asked for at boot"
        assert here.says("systemctl is-active a-package") == "inactive"
        assert here.says("systemctl is-enabled a-package") == "disabled"
        undeploy(kept, here, lab_sites.quiet)
        undeploy(passing, here, lab_sites.quiet)
        assert here.says("ls /etc/systemd/system /run/systemd/system | grep loadstone") == ""
        assert here.says("ls -d /var/lib/loadstone") == "" and here.says("pgrep -f [h]ttp.server") == ""
