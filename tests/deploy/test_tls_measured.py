"""Olio over PostgreSQL by TLS behind a balancer with HTTPS, by the commands that deploy and measure."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from labs import lab, loadstone, ssh

from loadstone.errors import VERDICTS

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

HOSTS = "".join(f'[[host]]\nname = "{name}"\n' for name in ("client", "lb", "app", "db"))
SERVICES = """
[[service]]
name = "front"
role = "haproxy"
hosts = ["lb"]
settings = { backends = "site" }
[[service]]
name = "site"
role = "olio"
hosts = ["app"]
settings = { database = "people", accounts = 100, media_scale = 0.01 }
[[service]]
name = "people"
role = "postgresql"
hosts = ["db"]
"""
OPERATIONS = 60
ENCRYPTED = """
SELECT count(*), bool_and(ssl), min(version) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
WHERE usename = 'loadstone' AND client_addr = '{}'
"""


@pytest.fixture(scope="module")
def topology(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with lab(tmp_path_factory.mktemp("lab"), "t-tls-measured", HOSTS) as path:
        path.write_text(path.read_text() + SERVICES)
        loadstone("deploy", path)
        yield path
        loadstone("undeploy", path)


def result(*command: str | Path) -> Any:
    return json.loads(loadstone(*command, "--json").stdout)


def test_one_setting_encrypts_every_tier_of_a_measured_site(topology: Path, tmp_path: Path) -> None:
    topology.write_text(topology.read_text().replace("format = 1", "format = 1\ntls = true"))
    planned = loadstone("deploy", topology, "--check").stdout
    assert "+    bind :8080 backlog 4096 ssl crt server.crt" in planned and "BEGIN CERTIFICATE" in planned
    assert "server.crt.key" in planned and "PRIVATE KEY" not in planned
    assert {step["action"] for step in result("deploy", topology)["steps"]} == {"restarted"}
    assert {step["action"] for step in result("deploy", topology)["steps"]} == {"unchanged"}

    folder = tmp_path / "run"
    settings = {
        "load.users": 5,
        "load.operations": OPERATIONS,
        "load.ramp_up_s": 0,
        "load.ramp_down_s": 0,
        "pacing.cycle": 0.1,
        "data.accounts": 100,
    }
    changes = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    command = ["run", "olio", "--window", "60", *changes, "--out", folder, "--json"]
    done = loadstone(
        *command, "--topology", topology, "--service", "front", "--agents", "client", check=False
    )
    assert done.returncode in VERDICTS, done.stderr  # how fast the machine is, is not the question
    run = json.loads(done.stdout)
    assert run["outcome"] == "complete"
    assert {one["protocol"] for one in run["tls"]["negotiated"]} == {"TLS 1.3"}
    assert sum(one["ok"] for one in run["operations"].values()) == OPERATIONS
    assert not any(sum(one["failed"].values()) for one in run["operations"].values())
    recorded = json.loads((folder / "deployment.json").read_text())["services"]
    assert all(one["tls"] for one in recorded.values())
    assert not [path for path in folder.rglob("*") if path.is_file() and b"PRIVATE KEY" in path.read_bytes()]

    app = next(one["address"] for one in result("status", topology) if one["host"] == "app")
    asked = "setpriv --reuid=postgres --clear-groups psql -X -A -t -h /var/lib/loadstone/people/run loadstone"
    told = ssh("t-tls-measured", "db", f"{asked} <<'E'\n{ENCRYPTED.format(app)}\nE")
    number, encrypted, protocol = told.stdout.strip().split("|")
    assert int(number) > 0 and (encrypted, protocol) == ("t", "TLSv1.3"), told
