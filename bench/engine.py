"""The load engine beside wrk and ab: CPU time per request on one static page, interleaved, in one run.

nginx serves a 166-byte page from a private folder on one core, each generator runs on the other.
Requests are counted by nginx, CPU time by the kernel for the generator's whole process.

    python bench/engine.py [--seconds 5] [--rounds 5] [--connections 64]
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

import asked
import kept

ROOT = Path(__file__).resolve().parent.parent
LOADS = Path(__file__).resolve().parent / "loads"

Round = dict[str, dict[str, float]]
"""Figures of each generator by name."""

PAGE = (b"<!doctype html><title>page</title><p>" + b"x" * 166)[:166]

NGINX = """
daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log;
events {{ worker_connections 4096; }}
http {{
  access_log off; keepalive_requests 100000000; keepalive_timeout 300; default_type text/html;
  open_file_cache max=100 inactive=60s;
  server {{ listen 127.0.0.1:{port} backlog=4096; root {folder}/site; location = /count {{ stub_status; }} }}
}}
"""


def free_port() -> int:
    """A TCP port nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def page_server(core: int) -> Iterator[str]:
    """nginx on one core; yields its URL."""
    with nginx_on(core, NGINX, ("port",)) as ports:
        yield f"http://127.0.0.1:{ports['port']}/"


@contextmanager
def nginx_on(
    core: int,
    settings: str,
    names: Sequence[str],
    sign: str = "",
    pages: Mapping[str, bytes] = MappingProxyType({"index.html": PAGE}),
) -> Iterator[dict[str, int]]:
    """nginx on one core with the pages; yields its ports, by the names they have in the settings.

    `sign` is run in the folder first.
    """
    with tempfile.TemporaryDirectory() as name:
        folder, ports = Path(name), {each: free_port() for each in names}
        (folder / "site").mkdir()
        for file, content in pages.items():
            (folder / "site" / file).write_bytes(content)
        os.chmod(folder, 0o755)
        if sign:
            subprocess.run(sign.split(), cwd=folder, check=True, capture_output=True)
        (folder / "nginx.conf").write_text(settings.format(folder=folder, **ports))
        nginx = shutil.which("nginx") or "/usr/sbin/nginx"
        command = ["taskset", "-c", str(core), nginx, "-c", f"{folder}/nginx.conf", "-p", name]
        server = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        try:
            for port in ports.values():
                wait_for(port)
            yield ports
        finally:
            server.terminate()
            server.wait()


def wait_for(port: int) -> None:
    """Returns when the port accepts connections."""
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.02)
    raise SystemExit("nginx did not start")


def requests_served(url: str) -> int:
    """Requests that nginx has counted since it started."""
    with urllib.request.urlopen(url + "count") as answer:
        match = re.search(r"\n\s*\d+ \d+ (\d+)", answer.read().decode())
    assert match, "nginx's status page has changed its form"
    return int(match.group(1))


def measure(command: list[str], url: str, core: int) -> dict[str, float]:
    """CPU µs per request (user, sys, both) and requests/s of one generator."""
    before, started = requests_served(url), time.monotonic()
    child = subprocess.Popen(["taskset", "-c", str(core), *command], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit(f"{command[0]} failed with {child.returncode}")
    elapsed, served = time.monotonic() - started, requests_served(url) - before - 1
    return {
        "user_us": usage.ru_utime * 1e6 / served,
        "sys_us": usage.ru_stime * 1e6 / served,
        "cpu_us": (usage.ru_utime + usage.ru_stime) * 1e6 / served,
        "requests_per_s": served / elapsed,
    }


def found(program: str) -> str | None:
    """Where a peer is: on the PATH, or where cargo and Go put what they install."""
    homes = [Path.home() / "go" / "bin", Path.home() / ".cargo" / "bin"]
    return shutil.which(program, path=os.pathsep.join([os.environ["PATH"], *map(str, homes)]))


def flatout() -> str:
    """The engine's example program; it is built first."""
    subprocess.run(
        ["cargo", "build", "--release", "--quiet", "-p", "loadstone-engine", "--example", "flatout"],
        cwd=ROOT,
        check=True,
    )
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    return str(target / "release" / "examples" / "flatout")


def generators(url: str, seconds: int, connections: int) -> dict[str, list[str]]:
    """Command line of each generator."""
    return {
        "loadstone": [flatout(), url, str(connections), str(seconds), "1"],
        "wrk": ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", url],
        "ab": ["ab", "-q", "-k", f"-c{connections}", f"-t{seconds}", "-n100000000", url],
    }


def main() -> None:
    """Runs all rounds, prints the table, keeps the raw figures under bench/runs/."""
    options = asked.numbers(__doc__)
    with page_server(core=0) as url:
        commands = generators(url, options.seconds, options.connections)
        rounds = measure_rounds(commands, url, options.rounds)
    summary = compared(rounds, "wrk", lambda _: "wrk")
    keep("engine", asked.command("bench/engine.py", options), rounds, summary)


def compared(rounds: list[Round], peer: str, beside: Callable[[str], str]) -> Round:
    """Medians of all figures, printed, with CPU per request beside `peer`'s.

    `beside` has the name of the peer's row for a generator's. A ratio is the median of those of the rounds.
    """
    summary = medians(rounds)
    print(f"{'':18} {'µs CPU/request':>15} {'user':>7} {'sys':>7} {'× ' + peer:>9} {'req/s':>8}")
    for name, row in summary.items():
        ratio = float("nan")
        if (other := beside(name)) in summary:
            ratio = statistics.median(one[name]["cpu_us"] / one[other]["cpu_us"] for one in rounds)
            row[f"cpu_ratio_to_{peer}"] = ratio
        print(
            f"{name:18} {row['cpu_us']:15.2f} {row['user_us']:7.2f} {row['sys_us']:7.2f} {ratio:9.2f}"
            f" {row['requests_per_s']:8.0f}"
        )
    return summary


def measure_rounds(commands: dict[str, list[str]], url: str, count: int) -> list[Round]:
    """Every generator in turn, so many times."""
    rounds: list[Round] = []
    for number in range(count):
        print(f"round {number + 1} of {count}", file=sys.stderr)
        rounds.append({name: measure(command, url, core=1) for name, command in commands.items()})
    return rounds


def medians(rounds: list[Round]) -> Round:
    """Of each figure of each generator."""
    return {
        name: {key: statistics.median(r[name][key] for r in rounds) for key in rounds[0][name]}
        for name in rounds[0]
    }


def keep(name: str, command: str, rounds: list[Round], summary: Round) -> None:
    """Writes command, machine and raw figures under bench/runs/<date>-<machine>/<name>.json."""
    record = kept.head(command) | {"summary_of_medians": summary, "rounds": rounds}
    file = kept.folder() / f"{name}.json"
    file.write_text(json.dumps(record, indent=1) + "\n")
    print(f"raw figures: {file.relative_to(ROOT)}", file=sys.stderr)


if __name__ == "__main__":
    main()
