"""A good file of every kind that people can hand in, and what reads it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from handed import Ended, loadstone
from pool_model import POOL

import loadstone as package
from loadstone.cli.terminal import plain
from loadstone.errors import LoadstoneError

ROOT = Path(__file__).parents[2]
DATA = Path(package.__file__).parent / "data"
RUNS = ROOT / "bench" / "runs"
DEMO = RUNS / "2026-11-21-x86_64-2core" / "demo"
DAY1, DAY2 = RUNS / "2026-11-21-x86_64-2core", RUNS / "2026-11-22-x86_64-2core"


@dataclass(frozen=True)
class Kind:
    """One kind: `make` puts a good folder together, `file` of it is changed, `read` reads it."""

    name: str
    how: str
    """As in `mutations.mutated`."""
    file: str
    make: Callable[[Path], object]
    read: Callable[[Path], Ended]


def command(*words: str) -> Callable[[Path], Ended]:
    """A command line; `@x` is the path of x in the folder, `@` the folder."""

    def read(folder: Path) -> Ended:
        return loadstone(*(_placed(word, folder) for word in words))

    return read


def _placed(word: str, folder: Path) -> str:
    before, at, after = word.partition("@")
    return f"{before}{folder / after if after else folder}" if at else word


def called(function: Callable[[Path], object], file: str) -> Callable[[Path], Ended]:
    """A reader by itself, where its command would begin to work on hosts."""

    def read(folder: Path) -> Ended:
        try:
            function(folder / file)
        except LoadstoneError as error:
            return Ended(error.exit_code, "", plain(str(error)))
        return Ended(0, "", "")

    return read


def files(*paths: Path | tuple[Path, str]) -> Callable[[Path], object]:
    """Copies files, or those of a folder, under their own names or another."""

    def make(folder: Path) -> None:
        for entry in paths:
            path, name = entry if isinstance(entry, tuple) else (entry, entry.name)
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, folder / name)

    return make


def text(name: str, content: str, *others: tuple[str, str]) -> Callable[[Path], object]:
    """Writes files."""

    def make(folder: Path) -> None:
        for file, words in ((name, content), *others):
            (folder / file).write_text(words)

    return make


PRISM = POOL.replace("const int spares;", "const int spares = 2;")
CHAIN = """{"states": 3, "labels": {"down": [1]},
"transitions": [[0, 1, 1.0], [1, 0, 3.0], [1, 2, 0.5], [2, 0, 2.0]]}"""
EXPLICIT = (
    ("x.tra", "3 4\n0 1 1.0\n1 0 3.0\n1 2 0.5\n2 0 2.0\n"),
    ("x.lab", '0="init" 1="down"\n0: 0\n1: 1\n'),
    ("x.cost.srew", "3 2\n0 1.5\n2 0.25\n"),
)
COLUMN = """\
format = 1
name = "one"
target = { url = "http://127.0.0.1:9" }
pacing = { cycle = 5 }
[data]
accounts = 20
[load]
users = 5
[[operation]]
name = "Home"
limit_s = 1
draw.word = { kind = "column", file = "words.csv", column = "word" }
[[operation.step]]
get = "/{word}"
"""
PRICES = """\
book,provider,region,kind,sku,vcpu,memory_gib,unit,from_gb,to_gb,price_usd,as_of,source
ours,us,here,instance,m,4,16,hour,,,0.20,2026-07,invoice
ours,us,here,egress,out,,,GB,0,,0.09,2026-07,invoice
"""
NODES_TABLE = (
    'format = 1\n[nodes]\nusers_per_node = 500\nusers = 5000\ncrash_rate = "1/year"\nfailover = "15s"\n'
)


def _requests() -> list[tuple[int, int, str]]:
    """Client, second and path of a small log."""
    paths = ("/", "/events", "/events/17", "/search?q=a", "/static/a.css")
    return [
        (client, 9000 * client + 7 * n, paths[(client + n) % len(paths)])
        for client in range(40)
        for n in range(1 + client % 6)
    ]


LOG = "".join(
    f"10.0.0.{client} - - "
    f"[25/Nov/2026:{10 + second // 3600 % 10}:{second // 60 % 60:02}:{second % 60:02} +0000]"
    f' "GET {path} HTTP/1.1" 200 512 "-" "Mozilla/5.0"\n'
    for client, second, path in _requests()
)
JSON_LOG = "".join(
    json.dumps(
        {"ts": 1_795_600_000.5 + second, "ip": f"10.0.0.{client}", "method": "GET", "uri": path,
         "status": 200, "duration": 0.25, "user_agent": "Mozilla/5.0"}
    ) + "\n"
    for client, second, path in _requests()
)  # fmt: skip


full = files(
    *sorted(DEMO.glob("*.json")),
    *((path, str(path.relative_to(DEMO))) for path in sorted((DEMO / "runs" / "0001-1000").iterdir())),
)
"""Capacity, nodes and cost side by side, as the demonstration left them."""

run = files(*sorted((DAY1 / "olio-300").glob("*")))
"""One run."""


def crashed(folder: Path) -> None:
    """A run whose journal was not made into tables."""
    for name in ("plan.json", "rules.json", "machine.json", "scenario.toml"):
        shutil.copy(DAY1 / "olio-300" / name, folder / name)
    plan = json.loads((folder / "plan.json").read_text())
    start, names = int(plan["load"]["ramp_up_s"]), len(plan["operations"])
    lines: list[dict[str, Any]] = [_second(second, names) for second in range(start, start + 3)]
    lines += [{"hosts": {"second": start, "metrics": {"sut": {"cpu_cores": 0.5, "rss_bytes": 1e6}}}}]
    (folder / "journal.ndjson").write_text("".join(json.dumps(line) + "\n" for line in lines))


def recovered(folder: Path) -> None:
    """The same after it was completed."""
    from loadstone.record import recover

    crashed(folder)
    recover(folder)


def _second(second: int, names: int) -> dict[str, Any]:
    none: dict[str, list[int]] = {"bucket": [], "count": []}
    some = {"bucket": [1500], "count": [2]}
    operation = {
        "phase": 1, "ok": 2, "failed": [0] * 6, "late": 0, "dropped": 0, "counters": [2, 9, 9, 0, 0, 0, 0, 0],
        "response": some, "service": some, "pace": none, "lag": none,
    }  # fmt: skip
    window = {
        "second": second, "users": 300, "in_flight": 1, "connections": 3, "connects": 0, "reconnects": 0,
        "closed_idle": 0, "closed_with_answer": 0, "waits": 0, "requests": 4, "bytes_in": 9, "bytes_out": 9,
        "cpu_user_s": 0.1, "cpu_sys_s": 0.1, "wake_lag": some, "sessions": [],
        "operations": [{"operation": number, **operation} for number in range(names)],
    }  # fmt: skip
    return {"window": window}


def probed(folder: Path) -> None:
    """A probe that was killed before its summary."""
    from probe_lines import pings, tcp, udp

    from loadstone.probe import Options, Pair, append, begin

    shutil.rmtree(folder)
    pairs = [Pair("a", "b", "left → right"), Pair("a", "c", "left → far")]
    hosts = {name: {"kind": "x", "address": f"198.18.0.{number}"} for number, name in enumerate("abc", 1)}
    begin(folder, "wire", ["loadstone", "probe"], hosts, pairs, Options(), None)
    path = {"kind": "path", "round": 1, "from": "a", "to": "b", "at": "2026-11-21T20:00:00+00:00"}
    lines = [*pings(1.0, 0.1, tail=0.05)[:3], *tcp(19.1)[:3], *udp(19.4, 0.2)[:3]]
    for line in [*lines, path | {"hops": ["198.18.0.2"], "reached": True, "mtu": 1500}]:
        append(folder, line)


def concluded(folder: Path) -> None:
    """A probe with its summary."""
    from loadstone.probe import conclude

    probed(folder)
    conclude(folder, "complete")


def planned(folder: Path) -> None:
    """What `loadstone plan` wrote."""
    files(ROOT / "examples/plan/shop.toml", ROOT / "examples/plan/prices.csv")(folder)
    ended = loadstone("plan", str(folder / "shop.toml"), "--draws", "20", "--out", str(folder / "out"))
    assert ended.code == 0, ended
    (folder / "out" / "plan.json").rename(folder / "plan.json")
    shutil.rmtree(folder / "out")


def learned(folder: Path) -> None:
    """What `loadstone learn` wrote."""
    (folder / "access.log").write_text(LOG)
    ended = loadstone("learn", str(folder / "access.log"), "--out", str(folder / "out"))
    assert ended.code == 0, ended
    (folder / "out" / "learn.json").rename(folder / "learn.json")
    shutil.rmtree(folder / "out")


def image(path: Path) -> object:
    """Looks into an image."""
    from loadstone.image.elf import read_image

    return read_image(path)


def elf(folder: Path) -> None:
    """A program of one segment that begins as an image does."""
    import struct

    head = struct.pack(
        "<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01", 2, 62, 1, 0x100000, 64, 0, 0, 64, 56, 2, 64, 0, 0
    )
    load = struct.pack("<IIQQQQQQ", 1, 5, 0, 0x100000, 0x100000, 300, 4096, 4096)
    note = struct.pack("<IIQQQQQQ", 4, 4, 176, 0x1000B0, 0x1000B0, 20, 20, 4)
    entry = struct.pack("<III4sI", 4, 4, 18, b"Xen\0", 0x100000)
    (folder / "x.elf").write_bytes((head + load + note + entry).ljust(300, b"\x90"))


def measurement(path: Path) -> object:
    """The steady state of a run, as a search reads it again."""
    from loadstone.record import measurement_of

    return measurement_of(path.parent)


def topology(path: Path) -> object:
    """Reads a topology."""
    from loadstone.lab.topology import load_topology

    return load_topology(path)


def chaos(path: Path) -> object:
    """Reads a chaos file."""
    from loadstone.chaos.description import read_order

    return read_order(path, quick=True)


def plan(path: Path) -> object:
    """Reads a plan file with the price book beside it."""
    from loadstone.plan.read import read_plan

    return read_plan(path)


def study(name: str) -> Callable[[Path], object]:
    """Reads the description of a study."""

    def read(path: Path) -> object:
        from importlib import import_module

        module = import_module(f"loadstone.study.{name}.description")
        return module.load_description(path)

    return read


def results(path: Path) -> object:
    """Reads the lines of a study that is taken up."""
    from loadstone.study.results import Results

    return Results(path.parent)


def taken_up(path: Path) -> object:
    """Reads what was ordered of a study."""
    from loadstone.study.order import take_up

    return take_up(path.parent, "connectors")


def restored(folder: Path, good: dict[str, bytes]) -> None:
    """Makes `folder` what it was."""
    shutil.rmtree(folder, ignore_errors=True)
    for name, content in good.items():
        path = folder / name
        os.makedirs(path.parent, exist_ok=True)
        path.write_bytes(content)


def content_of(folder: Path) -> dict[str, bytes]:
    """Every file of it by its path."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
