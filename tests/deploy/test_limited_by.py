"""A site whose database has a tenth of a processor: a run says that this limits it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import lab_sites
import pytest
from labs import loadstone

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

HOSTS = """
[[host]]
name = "app"
[[host]]
name = "db"
cpus = 0.1
"""
SERVICES = """
[[service]]
name = "shop"
role = "command"
hosts = ["app"]
port = 8000
[service.settings]
source = "shop.py"
command = "python3 shop.py {port} {database.address} {database.port}"
secrets = { MYSQL_PWD = { service = "database" } }
health = { http = "/health" }

[[service]]
name = "database"
role = "mariadb"
hosts = ["db"]
"""
# A page is worth three periods of the database's quota and more: it stands still in nearly all of them,
# however busy this machine is.
SHOP = """
import http.server, subprocess, sys

PORT, HOST, DATABASE = sys.argv[1:]
ASK = ["mariadb", "-h", HOST, "-P", DATABASE, "-u", "loadstone", "-N", "-e"]

class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        work = "SELECT 1" if self.path == "/health" else "SELECT BENCHMARK(200000, SHA2('page', 256))"
        found = subprocess.run([*ASK, work], capture_output=True, text=True).stdout.encode()
        self.send_response(200 if found else 503)
        self.send_header("Content-Length", str(len(found)))
        self.end_headers()
        self.wfile.write(found)

http.server.ThreadingHTTPServer(("0.0.0.0", int(PORT)), Page).serve_forever()
"""
SCENARIO = """
format = 1
name = "shop"
[target]
url = "http://set-by-the-command.example"
[load]
users = 1
ramp_up_s = 1
steady_s = 10
ramp_down_s = 0
[pacing]
think = { kind = "fixed", value_s = 0.01 }
[sla]
window_s = 10
[[operation]]
name = "Page"
limit_s = 0.02
step = [{ get = "/" }]
"""


def test_a_throttled_database_is_named_by_tier_and_resource(lab_file: Path, tmp_path: Path) -> None:
    lab_file.with_name("shop.py").write_text(SHOP)
    scenario, folder = tmp_path / "shop.toml", tmp_path / "run"
    scenario.write_text(SCENARIO)
    with lab_sites.site(lab_file, SERVICES) as (site, hosts):
        lab_sites.put(site, hosts)
        on = ("--topology", site.topology.path, "--service", "shop", "--out", folder)
        done = loadstone("run", scenario, *on, check=False, timeout_s=300)
    # Whether a busy machine lets the verdict count is not what is asked here.
    assert done.returncode in (0, 1, 5, 6, 7), done.stderr
    found: dict[str, Any] = json.loads((folder / "run.json").read_text())["limited_by"]
    named = ("database", "database", "db", "cpu")
    assert (found["tier"], found["service"], found["host"], found["resource"]) == named, found
    assert found["throttled_share"] >= 0.5
    assert "of a quota of 0.1 cores" in found["said"] and "throttled in" in found["said"]
    assert f"limited by {found['said']}" in done.stdout
    with duckdb.connect() as connection:
        seen = connection.execute(
            "SELECT host, metric, max(value) FROM read_parquet(?) WHERE metric LIKE 'cpu_throttled%' OR "
            "metric = 'cpu_quota_cores' GROUP BY ALL ORDER BY ALL", [str(folder / "hosts.parquet")]
        ).fetchall()  # fmt: skip
    assert [(host, metric) for host, metric, _ in seen] == [
        ("db", "cpu_quota_cores"), ("db", "cpu_throttled_cores"), ("db", "cpu_throttled_share"),
    ]  # fmt: skip
    assert seen[0][2] == pytest.approx(0.1)
