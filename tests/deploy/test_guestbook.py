"""The example of three tiers with a program of its own: brought, measured, restarted, removed."""

import json
import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import lab_sites
import pytest
from labs import loadstone, obstacle, ssh

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]

EXAMPLE = Path(__file__).parents[2] / "examples" / "guestbook"
SCENARIO = EXAMPLE / "scenario.toml"
HOSTS = ("lb", "app1", "app2", "db")
LEFT = "ls -A /var/lib/loadstone /tmp; ss -Hltn"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    if reason := obstacle():
        pytest.skip(reason)
    loadstone("lab", "down", "guestbook")
    # The database gets what it needs: what limits the example is not asked here.
    path = shutil.copytree(EXAMPLE, tmp_path_factory.mktemp("lab") / "guestbook") / "lab.toml"
    text = path.read_text()
    assert "cpus = 0.05" in text
    path.write_text(text.replace("cpus = 0.05", "cpus = 1"))
    loadstone("lab", "up", path)
    try:
        with pytest.MonkeyPatch.context() as patch:
            # The build asks `python3` for pip.
            patch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
            yield path
    finally:
        loadstone("lab", "down", "guestbook")


def traces() -> dict[str, tuple[set[str], str]]:
    """Processes of each host, its files of ours and the ports it listens on."""
    own = {host: lab_sites.processes("guestbook", host) for host in HOSTS}
    return {
        host: (
            {line for line in lines if "sshd" not in line and "ps -e" not in line},
            ssh("guestbook", host, LEFT).stdout,
        )
        for host, lines in own.items()
    }


def secret_of(host: str) -> str:
    """The database's password, where the program gets it from."""
    file = "/var/lib/loadstone/guestbook/conf/environment.json"
    assert ssh("guestbook", host, f"stat -c %a {file}").stdout == "600\n"
    found: str = json.loads(ssh("guestbook", host, f"cat {file}").stdout)["DATABASE_PASSWORD"]
    assert len(found) > 20 and found not in "".join(lab_sites.processes("guestbook", host))
    return found


def sql(statement: str) -> str:
    """What the database says to it."""
    client = "mariadb --defaults-file=/var/lib/loadstone/database/conf/client.cnf -N loadstone"
    return ssh("guestbook", "db", f'{client} -e "{statement}"').stdout.strip()


def test_it_is_brought_measured_restarted_and_leaves_nothing(lab: Path, tmp_path: Path) -> None:
    before = traces()
    assert json.loads(loadstone("deploy", lab, "--json", timeout_s=500).stdout)["changed"] == 4
    states = json.loads(loadstone("status", lab, "--json").stdout)
    assert {one["state"] for one in states} == {"running"} and all(one["wanted"] for one in states)
    assert sql("SELECT COUNT(*) FROM entry") == "20000"

    short = ("--users", "4", "--window", "3", "--set", "load.ramp_up_s=1")
    measured = ("--topology", lab, "--service", "front", *short)
    # A first run, so that the second finds used data.
    loadstone("run", SCENARIO, *measured, "--out", tmp_path / "first", check=False, timeout_s=300)
    sql("INSERT INTO entry (author, text) VALUES ('before', 'the run')")
    done = loadstone("run", SCENARIO, *measured, "--out", tmp_path / "run", check=False, timeout_s=300)
    assert done.returncode in (0, 1, 6, 7), done.stderr
    run = json.loads((tmp_path / "run" / "run.json").read_text())
    assert not any(sum(one["failed"].values()) for one in run["operations"].values())
    assert secret_of("app1") not in "".join(
        file.read_text(errors="replace") for file in (tmp_path / "run").rglob("*") if file.is_file()
    )
    kept = json.loads((tmp_path / "run" / "deployment.json").read_text())["services"]["guestbook"]
    assert kept["hosts"]["app2"]["version"].startswith("content ")
    assert "Booting worker" in (tmp_path / "run" / "logs" / "app1" / "guestbook" / "service.log").read_text()
    # Its data were brought back, and what was written since is there.
    assert sql("SELECT COUNT(*) FROM entry WHERE author = 'before'") == "0"
    assert int(sql("SELECT COUNT(*) FROM entry")) >= 20000

    restarted = json.loads(loadstone("restart", lab, "--only", "guestbook", "--json", timeout_s=300).stdout)
    assert [step["action"] for step in restarted["steps"]] == ["restarted", "restarted"]
    page = ssh("guestbook", "lb", "curl -sf http://127.0.0.1:8080/").stdout
    assert re.search(r"<li><b>.*</li>", page)

    loadstone("undeploy", lab, timeout_s=300)
    assert traces() == before
