"""Olio's stacks beside the built-in site: CPU an operation of application and database, and memory.

    sudo .venv/bin/python bench/stack_costs.py --out bench/runs/DATE-MACHINE/stack-costs
        [--only php --only java] [--database mariadb] [--users 50] [--steady 120]

One after the other, each on a database server of its own with fresh data, under the scenario `olio` with the
same users. Writes each run's record and `summary.json`. The load is far below what any of them carries:
this is what an operation costs, and no capacity. Memory is the sum over processes, so what they share counts
several times.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import duckdb

sys.path.insert(0, str(Path(__file__).parents[1] / "tests/fakes"))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests/parity"))

from servers import MariaDb, Postgres, Server

from loadstone.record.machine import machine
from loadstone.site.stack import STACKS
from loadstone.site.stack.running import Wanted, prepared, running

ROOT = Path(__file__).parents[1]
LOADSTONE = ROOT / ".venv/bin/loadstone"
SERVERS: dict[str, type[Server]] = {"mariadb": MariaDb, "postgres": Postgres}
DATA = {"profile": "cloudstone-2008", "media_scale": 1.0}
BUILT_IN = "built-in"
WORKERS = 8


def loadstone(*arguments: object, good: tuple[int, ...] = (0,)) -> None:
    """Runs a command; one that fails ends all here."""
    words = [str(one) for one in arguments]
    print("loadstone", *words, flush=True)
    code = subprocess.run([LOADSTONE, *words], cwd=ROOT, stdout=subprocess.DEVNULL).returncode
    if code not in good:
        sys.exit(f"loadstone {words[0]} ended with {code}")


@contextlib.contextmanager
def database(kind: type[Server]) -> Iterator[Server]:
    """A server of its own, gone after the block."""
    with tempfile.TemporaryDirectory(prefix="loadstone-stack-costs-") as folder:
        if not os.geteuid():
            shutil.chown(folder, "nobody", "nogroup")
        server = kind(Path(folder))
        server.install()
        try:
            yield server
        finally:
            server.stop()


@contextlib.contextmanager
def site(name: str, url: str) -> Iterator[tuple[str, int]]:
    """URL and first process of a stack, or of the built-in site, on a database."""
    if name != BUILT_IN:
        with contextlib.ExitStack() as stack:
            files, state = stack.enter_context(prepared(DATA))
            wanted = Wanted(name, url, files, state, options={"workers": WORKERS})
            one = stack.enter_context(running(wanted))
            yield one.url, one.process.pid
        return
    options = json.dumps({"app": "olio", "address": "127.0.0.1:0", "workers": WORKERS})
    command = [sys.executable, "-m", "loadstone.serve", url, options]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        yield json.loads(process.stdout.readline())["url"], process.pid
        process.terminate()


def measured(name: str, server: Server, given: argparse.Namespace) -> dict[str, object]:
    """One run of a stack; its line of the summary."""
    accounts = 10 * given.users
    loadstone("olio", "load", "--accounts", accounts, "--database", server.url, "--replace")
    run = given.out / name
    with site(name, server.url) as (url, pid):
        assert server.process
        loadstone(
            *("run", "olio", "--url", url, "--users", given.users, "--seed", 1, "--out", run),
            *("--sut-pid", pid, "--db-pid", server.process.pid, "--set", f"data.accounts={accounts}"),
            *("--set", f"load.steady_s={given.steady}", "--set", "load.ramp_up_s=60"),
            # A run may be short, and a machine busy: what it says of that is kept with it.
            good=(0, 1, 5, 6, 7),
        )
    return summed(name, run)


def summed(name: str, run: Path) -> dict[str, object]:
    """What one run says of CPU and memory in its steady state; what nobody reads again is removed."""
    record = json.loads((run / "run.json").read_text())
    steady = record["steady"]
    within = f"second >= {steady['start_s']} AND second < {steady['end_s']}"
    found = duckdb.sql(
        f"SELECT role, metric, avg(value), max(value) FROM read_parquet('{run / 'hosts.parquet'}')"
        f" WHERE {within} GROUP BY ALL"
    ).fetchall()
    mean = {(role, metric): average for role, metric, average, _ in found}
    most = {(role, metric): highest for role, metric, _, highest in found}
    for path in run.iterdir():
        if path.name not in ("run.json", "hosts.parquet"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    rate = record["throughput_ops_per_s"]
    operations = record["operations"].values()
    return {
        "stack": name,
        "operations_per_s": rate,
        "site_cpu_ms": 1000 * mean["sut", "cpu_cores"] / rate,
        "database_cpu_ms": 1000 * mean["database", "cpu_cores"] / rate,
        "memory_mib": most["sut", "rss_bytes"] / (1 << 20),
        "failed": sum(one["count"] - one["ok"] - one["late"] for one in operations),
        "late": sum(one["late"] for one in operations),
        "state": record["validity"]["state"],
    }


def main() -> None:
    """Measures each and writes the table."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--out", type=Path, required=True)
    asked.add_argument("--only", action="append")
    asked.add_argument("--database", choices=SERVERS, default="mariadb")
    asked.add_argument("--users", type=int, default=50)
    asked.add_argument("--steady", type=int, default=120)
    given = asked.parse_args()
    given.out = given.out.resolve()
    names = given.only or [BUILT_IN, *(stack.folder for stack in STACKS)]
    given.out.mkdir(parents=True, exist_ok=True)
    rows = []
    for name in names:
        with database(SERVERS[given.database]) as server:
            rows.append(measured(name, server, given))
        print(json.dumps(rows[-1]), flush=True)
        (given.out / "summary.json").write_text(json.dumps(rows, indent=2) + "\n")
    about = {"machine": machine(), "date": datetime.date.today().isoformat(), "command": sys.argv}
    (given.out / "about.json").write_text(json.dumps(about, indent=2) + "\n")


if __name__ == "__main__":
    main()
