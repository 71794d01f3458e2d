"""The web container beside its peers: server CPU time a request, and memory of idle connections, in one run.

Every server runs on one core, wrk on the other, on 64 keep-alive connections; servers take turns in every
round. CPU time is what the kernel has counted for all processes of the server, requests are what wrk counts.

    python bench/container.py [--seconds 3] [--rounds 5] [--connections 64] [--only WORD]...

`--only` keeps tables and servers whose names contain one of the words; `idle`: the idle connections.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path

import asked
import idle_memory
import item_database
import kept
from accounting import cpu_s
from peer_servers import DATABASE, LOAD_CORE, PEERS, ROOT, SERVERS, SITE, installed_java, needs_build, running
from verdict import IDLE, IN_MEMORY, ITEM, SMALL_FILE, SMALL_PAGE, TABLES, judge, markdown, medians

SIZES = {"small.html": 166, "large.html": 10 * 1024, "index.html": 166}
# Items in turn by chance, the same for everyone.
ITEMS_LUA = f"""
math.randomseed(7)
request = function() return wrk.format("GET", "/item?id=" .. math.random(1, {item_database.ITEMS})) end
"""
_MOST_LOST = 0.05
"""Share of the requests that may be lost with their connections."""
COMPARED_ITEMS = (1, 777, item_database.ITEMS)

Measured = dict[str, dict[str, dict[str, float]]]


@contextmanager
def material() -> Iterator[Path]:
    """A folder with what is served: files, database, and the load's script."""
    with tempfile.TemporaryDirectory(prefix="container-") as name:
        folder = Path(name)
        os.chmod(folder, 0o755)
        (folder / SITE).mkdir()
        for file, size in SIZES.items():
            (folder / SITE / file).write_bytes(b"x" * size)
        item_database.make(folder / DATABASE)
        (folder / "items.lua").write_text(ITEMS_LUA)
        yield folder


def drive(table: str, port: int, folder: Path, seconds: int, connections: int) -> tuple[int, int, float]:
    """Requests that wrk got answered with 200, connections that failed, and in how many seconds."""
    command = ["taskset", "-c", str(LOAD_CORE), "wrk", "-t1", f"-c{connections}", f"-d{seconds}s"]
    if table == ITEM:
        command += ["-s", str(folder / "items.lua")]
    path = TABLES[table][0]
    started = time.monotonic()
    done = subprocess.run(
        [*command, f"http://127.0.0.1:{port}{path}"], capture_output=True, text=True, check=True
    )
    elapsed = time.monotonic() - started
    count = re.search(r"(\d+) requests in", done.stdout)
    lost = sum(int(number) for number in re.findall(r"(?:connect|read|write|timeout) (\d+)", done.stdout))
    # Some servers now and then close a connection that is kept; wrk opens it again: told with the figures.
    if not count or "Non-2xx" in done.stdout or lost > _MOST_LOST * int(count.group(1)):
        raise SystemExit(f"wrk was not answered well:\n{done.stdout}{done.stderr}")
    return int(count.group(1)), lost, elapsed


def measure(
    table: str, process: int, port: int, folder: Path, options: argparse.Namespace
) -> dict[str, float]:
    """CPU µs a request (user, sys, both) and requests/s of one server."""
    before = cpu_s(process)
    served, lost, elapsed = drive(table, port, folder, options.seconds, options.connections)
    user, system = (late - early for early, late in zip(before, cpu_s(process), strict=True))
    return {
        "user_us": user * 1e6 / served,
        "sys_us": system * 1e6 / served,
        "cpu_us": (user + system) * 1e6 / served,
        "requests_per_s": served / elapsed,
        "connections_lost": lost,
    }


def answer(port: int, path: str) -> tuple[int, bytes, int]:
    """Status, content and the size of the head of one answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path)
    response = connection.getresponse()
    content = response.read()
    head = sum(len(name) + len(value) + 4 for name, value in response.getheaders())
    connection.close()
    return response.status, content, head + len(f"HTTP/1.1 200 {response.reason}\r\n\r\n")


def compare_answers(tables: dict[str, list[str]], ports: dict[str, int]) -> dict[str, dict[str, int]]:
    """Everyone's pages are the same, or nothing is measured; the sizes of their heads, by table."""
    heads: dict[str, dict[str, int]] = {}
    for table, names in tables.items():
        paths = [TABLES[table][0]]
        if table == ITEM:
            paths = [f"{paths[0]}?id={item}" for item in COMPARED_ITEMS]
        for path in paths:
            expected: bytes | None = None
            for name in names:
                status, content, head = answer(ports[name], path)
                if status != 200 or content != (expected := expected or content):
                    raise SystemExit(f"{name} answers {path} with {status} and {len(content)} bytes")
                heads.setdefault(table, {})[name] = head
    return heads


def chosen(only: list[str]) -> tuple[dict[str, list[str]], list[str]]:
    """Servers of each table, and those of the idle connections."""
    if not only:
        return {table: list(names) for table, (_, names) in TABLES.items()}, list(IDLE)
    tables = {
        table: [name for name in names if any(word in table or word in name for word in only)]
        for table, (_, names) in TABLES.items()
    }
    idle = [name for name in IDLE if "idle" in only or any(word in name for word in only)]
    return {table: names for table, names in tables.items() if names}, idle


@dataclass(frozen=True)
class Record:
    """What a run has measured."""

    rounds: list[Measured]
    idle: dict[str, dict[str, float]]
    """Of each server: connections, and bytes for each."""
    head_bytes: dict[str, dict[str, int]]


def run(options: argparse.Namespace) -> Record:
    """All rounds, then the idle connections."""
    tables, idle = chosen(options.only)
    rounds: list[Measured] = []
    heads: dict[str, dict[str, int]] = {}
    with material() as folder:
        with ExitStack() as stack:
            places = {
                name: stack.enter_context(running(SERVERS[name], folder))
                for name in SERVERS
                if any(name in names for names in tables.values())
            }
            heads = compare_answers(tables, {name: port for name, (_, port) in places.items()})
            for table, names in tables.items():
                for name in names:
                    drive(table, places[name][1], folder, SERVERS[name].warm_s, options.connections)
            for number in range(options.rounds if tables else 0):
                print(f"round {number + 1} of {options.rounds}", file=sys.stderr)
                rounds.append(
                    {
                        table: {name: measure(table, *places[name], folder, options) for name in names}
                        for table, names in tables.items()
                    }
                )
        memory = {}
        for name in idle:
            print(f"idle connections: {name}", file=sys.stderr)
            path = TABLES[SMALL_PAGE if name in IN_MEMORY else SMALL_FILE][0]
            memory[name] = idle_memory.measure(SERVERS[name], folder, path)
    return Record(rounds, memory, heads)


def versions() -> dict[str, str]:
    """The versions of everyone."""
    commands = {
        "wrk": ["wrk", "-v"],
        "nginx": ["/usr/sbin/nginx", "-v"],
        "Apache": ["/usr/sbin/apache2", "-v"],
        "rustc": ["rustc", "--version"],
        "loadstone": ["git", "-C", str(ROOT), "describe", "--always", "--dirty"],
    }
    if program := installed_java():
        commands["Java"] = [program, "-version"]
    found = {}
    for name, command in commands.items():
        done = subprocess.run(command, capture_output=True, text=True)
        found[name] = (done.stdout + done.stderr).strip().partition("\n")[0]
    lock = (PEERS / "Cargo.lock").read_text()
    for name in ("hyper", "axum", "actix-web", "may_minihttp", "tokio", "libsqlite3-sys"):
        if match := re.search(rf'name = "{name}"\nversion = "([^"]+)"', lock):
            found[name] = match.group(1)
    for jar in sorted(PEERS.glob("tomcat/target/lib/*.jar")):
        name, _, version = jar.stem.rpartition("-")
        found[name] = version
    return found


def keep(options: argparse.Namespace, record: Record, text: str) -> Path:
    """Writes command, machine, raw figures and summary to bench/runs/<date>-<machine>/container/."""
    folder = kept.folder("container", options.out)
    words = [f"--seconds {options.seconds} --rounds {options.rounds} --connections {options.connections}"]
    words += [f"--only '{word}'" for word in options.only]
    summary = {"medians": medians(record.rounds), "targets": judge(record.rounds, record.idle)}
    head = kept.head(" ".join(["python bench/container.py", *words]))
    found = head | {"versions": versions(), "summary": summary} | asdict(record)
    (folder / "run.json").write_text(json.dumps(found, indent=1) + "\n")
    (folder / "summary.md").write_text(f"{kept.line(head)}\n\n{text}")
    return folder


def main() -> None:
    """Builds the peers, runs everything, prints the tables and keeps them."""
    parser = asked.parser(__doc__)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--only", action="append", default=[], metavar="WORD")
    parser.add_argument("--out", metavar="FOLDER", help="where to keep the run; default bench/runs/")
    options = parser.parse_args()
    tables, idle = chosen(options.only)
    if any(map(needs_build, [*chain(*tables.values()), *idle])):
        subprocess.run(["cargo", "build", "--release", "--quiet"], cwd=PEERS, check=True)
        subprocess.run(["mvn", "--quiet", "--batch-mode", "package"], cwd=PEERS / "tomcat", check=True)
    record = run(options)
    text = markdown(record.rounds, record.idle)
    print(text)
    print(f"kept in {keep(options, record, text)}", file=sys.stderr)


if __name__ == "__main__":
    main()
