"""A stack on hosts of a lab: two of it behind a balancer, one database, one memcached, measured."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from loadstone.site.stack import STACKS, Stack
from loadstone.site.stack.running import set_up

pytestmark = [
    pytest.mark.stacks,
    pytest.mark.timeout(1200),
    pytest.mark.skipif(os.geteuid() != 0, reason="a lab needs root"),
]

TOPOLOGY = """
format = 1
name = "stack"
[[host]]
name = "front"
[[host]]
name = "web1"
kind = "web"
[[host]]
name = "web2"
kind = "web"
[[host]]
name = "db"
[[host]]
name = "kept"

[[service]]
name = "balancer"
role = "nginx"
hosts = ["front"]
[service.settings]
backends = "app"

[[service]]
name = "app"
role = "ROLE"
hosts = ["web1", "web2"]
[service.settings]
database = "database"
accounts = 250
media_scale = 0.01
cache = "page"
memcached = "pages"

[[service]]
name = "database"
role = "mariadb"
hosts = ["db"]

[[service]]
name = "pages"
role = "memcached"
hosts = ["kept"]
"""


def loadstone(folder: Path, *words: str, good: tuple[int, ...] = (0,)) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "loadstone", *words], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode in good, done.stdout + done.stderr
    return done.stdout


def found_in_memcached(run: Path) -> float:
    """Entries that the steady state asked for and memcached had."""
    with duckdb.connect() as connection:
        row = connection.execute(
            "SELECT sum(value) FROM read_parquet(?) WHERE service = 'pages' AND metric = 'hits_per_s'",
            [str(run / "services.parquet")],
        ).fetchone()
    return float(row[0]) if row and row[0] else 0.0


@pytest.mark.parametrize("stack", STACKS, ids=lambda stack: stack.folder)
def test_two_of_it_share_a_database_and_a_cache_behind_a_balancer(stack: Stack, tmp_path: Path) -> None:
    # Hosts of a lab have no way to the packages.
    set_up(stack.folder)
    (tmp_path / "site.toml").write_text(TOPOLOGY.replace("ROLE", stack.name))
    loadstone(tmp_path, "lab", "up", "site.toml")
    try:
        loadstone(tmp_path, "deploy", "site.toml")
        loadstone(
            tmp_path,
            *("run", "olio", "--topology", "site.toml", "--service", "balancer", "--out", "run"),
            *("--users", "25", "--set", "data.accounts=250", "--set", "data.media_scale=0.01"),
            *("--set", "load.ramp_up_s=10", "--set", "load.steady_s=20", "--set", "load.ramp_down_s=0"),
            # So short a run on a busy machine may miss its goals, or be called invalid.
            good=(0, 1, 5, 6, 7),
        )
        loadstone(tmp_path, "undeploy", "site.toml")
    finally:
        loadstone(tmp_path, "lab", "down", "site.toml")
    record = json.loads((tmp_path / "run/run.json").read_text())
    assert record["failures"] == []
    assert sum(one["ok"] for one in record["operations"].values()) > 50
    served = {service["role"] for host in record["hosts"] for service in host["services"]}
    assert served == {"nginx", stack.name, "mariadb", "memcached"}
    assert found_in_memcached(tmp_path / "run") > 50
