"""Olio on SQLite, PostgreSQL and MariaDB: pages a second, and CPU a page in the site and in the database.

Starts private database servers; load goes to loopback only. `python bench/databases.py [REQUESTS]`
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import psutil

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "parity"))

from servers import MariaDb, Postgres, Server

CONNECTIONS = 4
ROUNDS = 5
PATHS = ("/", "/events/1")


def cpu_s(root: int) -> float:
    """CPU seconds so far of a process and its living and waited-for children."""
    total = 0.0
    for process in [psutil.Process(root), *psutil.Process(root).children(recursive=True)]:
        times = process.cpu_times()
        total += times.user + times.system
    return total


def measure(place: str, requests: int, database: int | None) -> list[list[float]]:
    """For each path and round: pages/s, CPU us a page in the site, and in the database."""
    options = json.dumps({"app": "olio", "address": "127.0.0.1:0", "workers": CONNECTIONS})
    command = [sys.executable, "-m", "loadstone.serve", place, options]
    site = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert site.stdout
        url = json.loads(site.stdout.readline())["url"]
        rows = []
        for path in PATHS:
            load = ["ab", "-q", "-k", "-n", str(requests), "-c", str(CONNECTIONS), url + path]
            subprocess.run(load, check=True, capture_output=True)
            for _ in range(ROUNDS):
                before = cpu_s(site.pid), cpu_s(database) if database else 0.0
                done = subprocess.run(load, check=True, capture_output=True, text=True)
                after = cpu_s(site.pid), cpu_s(database) if database else 0.0
                if "Non-2xx" in done.stdout or "Failed requests:        0" not in done.stdout:
                    raise RuntimeError(done.stdout)
                rate = next(
                    line for line in done.stdout.splitlines() if line.startswith("Requests per second")
                )
                used = [(late - early) / requests * 1e6 for early, late in zip(before, after, strict=True)]
                rows.append([float(rate.split()[3]), *used])
        return rows
    finally:
        site.kill()
        site.communicate()


def main() -> None:
    """Prints the table."""
    requests = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    folder = Path(tempfile.mkdtemp(prefix="loadstone-databases-"))
    folder.chmod(0o755)
    servers: list[Server] = []
    print(f"{'database':10} {'page':10} {'pages/s':>8} {'site us/page':>13} {'database us/page':>17}")
    try:
        for name, kind in (("sqlite", None), ("postgres", Postgres), ("mariadb", MariaDb)):
            place, process = str(folder / "sqlite"), None
            if kind:
                (folder / name).mkdir()
                if not os.geteuid():
                    shutil.chown(folder / name, "nobody", "nogroup")
                server = kind(folder / name)
                servers.append(server)
                server.install()
                assert server.process
                place, process = server.url, server.process.pid
            where = "--database" if kind else "--out"
            load = [sys.executable, "-m", "loadstone", "olio", "load", "--accounts", "1000", "--json"]
            subprocess.run([*load, where, place], check=True, capture_output=True)
            rows = measure(place, requests, process)
            for index, path in enumerate(PATHS):
                columns = zip(*rows[index * ROUNDS : (index + 1) * ROUNDS], strict=True)
                rate, site, database = (statistics.median(column) for column in columns)
                print(f"{name:10} {path:10} {rate:8.0f} {site:13.0f} {database:17.0f}", flush=True)
            for server in servers:
                server.stop()
    finally:
        for server in servers:
            server.stop()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
