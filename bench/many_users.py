"""What users that mostly pause need: the command's memory and CPU time with few of them and with many.

nginx serves the page of `engine.py`, and each user keeps a connection. The command runs as it is installed,
with a thread a core. Either end needs an open file for each user (`ulimit -Hn`); what 100,000 need follows
from the growth between the two runs, and is marked so.

    python bench/many_users.py [--users 19000] [--seconds 60] [--pause 20]
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import asked
import duckdb
from accounting import resident_bytes
from engine import NGINX, keep, nginx_on

SCENARIO = """format = 1
name = "many-users"
[target]
url = "http://127.0.0.1:{port}"
[load]
users = {users}
threads = {threads}
ramp_up_s = {ramp_up}
steady_s = {seconds}
ramp_down_s = 0
[pacing]
think = {{ kind = "neg-exp", mean_s = {pause} }}
[[operation]]
name = "Page"
limit_s = 1
step = [{{ get = "/" }}]
"""
MIB = 1 << 20
FEW = 1_000


def watched(command: list[str]) -> list[float]:
    """Resident MiB of a command twice a second until it ends."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    seen = []
    while child.poll() is None:
        seen.append(resident_bytes(child.pid) / MIB)
        time.sleep(0.5)
    if child.returncode:
        raise SystemExit(f"{command[0]} failed with {child.returncode}")
    return seen


def main() -> None:
    """Runs a few users and many, prints what each is, keeps the figures under bench/runs/."""
    parser = asked.parser(__doc__)
    parser.add_argument("--users", type=int, default=19_000)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--pause", type=float, default=20.0)
    options = parser.parse_args()
    found = {
        f"{users} users": measured(users, options.seconds, options.pause) for users in (FEW, options.users)
    }
    few, many = found.values()
    grown = (many["resident_mib_most"] - few["resident_mib_most"]) / (options.users - FEW)
    found["extrapolated"] = {
        "kib_each_user": grown * 1024,
        "mib_with_100000": many["resident_mib_most"] + grown * (100_000 - options.users),
    }
    for name, figures in found.items():
        for what, value in figures.items():
            print(f"{name:14} {what:28} {value:14,.2f}")
    keep("many-users", asked.command("bench/many_users.py", options), [], found)


def measured(users: int, seconds: int, pause: float) -> dict[str, float]:
    """What the command needed, from its start to the end of its report."""
    room = f"worker_processes 1; worker_rlimit_nofile {users + 200};"
    settings = NGINX.replace("worker_processes 1;", room)
    settings = settings.replace("worker_connections 4096", f"worker_connections {users + 100}")
    with nginx_on(0, settings, ("port",)) as ports, tempfile.TemporaryDirectory() as name:
        text = SCENARIO.format(
            users=users,
            seconds=seconds,
            pause=pause,
            port=ports["port"],
            threads=os.cpu_count() or 1,
            ramp_up=max(5, users // 1_000),
        )
        (Path(name) / "scenario.toml").write_text(text, encoding="utf-8")
        loadstone = str(Path(sys.executable).with_name("loadstone"))
        resident = watched([loadstone, "run", f"{name}/scenario.toml", "--out", f"{name}/run"])
        sums = "sum(requests), sum(cpu_user_s), sum(cpu_sys_s), max(connections), max(users)"
        ((requests, user_s, system_s, connections, most),) = duckdb.sql(
            f"SELECT {sums} FROM '{name}/run/engine.parquet'"
        ).fetchall()
        run = json.loads((Path(name) / "run" / "run.json").read_text(encoding="utf-8"))
    return {
        "users": most,
        "connections": connections,
        "resident_mib_most": max(resident),
        "requests": requests,
        "engine_user_us_per_request": user_s * 1e6 / requests,
        "engine_sys_us_per_request": system_s * 1e6 / requests,
        "wake_lag_ms_p99": run["generator"]["wake_lag_ms_p99"],
    }


if __name__ == "__main__":
    main()
