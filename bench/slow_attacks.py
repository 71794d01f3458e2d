"""Servers under clients that only hold on: how many of the others are answered, and how fast.

Each server serves one small and one large file from a folder. Thousands of attackers connect and stay; one
that is cut off comes again at once, as long as the measurement lasts. Meanwhile well-behaved clients come one
after the other, each on a connection of its own, ask for the small file and leave. The attacks:

    heads    a byte of an endless head every second
    bodies   a byte of an endless body every second
    readers  asks for the large file and reads 1 KB every second
    idle     asks for the small file, then stays and says nothing

    python bench/slow_attacks.py [--attackers 4000] [--seconds 15] [--server WORD]... [--attack WORD]...
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import asked
import kept
from peer_servers import ROOT, free_port, wait_for

PATIENCE_S = 5.0
"""A well-behaved client that has no answer by then has none."""
CLIENTS = 8
"""Well-behaved clients at a time."""
ASK = b"GET /small.html HTTP/1.1\r\nHost: localhost\r\n"
ATTACKS = {
    "heads": (b"GET /small.html HTTP/1.1\r\nHost: localhost\r\nX: ", b"x"),
    "bodies": (b"POST /small.html HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8000\r\n\r\n", b"x"),
    "readers": (b"GET /large.bin HTTP/1.1\r\nHost: localhost\r\n\r\n", b""),
    "idle": (ASK + b"\r\n", b""),
}
NGINX = """
daemon off; worker_processes auto; worker_rlimit_nofile 20000;
pid {folder}/nginx.pid; error_log {folder}/nginx.log;
events {{ worker_connections 9990; }}
http {{ access_log off; server {{ listen 127.0.0.1:{port} backlog=1024; root {folder}/site; }} }}
"""
APACHE = """
ServerRoot /etc/apache2
ServerName localhost
Listen 127.0.0.1:{port}
PidFile {folder}/apache.pid
ErrorLog {folder}/apache.log
LoadModule mpm_prefork_module {modules}/mod_mpm_prefork.so
LoadModule authz_core_module {modules}/mod_authz_core.so
{timeouts}
DocumentRoot {folder}/site
"""
REQTIMEOUT = """LoadModule reqtimeout_module {modules}/mod_reqtimeout.so
RequestReadTimeout header=20-40,minrate=500 body=20,minrate=500"""


def ours(connector: str, *words: str) -> Callable[[Path, int], list[str]]:
    """Our file server with a connector."""

    def command(folder: Path, port: int) -> list[str]:
        program = str(ROOT / ".venv" / "bin" / "loadstone")
        return [
            program,
            "serve",
            "files",
            str(folder / "site"),
            "--port",
            str(port),
            "--connector",
            connector,
            *words,
        ]

    return command


def nginx(folder: Path, port: int) -> list[str]:
    """nginx as Debian configures it, with as many connections as we have."""
    (folder / "nginx.conf").write_text(NGINX.format(folder=folder, port=port))
    return ["/usr/sbin/nginx", "-c", f"{folder}/nginx.conf", "-p", str(folder)]


def apache(folder: Path, port: int) -> list[str]:
    """Apache prefork with Debian's defaults (150 processes, mod_reqtimeout)."""
    modules = "/usr/lib/apache2/modules"
    timeouts = REQTIMEOUT.format(modules=modules)
    text = APACHE.format(folder=folder, port=port, modules=modules, timeouts=timeouts)
    (folder / "apache.conf").write_text(text)
    return ["/usr/sbin/apache2", "-DFOREGROUND", "-f", f"{folder}/apache.conf"]


SERVERS = {
    "loadstone threaded": ours("threaded"),
    "loadstone hybrid": ours("hybrid"),
    "loadstone event": ours("event"),
    "nginx": nginx,
    "Apache prefork": apache,
}


async def attack(port: int, kind: str, until: float, held: list[int]) -> None:
    """One attacker, who comes again whenever he is cut off; `held[0]` counts who is connected."""
    begin, drip = ATTACKS[kind]
    loop = asyncio.get_running_loop()
    while time.monotonic() < until:
        with socket.socket() as client, suppress(OSError, TimeoutError):
            client.setblocking(False)
            if kind == "readers":
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            await asyncio.wait_for(loop.sock_connect(client, ("127.0.0.1", port)), PATIENCE_S)
            held[0] += 1
            try:
                await hold_on(client, begin, drip, kind, until)
            finally:
                held[0] -= 1
        await asyncio.sleep(0.1)


async def hold_on(client: socket.socket, begin: bytes, drip: bytes, kind: str, until: float) -> None:
    """Keeps a connection as long as the server does."""
    loop = asyncio.get_running_loop()
    await loop.sock_sendall(client, begin)
    while time.monotonic() < until:
        if drip:
            await asyncio.sleep(1.0)
            await loop.sock_sendall(client, drip)
            with suppress(BlockingIOError):
                if not client.recv(1024):
                    return
        elif kind == "readers":
            await asyncio.sleep(1.0)
            with suppress(BlockingIOError):
                if not client.recv(1024):
                    return
        elif not await loop.sock_recv(client, 65536):
            return


async def ask(port: int, until: float, answers: list[float | None]) -> None:
    """Well-behaved clients, one after the other: seconds to each answer, none where there was none."""
    loop = asyncio.get_running_loop()
    while time.monotonic() < until:
        began = time.monotonic()
        with socket.socket() as client:
            client.setblocking(False)
            try:
                async with asyncio.timeout(PATIENCE_S):
                    await loop.sock_connect(client, ("127.0.0.1", port))
                    await loop.sock_sendall(client, ASK + b"Connection: close\r\n\r\n")
                    answer = b""
                    while piece := await loop.sock_recv(client, 65536):
                        answer += piece
                good = answer.startswith(b"HTTP/1.1 200 ")
                answers.append(time.monotonic() - began if good else None)
            except (OSError, TimeoutError):
                answers.append(None)
        await asyncio.sleep(0.1)


def besiege(port: int, kind: str, attackers: int, until: float) -> None:
    """All attackers, in a process of their own: says how many hold on when most do, and at the end."""

    async def all_of_them() -> None:
        held = [0]
        tasks = [asyncio.create_task(attack(port, kind, until, held)) for _ in range(attackers)]
        while time.monotonic() < until - 0.5:
            await asyncio.sleep(0.25)
            print(held[0], flush=True)
        for task in tasks:
            task.cancel()

    asyncio.run(all_of_them())


def measure(name: str, kind: str, options: argparse.Namespace) -> dict[str, float | str | int]:
    """One server under one attack."""
    with tempfile.TemporaryDirectory(prefix="slow-attacks-") as place:
        folder = Path(place)
        folder.chmod(0o755)
        (folder / "site").mkdir()
        (folder / "site" / "small.html").write_bytes(b"x" * 166)
        (folder / "site" / "large.bin").write_bytes(b"x" * (32 << 20))
        port = free_port()
        log = folder / "server.out"
        with log.open("w") as out:
            server = subprocess.Popen(
                SERVERS[name](folder, port), stdout=out, stderr=subprocess.STDOUT, start_new_session=True
            )
        try:
            wait_for(name, server, port, log)
            return besieged(name, kind, port, options)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(server.pid, 15)
            try:
                server.wait(15)
            except subprocess.TimeoutExpired:
                os.killpg(server.pid, 9)
                server.wait()


def besieged(name: str, kind: str, port: int, options: argparse.Namespace) -> dict[str, float | str | int]:
    """The attackers first; once they have had time to connect, the others."""
    began = time.monotonic()
    warm_s = options.warm
    until = began + warm_s + options.seconds
    words = ["--besiege", f"{port},{kind},{options.attackers},{until}"]
    siege = subprocess.Popen([sys.executable, __file__, *words], stdout=subprocess.PIPE, text=True)
    time.sleep(warm_s)
    answers: list[float | None] = []

    async def others() -> None:
        await asyncio.gather(*(ask(port, until - PATIENCE_S / 5, answers) for _ in range(CLIENTS)))

    asyncio.run(others())
    said, _ = siege.communicate()
    # They say so four times a second, if they come to it: the second half is from when most had connected.
    held = [int(line) for line in said.split()]
    held = held[len(held) // 2 :]
    good = [answer for answer in answers if answer is not None]
    return {
        "server": name,
        "attack": kind,
        "attackers": options.attackers,
        "held": round(statistics.median(held)) if held else 0,
        "asked": len(answers),
        "answered": len(good),
        "share": round(len(good) / len(answers), 4) if answers else 0.0,
        "p50_ms": round(1000 * statistics.median(good), 1) if good else -1.0,
        "p99_ms": round(1000 * sorted(good)[int(0.99 * (len(good) - 1))], 1) if good else -1.0,
    }


def table(rows: list[dict[str, float | str | int]]) -> str:
    """The rows in Markdown."""
    lines = [
        "| server | attack | hold on | asked | answered | p50 ms | p99 ms |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        times = [f"{row[name]:,.1f}" if row["answered"] else "-" for name in ("p50_ms", "p99_ms")]
        lines.append(
            f"| {row['server']} | {row['attack']} | {row['held']:,} | {row['asked']:,} | {row['share']:.1%} "
            f"| {times[0]} | {times[1]} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    """Every server under every attack; prints the table and keeps it."""
    parser = asked.parser(__doc__)
    parser.add_argument("--attackers", type=int, default=4000)
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--warm", type=float, default=6, help="seconds that the attackers have to connect")
    parser.add_argument("--server", action="append", default=[], metavar="WORD")
    parser.add_argument("--attack", action="append", default=[], metavar="WORD")
    parser.add_argument("--out", metavar="FOLDER", help="where to keep the run; default bench/runs/")
    parser.add_argument("--besiege", help=argparse.SUPPRESS)
    options = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    if options.besiege:
        port, kind, attackers, until = options.besiege.split(",")
        return besiege(int(port), kind, int(attackers), float(until))
    chosen = [name for name in SERVERS if not options.server or any(word in name for word in options.server)]
    attacks = [kind for kind in ATTACKS if not options.attack or kind in options.attack]
    rows = []
    for kind in attacks:
        for name in chosen:
            rows.append(measure(name, kind, options))
            print(table(rows[-1:]).splitlines()[-1], file=sys.stderr, flush=True)
    text = table(rows)
    print(text)
    keep(options, rows, text)


def keep(options: argparse.Namespace, rows: list[dict[str, float | str | int]], text: str) -> None:
    """Writes command, machine, figures and table to bench/runs/<date>-<machine>/slow-attacks/."""
    folder = kept.folder("slow-attacks", options.out)
    head = kept.head(" ".join(["python bench/slow_attacks.py", *sys.argv[1:]]))
    (folder / "run.json").write_text(json.dumps(head | {"rows": rows}, indent=1) + "\n")
    (folder / "summary.md").write_text(f"{kept.line(head)}\n\n{text}")


if __name__ == "__main__":
    main()
