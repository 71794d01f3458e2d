"""A hundred thousand users that mostly pause, on one machine, by one command.

A process may have only so many open files, and an address only so many ports: the users are shared by
agents on lab hosts, and nginx on another one has a process for each agent. Memory is that of the command
and of all agents, with what they share counted for each.

    sudo .venv/bin/python bench/many_agents.py [--users 100000] [--agents 6] [--seconds 120] [--pause 100]
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
from engine import NGINX, PAGE, keep
from many_users import MIB, SCENARIO

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "lab"))

from labs import described, lab, ssh

NAME = "b-many"
USERS_EACH_SECOND = 1_500
"""How fast they come."""


def agents() -> list[int]:
    """Process ids of the agents on all hosts of this machine."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and entry.name != str(os.getpid()):
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if b"python" in words[0] and any(b"loadstone/agent-" in word for word in words[1:]):
                found.append(int(entry.name))
    return found


def watched(command: list[str]) -> tuple[list[float], list[float]]:
    """Resident MiB of the command, and of all agents, each second until it ends."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    command_mib, agents_mib = [], []
    while child.poll() is None:
        command_mib.append(resident_bytes(child.pid) / MIB)
        agents_mib.append(sum(resident_bytes(pid) for pid in agents()) / MIB)
        time.sleep(1)
    if child.returncode:
        raise SystemExit(f"{command[0]} ended with {child.returncode}")
    return command_mib, agents_mib


def serve(processes: int) -> None:
    """nginx on the host `web`, each process with a queue of its own."""
    settings = NGINX.replace(
        "worker_processes 1;", f"worker_processes {processes}; worker_rlimit_nofile 20000;"
    )
    settings = settings.replace("worker_connections 4096", "worker_connections 19900")
    settings = settings.replace("listen 127.0.0.1:{port} backlog=4096;", "listen 80 reuseport backlog=4096;")
    config = settings.format(folder="/srv").replace("daemon off; ", "")
    page = f"mkdir -p /srv/site; printf %s '{PAGE.decode()}' >/srv/site/index.html"
    start = "nginx -c /srv/nginx.conf -p /srv </dev/null"
    done = ssh(NAME, "web", f"{page}; cat >/srv/nginx.conf <<'END'\n{config}\nEND\n{start}")
    if done.returncode:
        raise SystemExit(done.stderr)


def main() -> None:
    """From no lab to no lab."""
    parser = asked.parser(__doc__)
    for name, value in {"users": 100_000, "agents": 6, "seconds": 120, "pause": 100}.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    options = parser.parse_args()
    names = [f"users{number}" for number in range(1, options.agents + 1)]
    hosts = "".join(f'[[host]]\nname = "{name}"\n' for name in ("web", *names))
    with tempfile.TemporaryDirectory() as scratch, lab(Path(scratch), NAME, hosts) as topology:
        serve(options.agents)
        addresses = {host["name"]: host["address"] for host in described(NAME)["hosts"]}
        text = SCENARIO.format(
            port=80,
            users=options.users,
            threads=1,
            ramp_up=options.users // USERS_EACH_SECOND,
            seconds=options.seconds,
            pause=options.pause,
        )
        file, out = Path(scratch) / "scenario.toml", Path(scratch) / "run"
        file.write_text(text.replace("127.0.0.1:80", addresses["web"]), encoding="utf-8")
        loadstone = str(Path(sys.executable).with_name("loadstone"))
        command = [loadstone, "run", str(file), "--topology", str(topology), "--agents", ",".join(names)]
        command_mib, agents_mib = watched([*command, "--out", str(out)])
        sums = "sum(requests), sum(cpu_user_s), sum(cpu_sys_s), max(connections), max(users)"
        ((requests, user_s, system_s, connections, users),) = duckdb.sql(
            f"SELECT {sums} FROM '{out}/engine.parquet'"
        ).fetchall()
        run = json.loads((out / "run.json").read_text(encoding="utf-8"))
    both = [a + b for a, b in zip(command_mib, agents_mib, strict=True)]
    figures = {
        "users": users,
        "connections": connections,
        "resident_mib_most": max(both),
        "resident_mib_of_agents_most": max(agents_mib),
        "resident_mib_of_command_most": max(command_mib),
        "requests": requests,
        "failed": run["operations"]["Page"]["count"] - run["operations"]["Page"]["ok"],
        "response_ms_p99": run["operations"]["Page"]["response_ms"]["p99"],
        "engine_user_us_per_request": user_s * 1e6 / requests,
        "engine_sys_us_per_request": system_s * 1e6 / requests,
        "wake_lag_ms_p99": run["generator"]["wake_lag_ms_p99"],
    }
    for what, value in figures.items():
        print(f"{what:30} {value:14,.2f}")
    print("validity:", run["validity"]["state"])
    keep("many-agents", asked.command("bench/many_agents.py", options), [], {"all": figures})


if __name__ == "__main__":
    main()
