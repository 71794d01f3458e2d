"""Native and hardened servers: throughput, response time, and CPU time a request, total and user.

Each FOLDER is what `loadstone harden server NAME --mode MODE --into FOLDER` made; all must hold the same
server, the native one first. The variants are measured in turn, round by round: so their CPU time a request
compares well on a busy machine, too; their throughput does not. redis-benchmark (the first folder's) loads
Redis, and ab httpd. Connections of our own load memcached, 50 commands at once, with YCSB's mixes A (half of
the commands are updates) and B (one in twenty).

    python bench/hardened_servers.py memcached-off memcached-ilr memcached-tmr [--rounds 5] [--out FOLDER]
"""

from __future__ import annotations

import argparse
import csv
import functools
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import psutil
from peer_servers import free_port, wait_for

Loaded = dict[str, float]
"""requests, requests_per_s, response_ms (mean)"""
AT_ONCE = 50
KEYS = 10_000
VALUE = b"v" * 100
REQUESTS = 400_000


def main() -> None:
    """Measures and says."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    kinds = {_kind(folder) for folder in options.folders}
    if len(kinds) != 1:
        parser.error(f"the folders hold different servers: {', '.join(sorted(kinds))}")
    start, loads = KINDS[kinds.pop()]
    os.environ["PATH"] = f"{options.folders[0].absolute()}/install/bin:{os.environ['PATH']}"
    rows: list[dict[str, Any]] = []
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
    for number in range(options.rounds):
        for folder in options.folders:
            rows += _measure(folder, start, loads, number, options.out)
        print(f"round {number + 1} of {options.rounds}", file=sys.stderr, flush=True)
    print(table(rows))


def _kind(folder: Path) -> str:
    for kind, program in {"memcached": "memcached", "redis": "redis-server", "httpd": "httpd"}.items():
        if (folder / "install" / "bin" / program).is_file():
            return kind
    raise SystemExit(
        f"{folder}: there is no server; make one with `loadstone harden server NAME --into {folder}`"
    )


def _measure(
    folder: Path,
    start: Callable[..., list[str]],
    loads: dict[str, Callable[[int], Loaded]],
    number: int,
    out: Path | None,
) -> list[dict[str, Any]]:
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        port = free_port()
        words = start(folder.absolute() / "install", port, Path(scratch))
        log = Path(scratch) / "said.log"
        with log.open("wb") as said:
            server = subprocess.Popen(words, stdout=said, stderr=said)
        try:
            wait_for(folder.name, server, port, log)
            for name, load in loads.items():
                load(port)  # fills the store and warms up
                before = _cpu(server.pid)
                found = load(port)
                user, total = (after - was for after, was in zip(_cpu(server.pid), before, strict=True))
                if server.poll() is not None:
                    raise SystemExit(f"{folder}: the server ended with {server.returncode} under {name}")
                row = {"variant": folder.name, "load": name, "round": number} | found
                row |= {"user_us": user / found["requests"] * 1e6, "cpu_us": total / found["requests"] * 1e6}
                rows.append(row)
                if out:
                    with (out / "rows.ndjson").open("a") as file:
                        file.write(json.dumps(row) + "\n")
        finally:
            server.terminate()
            server.wait(20)
    return rows


def _cpu(pid: int) -> tuple[float, float]:
    """Seconds in user mode, and in all, of a process and its children."""
    process = psutil.Process(pid)
    times = [each.cpu_times() for each in (process, *process.children(recursive=True))]
    user = sum(each.user for each in times)
    return user, user + sum(each.system for each in times)


def _start_memcached(install: Path, port: int, _scratch: Path) -> list[str]:
    return [str(install / "bin" / "memcached"), "-l", "127.0.0.1", "-p", str(port), "-u", "root", "-t", "4"]


def _start_redis(install: Path, port: int, scratch: Path) -> list[str]:
    program = str(install / "bin" / "redis-server")
    return [program, "--bind", "127.0.0.1", "--port", str(port), "--save", "", "--dir", str(scratch)]


def _start_httpd(install: Path, port: int, scratch: Path) -> list[str]:
    (scratch / "site").mkdir()
    (scratch / "site" / "1k.bin").write_bytes(b"x" * 1024)
    (scratch / "site" / "20k.bin").write_bytes(b"x" * 20480)
    text = (install / "conf" / "httpd.conf").read_text()
    text = re.sub(r"^(User|Group) .*$", "", text, flags=re.M)
    text = re.sub(r"^Listen .*$", f"Listen 127.0.0.1:{port}", text, flags=re.M)
    text = text.replace(str(install / "htdocs"), str(scratch / "site"))
    text += f"\nServerName localhost\nPidFile {scratch}/pid\nErrorLog {scratch}/log\nMaxKeepAliveRequests 0\n"
    (scratch / "httpd.conf").write_text(text)
    return [str(install / "bin" / "httpd"), "-DFOREGROUND", "-f", str(scratch / "httpd.conf")]


def _memcached(connections: int, updates: float) -> Callable[[int], Loaded]:
    def load(port: int) -> Loaded:
        each = REQUESTS // connections // AT_ONCE * AT_ONCE
        plans = [_commands(seed, updates, each) for seed in range(connections)]
        waits: list[float] = []
        broken: list[str] = []
        users = [threading.Thread(target=_talk, args=(port, plan, waits, broken)) for plan in plans]
        begun = time.monotonic()
        for user in users:
            user.start()
        for user in users:
            user.join()
        took = time.monotonic() - begun
        if broken:
            raise SystemExit(f"memcached: {broken[0]}")
        requests = connections * each
        return {
            "requests": requests,
            "requests_per_s": requests / took,
            "response_ms": statistics.fmean(waits) * 1000,
        }

    return load


@functools.cache
def _commands(seed: int, updates: float, count: int) -> list[bytes]:
    """YCSB's keys: Zipf's law; what lies beyond the last key comes round again."""
    draw = numpy.random.default_rng(seed)
    keys = draw.zipf(1.1, count) % KEYS
    writes = draw.random(count) < updates
    return [
        b"ms k%d %d\r\n%s\r\n" % (key, len(VALUE), VALUE) if write else b"mg k%d v\r\n" % key
        for key, write in zip(keys.tolist(), writes.tolist(), strict=True)
    ]


def _talk(port: int, commands: list[bytes], waits: list[float], broken: list[str]) -> None:
    with socket.create_connection(("127.0.0.1", port)) as peer, peer.makefile("rb") as answers:
        for at in range(0, len(commands), AT_ONCE):
            begun = time.monotonic()
            peer.sendall(b"".join(commands[at : at + AT_ONCE]))
            for _ in range(AT_ONCE):
                head = answers.readline()
                if head.startswith(b"VA "):
                    if answers.readline() != VALUE + b"\r\n":
                        broken.append("a value is not what was stored")
                        return
                elif head not in (b"EN\r\n", b"HD\r\n"):
                    broken.append(f"an answer is {head!r}")
                    return
            waits.append(time.monotonic() - begun)


def _redis(*words: str) -> Callable[[int], Loaded]:
    def load(port: int) -> Loaded:
        command = ["redis-benchmark", "-p", str(port), "-n", "100000", "--csv", *words]
        said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600).stdout
        rows = [row for row in csv.DictReader(said.splitlines()) if "LPUSH (needed" not in row["test"]]
        rates = [float(row["rps"]) for row in rows]
        return {
            "requests": 100_000 * len(said.splitlines()[1:]),
            "requests_per_s": statistics.harmonic_mean(rates),
            "response_ms": statistics.fmean(float(row["avg_latency_ms"]) for row in rows),
        }

    return load


def _httpd(file: str, connections: int) -> Callable[[int], Loaded]:
    def load(port: int) -> Loaded:
        url = f"http://127.0.0.1:{port}/{file}"
        command = ["ab", "-q", "-k", "-n", "50000", "-c", str(connections), url]
        said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600).stdout
        if int(re.findall(r"Failed requests: +(\d+)", said)[0]) or "Non-2xx" in said:
            raise SystemExit(f"httpd: requests failed\n{said}")
        return {
            "requests": 50_000,
            "requests_per_s": float(re.findall(r"Requests per second: +([\d.]+)", said)[0]),
            "response_ms": float(re.findall(r"Time per request: +([\d.]+) \[ms\] \(mean\)", said)[0]),
        }

    return load


KINDS: dict[str, tuple[Callable[..., list[str]], dict[str, Callable[[int], Loaded]]]] = {
    "memcached": (
        _start_memcached,
        {
            f"{mix} × {users}": _memcached(users, part)
            for mix, part in (("A", 0.5), ("B", 0.05))
            for users in (1, 4, 16)
        },
    ),
    "redis": (
        _start_redis,
        {
            **{f"get, set × {users}": _redis("-t", "get,set", "-c", str(users)) for users in (1, 8, 50)},
            "get, set, 32 at once": _redis("-t", "get,set", "-P", "32"),
            "lrange of 100": _redis("-t", "lrange_100"),
        },
    ),
    "httpd": (
        _start_httpd,
        {f"{file} × {users}": _httpd(file, users) for file in ("1k.bin", "20k.bin") for users in (1, 8, 32)},
    ),
}
"""How each server is started, and its loads: a name, with the number of connections, and what makes it."""


def table(rows: list[dict[str, Any]]) -> str:
    """Medians over the rounds; ratios are of the first variant's CPU time to this one's."""
    lines = [
        "| load | variant | requests/s | response, ms | CPU, µs | user, µs | first ÷ this, CPU | user |",
        "|---" * 8 + "|",
    ]
    middle: dict[tuple[str, str], dict[str, float]] = {}
    for row in rows:
        same = [each for each in rows if (each["load"], each["variant"]) == (row["load"], row["variant"])]
        middle[row["load"], row["variant"]] = {
            key: statistics.median(each[key] for each in same)
            for key in ("requests_per_s", "response_ms", "cpu_us", "user_us")
        }
    for (load, variant), found in sorted(middle.items(), key=lambda each: each[0][0]):
        first = middle[load, rows[0]["variant"]]
        ratios = [first[key] / found[key] if found[key] else float("nan") for key in ("cpu_us", "user_us")]
        lines.append(
            f"| {load} | {variant} | {found['requests_per_s']:,.0f} | {found['response_ms']:.3f} |"
            f" {found['cpu_us']:.2f} | {found['user_us']:.2f} | {ratios[0]:.2f} | {ratios[1]:.2f} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
