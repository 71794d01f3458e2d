"""A run against services on lab hosts, one of which is killed meanwhile: what the record says of it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import lab_sites
import pytest
from following import PATIENCE_S, eventually
from labs import loadstone, ssh

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

SERVICES = """
[[service]]
name = "balancer"
role = "haproxy"
hosts = ["lb"]
[service.settings]
backends = "web"

[[service]]
name = "web"
role = "nginx"
kind = "web"

[[service]]
name = "people"
role = "mariadb"
hosts = ["web1"]
port = 13306

[[service]]
name = "events"
role = "postgresql"
hosts = ["web2"]

[[service]]
name = "cache"
role = "memcached"
hosts = ["lb"]
"""
OWN = {
    "balancer": {"connections", "backends_up", "requests_per_s"},
    "web": {"connections", "requests_per_s"},
    "people": {"connections", "connections_most", "queries_per_s", "lock_waits"},
    "events": {"connections", "connections_most", "commits_per_s", "lock_waits"},
    "cache": {"connections", "hits_per_s", "stored_bytes_most"},
}
USED = {"alive", "cpu_cores", "rss_bytes", "processes"}


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    path = tmp_path / "page.toml"
    path.write_text("""
format = 1
name = "page"
[target]
url = "http://set-by-the-command.example"
[load]
users = 10
ramp_up_s = 1
steady_s = 600
ramp_down_s = 0
[pacing]
cycle = { kind = "fixed", value_s = 0.2 }
[sla]
window_s = 10
[[operation]]
name = "Page"
limit_s = 20
step = [{ get = "/" }]
""")
    return path


def kinds(journal: Path) -> list[str]:
    """Of the events that the journal has so far."""
    lines = journal.read_text().splitlines() if journal.is_file() else []
    return [json.loads(line)["event"]["kind"] for line in lines if line.startswith('{"event"')]


def test_a_database_is_killed_in_mid_run(lab_file: Path, scenario: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with lab_sites.site(lab_file, SERVICES) as (site, hosts):
        lab_sites.put(site, hosts)
        command = ["run", str(scenario), "--topology", str(site.topology.path), "--service", "balancer"]
        run = subprocess.Popen(
            [sys.executable, "-m", "loadstone", *command, "--out", str(folder)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        journal = folder / "journal.ndjson"

        def counted() -> bool:
            text = journal.read_text() if journal.is_file() else ""
            return text.count('{"window"') > 3 and all(
                f'"{name}"' in text
                for name in ("queries_per_s", "commits_per_s", "hits_per_s", "backends_up")
            )

        eventually(lambda: counted() or run.poll() is not None, "no counters")
        lab = site.topology.name
        assert (
            ssh(lab, "web1", "kill -9 $(cut -d' ' -f1 /var/lib/loadstone/people/run/first)").returncode == 0
        )
        eventually(lambda: "service-died" in kinds(journal), "nobody saw it die")
        loadstone("restart", site.topology.path, "--only", "people")
        eventually(lambda: "service-came-back" in kinds(journal), "nobody saw it come back")
        run.terminate()
        _, said = run.communicate(timeout=PATIENCE_S)
        assert not ssh(lab, "web1", "pgrep -f '[h]ost.watch|hello'").stdout

    result: dict[str, Any] = json.loads((folder / "run.json").read_text())
    told = [event for event in result["events"] if event.get("service")]
    assert [(one["kind"], one["host"], one["service"]) for one in told] == [
        ("service-died", "web1", "people"),
        ("service-came-back", "web1", "people"),
    ]
    assert told[0]["second"] < told[1]["second"]
    note = f"database `people` on web1 died after {told[0]['second']} s"
    assert note in said and note in result["warnings"]
    assert (result["limited_by"]["resource"], result["limited_by"]["said"]) == ("down", note)
    assert [host["host"] for host in result["hosts"]] == ["lb", "web1", "web2"]

    services, watched = folder / "services.parquet", folder / "hosts.parquet"
    found = asked(f"SELECT DISTINCT service, metric FROM '{services}'")
    for service, metrics in OWN.items():
        lacking = (metrics | USED) - {metric for name, metric in found if name == service}
        assert not lacking, f"{service} lacks {lacking}"
    [(dead,)] = asked(f"SELECT count(*) FROM '{services}' WHERE metric = 'alive' AND value = 0")
    assert dead >= 1
    [(windows,)] = asked(f"SELECT count(*) FROM '{folder / 'engine.parquet'}'")
    seconds = asked(
        f"SELECT host, count(DISTINCT second) FROM '{watched}' WHERE role = 'watched' GROUP BY 1 ORDER BY 1"
    )
    assert [host for host, _ in seconds] == ["lb", "web1", "web2"]
    # A second that two lines fell into leaves another empty.
    assert all(count > 0.7 * windows - 3 for _, count in seconds)
    # Requests that the balancer counts are those that were made: 10 users, five a second each.
    one = f"FROM '{services}' WHERE service = 'balancer' AND metric = 'requests_per_s'"
    [(served,)] = asked(f"SELECT avg(value) {one}")
    assert 10 < served < 100


def asked(query: str) -> list[tuple[Any, ...]]:
    with duckdb.connect() as connection:
        return connection.execute(query).fetchall()
