"""Native and hardened servers: throughput, response time, and CPU time a request, total and user.

Each FOLDER is what `loadstone harden server NAME --mode MODE --into FOLDER` made; all must hold the same
server, the native one first. The variants are measured in turn, round by round, another one first each time:
so their CPU time a request compares well on a busy machine, too; their throughput does not. What loads them
is in `server_loads.py`. A server that stops ends the measurement: no false stop is passed over.

    python bench/hardened_servers.py memcached-off memcached-ilr memcached-tmr [--rounds 5] [--out FOLDER]

With --out it writes rows.ndjson as they come, then summary.json and README.md. About six minutes a server.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asked
from accounting import cpu_s, family
from peer_servers import free_port, wait_for
from server_loads import KINDS, Kind

from loadstone import record
from loadstone.judge.quantiles import student

Row = dict[str, Any]
CONFIDENCE = 0.975
"""Of each bound: both together are an interval of 95 %."""
_WARM = 0.1
"""Share of a load's requests that come before it."""


def main() -> None:
    """Measures and says."""
    options = _options()
    name = _one_kind(options.folders)
    began = record.now()
    load = [os.getloadavg()]
    os.environ["PATH"] = f"{options.folders[0].absolute()}/install/bin:{os.environ['PATH']}"
    rows: list[Row] = []
    for number in range(options.rounds):
        turn = number % len(options.folders)
        for folder in [*options.folders[turn:], *options.folders[:turn]]:
            for row in _measure(folder, KINDS[name], number, options.scale):
                rows.append(row)
                _keep(options.out, row)
        print(f"round {number + 1} of {options.rounds}", file=sys.stderr, flush=True)
    load.append(os.getloadavg())
    found = {
        "server": name, "command": ["bench/hardened_servers.py", *_shown(sys.argv[1:])],
        "started_at": began, "ended_at": record.now(), "machine": record.machine(),
        "load_average": load, "rounds": options.rounds,
    } | summary(rows, options.folders[0].name, KINDS[name])  # fmt: skip
    text = markdown(found)
    if options.out:
        record.write_json(options.out / "summary.json", found)
        (options.out / "README.md").write_text(text)
    print(text)


def _options() -> argparse.Namespace:
    parser = asked.parser(__doc__)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--scale", type=float, default=1.0, help="of the number of requests: 0.05 for a trial"
    )
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    if options.rounds < 1 or not options.scale > 0:
        parser.error("--rounds and --scale must be above zero")
    if options.out and (options.out / "rows.ndjson").exists():
        parser.error(f"a measurement is in {options.out}")
    return options


def _one_kind(folders: list[Path]) -> str:
    kinds = {_kind(folder) for folder in folders}
    if len(kinds) != 1:
        raise SystemExit(f"the folders hold different servers: {', '.join(sorted(kinds))}")
    return kinds.pop()


def _kind(folder: Path) -> str:
    for name, kind in KINDS.items():
        if (folder / "install" / "bin" / kind.program).is_file():
            return name
    raise SystemExit(
        f"{folder}: there is no server; make one with `loadstone harden server NAME --into {folder}`"
    )


def _shown(words: list[str]) -> list[str]:
    """The command without the folders of one machine: built servers by their names.

    >>> _shown(["/srv/built/redis-off", "--out", "bench/runs/x"])
    ['redis-off', '--out', 'bench/runs/x']
    """
    return [Path(word).name if word.startswith("/") else word for word in words]


def _keep(out: Path | None, row: Row) -> None:
    if out:
        out.mkdir(parents=True, exist_ok=True)
        with (out / "rows.ndjson").open("a") as file:
            file.write(json.dumps(row) + "\n")


def _measure(folder: Path, kind: Kind, number: int, scale: float) -> Iterator[Row]:
    with _up(folder, kind) as (port, servers):
        kind.fill(port)
        for load in kind.loads:
            warm = load.drive(port, scale * _WARM)
            before = [_cpu(server.pid) for server in servers]
            found = load.drive(port, scale)
            spent = [_spent(_cpu(server.pid), was) for server, was in zip(servers, before, strict=True)]
            for server in servers:
                if server.poll() is not None:
                    raise SystemExit(f"{folder}: it ended with {server.returncode} under {load.name}")
            user, total = (sum(each) / found["requests"] * 1e6 for each in zip(*spent, strict=True))
            yield {
                "variant": folder.name, "load": load.name, "round": number, **found,
                "user_us": user, "cpu_us": total, "own_us": spent[0][1] / found["requests"] * 1e6,
                "warmed_by": warm["requests"],
            }  # fmt: skip


@contextlib.contextmanager
def _up(folder: Path, kind: Kind) -> Iterator[tuple[int, list[subprocess.Popen[bytes]]]]:
    """The server, first, and what it needs beside; they are ended afterwards."""
    with tempfile.TemporaryDirectory() as scratch, contextlib.ExitStack() as last:
        port, log = free_port(), Path(scratch) / "said.log"
        servers = []
        with log.open("wb") as said:
            for words in kind.start(folder.absolute() / "install", port, Path(scratch)):
                servers.append(subprocess.Popen(words, stdout=said, stderr=said))
                last.callback(_end, servers[-1])
        wait_for(folder.name, servers[0], port, log)
        yield port, servers


def _end(server: subprocess.Popen[bytes]) -> None:
    server.terminate()
    server.wait(20)


def _cpu(pid: int) -> tuple[float, float, float]:
    """Seconds of a process and its children: in user and system mode by clock ticks, and exactly in all."""
    # The clock of another process: linux/posix-timers.h, MAKE_PROCESS_CPUCLOCK(pid, CPUCLOCK_SCHED).
    return *cpu_s(pid), sum(time.clock_gettime((~each << 3) | 2) for each in family(pid))


def _spent(late: tuple[float, ...], early: tuple[float, ...]) -> tuple[float, float]:
    """Seconds in user mode, and in all, between two looks: the ticks say how the exact sum divides.

    >>> _spent((1.0, 4.0, 5.2), (0.0, 1.0, 1.2))
    (1.0, 4.0)
    """
    user, system, total = (one - other for one, other in zip(late, early, strict=True))
    return total * user / (user + system) if user + system else 0.0, total


def summary(rows: list[Row], first: str, kind: Kind) -> dict[str, Any]:
    """Medians by load and variant; ratios first ÷ variant of a round, with intervals; targets."""
    groups = {load.name: load.group for load in kind.loads}
    variants = [first, *sorted({row["variant"] for row in rows} - {first})]
    at = {(row["load"], row["variant"], row["round"]): row for row in rows}
    rounds = sorted({row["round"] for row in rows})

    def times(load: str, variant: str, key: str) -> list[float]:
        """First ÷ variant, by round; NaN where the clock saw nothing."""
        both = [(at[load, first, each][key], at[load, variant, each][key]) for each in rounds]
        return [one / other if one and other else math.nan for one, other in both]

    def together(group: str, variant: str, key: str) -> list[float]:
        each = [times(load, variant, key) for load, own in groups.items() if own == group]
        return [math.exp(statistics.fmean(math.log(one) for one in row)) for row in zip(*each, strict=True)]

    loads = [
        {"load": load, "group": group, "variant": variant}
        | {key: statistics.median(at[load, variant, each][key] for each in rounds) for key in _FIGURES}
        | {name: interval(times(load, variant, key)) for name, key in _RATIOS.items()}
        for load, group in groups.items()
        for variant in variants
    ]
    judged = [
        {"group": group, "variant": variant}
        | {name: interval(together(group, variant, key)) for name, key in _RATIOS.items()}
        | _target(group, variant, kind)
        for group in dict.fromkeys(groups.values())
        for variant in variants[1:]
    ]
    answered = {
        variant: sum(row["requests"] + row["warmed_by"] for row in rows if row["variant"] == variant)
        for variant in variants
    }
    return {"answered": answered, "groups": judged, "loads": loads}


_FIGURES = ("requests_per_s", "response_ms", "cpu_us", "own_us", "user_us")
_RATIOS = {"cpu": "cpu_us", "own": "own_us", "user": "user_us"}


def _target(group: str, variant: str, kind: Kind) -> dict[str, float]:
    least = dict(zip(("ilr", "tmr"), kind.targets.get(group, ()), strict=False))
    return next(({"target": value} for end, value in least.items() if variant.endswith(end)), {})


def interval(ratios: list[float]) -> dict[str, float]:
    """The median of ratios, and an interval of 95 % of their mean: Student's t on their logarithms.

    >>> {key: round(value, 2) for key, value in interval([0.9, 1.0, 1.1]).items()}
    {'median': 1.0, 'low': 0.77, 'high': 1.28}
    """
    known = [each for each in ratios if math.isfinite(each)]
    if not known:
        return {}
    found = {"median": statistics.median(known)}
    if len(known) < 2:
        return found
    logs = [math.log(each) for each in known]
    wide = student(CONFIDENCE, len(logs) - 1) * statistics.stdev(logs) / math.sqrt(len(logs))
    middle = statistics.fmean(logs)
    return found | {"low": math.exp(middle - wide), "high": math.exp(middle + wide)}


def markdown(found: dict[str, Any]) -> str:
    """The tables, with what made them."""
    machine, load = found["machine"], found["load_average"]
    lines = [
        f"# Hardened {found['server']}",
        "",
        f"`python {' '.join(found['command'])}`, {machine['cores']} cores of {machine['cpu']}, Linux"
        f" {machine['kernel']}, {found['started_at']} to {found['ended_at']}, load average"
        f" {load[0][0]:.1f} before, {load[1][0]:.1f} after.",
        f"Medians of {found['rounds']} rounds. Ratios are native ÷ variant of CPU time a request, with"
        " intervals of 95 %.",
        "",
        "| loads | variant | CPU, all | user mode | target |",
        "|---|---|---|---|---|",
    ]
    for row in found["groups"]:
        verdict = ""
        if "target" in row:
            verdict = f"≥ {row['target']}, {'met' if row['cpu']['median'] >= row['target'] else 'missed'}"
        lines.append(
            f"| {row['group']} | {row['variant']} | {_span(row['cpu'])} | {_span(row['user'])} | {verdict} |"
        )
    answered = ", ".join(f"{variant} {count:,.0f}" for variant, count in found["answered"].items())
    lines += [
        "",
        f"Requests that were answered: {answered}; none of the servers stopped.",
        "",
        "| load | variant | requests/s | response, ms | CPU, µs | user, µs | native ÷ this, CPU | user |",
        "|---" * 8 + "|",
    ]
    lines += [
        f"| {row['load']} | {row['variant']} | {row['requests_per_s']:,.0f} | {row['response_ms']:.3f} |"
        f" {row['cpu_us']:.2f} | {row['user_us']:.2f} | {_span(row['cpu'])} | {_span(row['user'])} |"
        for row in found["loads"]
    ]
    if found["server"] == "httpd":
        lines += ["", *_without_php(found["loads"])]
    return "\n".join(lines) + "\n"


def _without_php(rows: list[dict[str, Any]]) -> list[str]:
    """Of pages that another program makes: httpd's own part."""
    own = [row for row in rows if row["group"] == "PHP"]
    told = "; ".join(f"{row['variant']} {row['own_us']:.2f} µs, {_span(row['own'])}" for row in own)
    return [f"CPU of PHP pages includes php-fpm's, which is Debian's and not hardened. httpd's own: {told}."]


def _span(one: dict[str, float]) -> str:
    """`0.95 (0.93–0.97)`."""
    if "low" not in one:
        return f"{one['median']:.3f}" if one else "–"
    return f"{one['median']:.3f} ({one['low']:.3f}–{one['high']:.3f})"


if __name__ == "__main__":
    main()
