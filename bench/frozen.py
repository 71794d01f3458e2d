"""A server that stands still for six seconds of a minute: what each generator tells of it.

nginx serves the page of `engine.py`, and is stopped (SIGSTOP) for six seconds in the middle. Requests come
evenly at a rate, so what people who send them go through is known: of the standstill, each waits for the
seconds that are left. wrk has no rate: it asks as fast as it is answered. k6 has a user for each connection.
Peers that are not there are left out; `scripts/setup-peers generators` installs them.

    python bench/frozen.py [--rate 200] [--seconds 60] [--connections 64]
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import asked
import kept
from engine import LOADS, NGINX, found, nginx_on

import loadstone

FROZEN_S = 6.0
NAMES = ("p50", "p90", "p95", "p99", "max")
Told = dict[str, float | None]
"""Milliseconds by NAMES; requests `sent`, and those that `failed` or were `dropped`."""


def known(rate: int, seconds: int) -> Told:
    """Of requests that a clock sends: each waits for what is left of the standstill, or not at all."""
    waits = [round(max(0.0, FROZEN_S - (1 - share) * seconds) * 1000) for share in (0.5, 0.9, 0.95, 0.99, 1)]
    return dict(zip(NAMES, waits, strict=True)) | {"sent": rate * seconds, "failed": 0, "dropped": 0}


def by_loadstone(url: str, options: argparse.Namespace, folder: Path) -> Told:
    """`loadstone run`: a request that finds no connection waits for one, and the wait counts."""
    sets = {"requests_per_s": options.rate, "connections": options.connections}
    words = [word for name, value in sets.items() for word in ("--set", f"load.{name}={value}")]
    command = [
        str(Path(sys.executable).with_name("loadstone")),
        "run",
        str(LOADS / "rate.toml"),
        "--url",
        url,
    ]
    said([*command, *words, "--window", str(options.seconds), "--out", str(folder / "run")], any_end=True)
    run = loadstone.open(folder / "run").run
    assert run is not None
    page = run.operations["Page"]
    told: Told = {name: getattr(page.response_ms, name) for name in NAMES}
    return told | {"sent": page.count, "failed": page.count - page.ok, "dropped": page.dropped}


def by_wrk(url: str, options: argparse.Namespace, folder: Path) -> Told:
    """wrk, whose time-out is out of the way."""
    words = ["-t1", f"-c{options.connections}", f"-d{options.seconds}s", "--timeout", "30s"]
    text = said(["wrk", *words, "-s", str(LOADS / "quantiles.lua"), url])
    return dict.fromkeys(["dropped"]) | json.loads(text[text.rindex("{") :])


def by_k6(url: str, options: argparse.Namespace, folder: Path) -> Told:
    """k6 with a constant arrival rate."""
    file = folder / "k6.json"
    values = {"RATE": options.rate, "SECONDS": options.seconds, "USERS": options.connections, "URL": url}
    words = [word for name, value in values.items() for word in ("-e", f"{name}={value}")]
    said([str(found("k6")), "run", "--quiet", "--summary-export", str(file), *words, str(LOADS / "rate.js")])
    metrics = json.loads(file.read_text())["metrics"]
    times = metrics["http_req_duration"]
    told: Told = {name: times[f"p({name[1:]})" if name != "max" else name] for name in NAMES}
    dropped = metrics.get("dropped_iterations", {}).get("count", 0)
    return told | {
        "sent": metrics["http_reqs"]["count"],
        "failed": metrics["http_req_failed"]["passes"],
        "dropped": dropped,
    }


def by_vegeta(url: str, options: argparse.Namespace, folder: Path) -> Told:
    """vegeta with as many workers as there are connections."""
    words = f"-rate {options.rate} -duration {options.seconds}s"
    words += f" -workers {options.connections} -max-workers {options.connections}"
    shell = f'echo "GET {url}" | "{found("vegeta")}" attack {words} | "{found("vegeta")}" report -type json'
    report = json.loads(said(["sh", "-c", shell]))
    times, sent = report["latencies"], report["requests"]
    told: Told = {name: times[f"{name[1:]}th" if name != "max" else name] / 1e6 for name in NAMES}
    failed = sent - report["status_codes"].get("200", 0)
    return told | {"sent": sent, "failed": failed, "dropped": options.rate * options.seconds - sent}


def by_oha(url: str, options: argparse.Namespace, folder: Path) -> Told:
    """oha, told to count from the intended start."""
    words = ["--no-tui", "--latency-correction", "-q", str(options.rate), "-z", f"{options.seconds}s"]
    words += ["-c", str(options.connections), "--output-format", "json", url]
    report = json.loads(said([str(found("oha")), *words]))
    told: Told = {name: report["latencyPercentiles"][name] * 1000 for name in NAMES[:-1]}
    counts = report["statusCodeDistribution"]
    failed = sum(report["errorDistribution"].values())
    sent = sum(counts.values()) + failed
    return told | {
        "max": report["summary"]["slowest"] * 1000,
        "sent": sent,
        "failed": failed,
        "dropped": options.rate * options.seconds - sent,
    }


GENERATORS: dict[str, Callable[[str, argparse.Namespace, Path], Told]] = {
    "loadstone run": by_loadstone,
    "wrk": by_wrk,
    "k6": by_k6,
    "oha --latency-correction": by_oha,
    "vegeta": by_vegeta,
}


def said(command: list[str], any_end: bool = False) -> str:
    """Standard output of a generator, on a core of its own."""
    done = subprocess.run(["taskset", "-c", "1", *command], stdout=subprocess.PIPE, text=True)
    if done.returncode and not any_end:
        raise SystemExit(f"{command[0]} failed with {done.returncode}")
    return done.stdout


@contextmanager
def standstill(pid: int, after_s: float) -> Iterator[None]:
    """Stops a process after so long, for `FROZEN_S`."""

    def stop() -> None:
        time.sleep(after_s)
        os.kill(pid, signal.SIGSTOP)
        time.sleep(FROZEN_S)
        os.kill(pid, signal.SIGCONT)

    thread = threading.Thread(target=stop)
    thread.start()
    try:
        yield
    finally:
        thread.join()


def cell(value: float | None) -> str:
    """A figure of the table."""
    return "-" if value is None else f"{value:,.0f}" if value >= 10 or value == int(value) else f"{value:.1f}"


def main() -> None:
    """Each generator once, a table, and the figures under bench/runs/."""
    parser = asked.parser(__doc__)
    for name, value in {"rate": 200, "seconds": 60, "connections": 64}.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    options = parser.parse_args()
    record: dict[str, Any] = kept.head(asked.command("bench/frozen.py", options))
    record["told"] = rows = {"known": known(options.rate, options.seconds)}
    with tempfile.TemporaryDirectory() as name:
        pid = Path(name) / "nginx.pid"
        alone = NGINX.replace("daemon off;", "daemon off; master_process off;")
        with nginx_on(0, alone.replace("{folder}/pid", str(pid)), ("port",)) as ports:
            for generator, told_by in GENERATORS.items():
                if " " not in generator and not found(generator):
                    continue
                print(generator, file=sys.stderr)
                with standstill(int(pid.read_text()), options.seconds / 2 - FROZEN_S / 2):
                    told = told_by(f"http://127.0.0.1:{ports['port']}/", options, Path(name))
                rows[generator] = told
    columns = (*NAMES, "sent", "failed", "dropped")
    print("| ms | " + " | ".join(columns) + " |\n|---|" + "---|" * len(columns))
    for generator, told in rows.items():
        print(f"| {generator} | " + " | ".join(cell(told.get(column)) for column in columns) + " |")
    file = kept.folder() / "frozen.json"
    file.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
