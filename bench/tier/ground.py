"""The lab that is measured: a site, its database and a copy of that, each on a host with a quota."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
from tier.variants import Variant

from loadstone.deploy import Site, configure, deploy, load_site, restart, undeploy
from loadstone.ssh import Ssh, ssh

_NAME = "database-tier"
_TOPOLOGY = """
format = 1
name = "database-tier"
[[host]]
name = "db"
cpus = 0.5
[[host]]
name = "copy"
cpus = 0.5
[[host]]
name = "web"

[[service]]
name = "database"
role = "DATABASE"
hosts = ["db"]

[[service]]
name = "copy"
role = "DATABASE"
hosts = ["copy"]
settings = { replica_of = "database" }

[[service]]
name = "site"
role = "olio"
hosts = ["web"]
settings = { database = "database", accounts = 1000, media_scale = 0.01, workers = 8 }
"""
_SCENARIO = """
format = 1
name = "tier"
[target]
url = "http://set-by-the-command.example"
[load]
users = 1
ramp_up_s = 2
steady_s = 10
ramp_down_s = 0
[pacing]
think = 0
[[operation]]
name = "Home"
limit_s = 10
step = [{ get = "/" }]
[[operation]]
name = "Event"
limit_s = 10
draw.event = { kind = "slice", count = 500 }
step = [{ get = "/events/{event}" }]
[[operation]]
name = "Person"
limit_s = 10
draw.person = { kind = "slice", count = 1000 }
step = [{ get = "/users/{person}" }]
[[operation]]
name = "Login"
limit_s = 10
draw.account = { kind = "slice", count = 1000 }
draw.username = { kind = "username", id = "{account}" }
[[operation.step]]
get = "/users/logout"
redirects = false
expect.status = 302
forget = true
[[operation.step]]
get = "/"
extract.token = { hidden = "authenticity_token" }
[[operation.step]]
post = "/users/login"
form = { authenticity_token = "{token}", "users[username]" = "{username}", "users[password]" = "{account}" }
expect.contains = "Hello"
[mix."*"]
Home = 0.3
Event = 0.4
Person = 0.2
Login = 0.1
"""


@dataclass
class Ground:
    """The deployed site."""

    site: Site
    hosts: Ssh
    folder: Path
    base: Site

    def configure(self, variant: Variant | None) -> None:
        """Gives the services the base's settings, but for the variant's, and starts all of them anew: some
        changes do, and both sides of a pair are to begin alike.
        """
        wanted = self.base.with_settings(variant.service, **variant.settings) if variant else self.base
        for name in ("database", "copy", "site"):
            configure(wanted, self.hosts, name, "discard")
        restart(wanted, self.hosts, lambda _: None)
        self.site = wanted

    def run(self, number: int, users: int, seconds: int) -> dict[str, Any]:
        """One run: operations a second, and what the database spent on each."""
        scenario, folder = self.folder / "tier.toml", self.folder / f"run-{len(list(self.folder.iterdir()))}"
        scenario.write_text(_SCENARIO, encoding="utf-8")
        command = [
            *(sys.executable, "-m", "loadstone", "run", scenario, "--topology", self.site.topology.path),
            *("--service", "site", "--users", users, "--set", f"load.steady_s={seconds}"),
            *("--seed", number, "--out", folder),
        ]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
        if not (folder / "run.json").is_file():
            raise RuntimeError(done.stderr)
        record = json.loads((folder / "run.json").read_text("utf-8"))
        steady, ops = record["steady"], record["throughput_ops_per_s"]
        with duckdb.connect() as connection:
            found = connection.execute(
                "SELECT service, avg(value) FROM read_parquet(?) WHERE metric = 'cpu_cores'"
                " AND second >= ? AND second < ? GROUP BY service",
                [str(folder / "services.parquet"), steady["start_s"], steady["end_s"]],
            ).fetchall()
        cores = dict(found)
        failed = sum(sum(one["failed"].values()) for one in record["operations"].values())
        return {
            "ops_per_s": ops,
            "failed": failed,
            "limited_by": (record["limited_by"] or {}).get("said"),
            **{f"{name}_cpu_ms_per_op": 1000 * cores[name] / ops for name in sorted(cores) if ops},
        }


@contextlib.contextmanager
def ground(folder: Path, database: str) -> Iterator[Ground]:
    """The lab with the base deployed, until the block ends."""
    file = folder / "site.toml"
    file.write_text(_TOPOLOGY.replace("DATABASE", database), encoding="utf-8")
    _loadstone("lab", "up", str(file))
    try:
        site = load_site(file)
        with ssh(site.topology) as hosts:
            deploy(site, hosts, lambda line: print(line, file=sys.stderr))
            try:
                yield Ground(site, hosts, folder, site)
            finally:
                undeploy(site, hosts, lambda _: None)
    finally:
        _loadstone("lab", "down", _NAME)


def _loadstone(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "loadstone", *words], check=True, capture_output=True, text=True)
