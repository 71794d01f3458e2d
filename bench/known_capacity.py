"""Searches of servers whose capacity is known, beside a Locust ramp that ends at the first breach.

    .venv/bin/python bench/known_capacity.py --out DIR [--searches 20] [--at-once 2] [--locust PATH]

Three in five servers are token buckets, the others queues in parallel (`known/truth.py`). Writes
`summary.json`, and `README.md` with its figures. `pip install locust` makes the peer; without it only the
searches are made.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import asked

sys.path.insert(0, str(Path(__file__).parent))

from known.report import readme
from known.truth import MOST_CYCLE_S, SHARES, Bucket, Lanes

ROOT = Path(__file__).parent.parent
RAMP = Path(__file__).parent / "known" / "locust_ramp.py"
RAMP_PER_S = 1.0
FIRST = 20
"""Users of the first probe of every search: the searches know nothing of the truth."""

SCENARIO = """
format = 1
name = "known"
[target]
url = "http://127.0.0.1:{port}"
[load]
users = 10
ramp_up_s = {ramp_up_s}
steady_s = {window_s}
ramp_down_s = 0
timeout_s = 10
[pacing]
cycle = {cycle}
[sla]
window_s = {window_s}
[[operation]]
name = "Page"
limit_s = {limit_s}
step = [{{ get = "/", expect.contains = "served" }}]
"""
CYCLES = {
    "fixed": '{ kind = "fixed", value_s = 1 }',
    "neg-exp": f'{{ kind = "neg-exp", mean_s = 1, max_s = {MOST_CYCLE_S} }}',
}
WINDOW_S = 18
"""A bucket with one user too many fills slowly: a run must be long enough to show a trend."""
RAMP_UP_S = 3
OPTIONS = ["--probe", "5", "--tolerance", "0.05", "--repeats", "3", "--max-runs", "12"]


def server_of(number: int, seed: int) -> Bucket | Lanes:
    """The server of search `number`; its size is drawn from the seed."""
    rng = random.Random(1000 * seed + number)
    return Bucket(rng.randint(30, 100)) if number % 5 < 3 else Lanes(rng.randint(4, 10))


@contextmanager
def serving(server: Bucket | Lanes, seed: int) -> Iterator[int]:
    """Its port."""
    with subprocess.Popen(
        server.command(seed), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            yield int(process.stdout.readline())
        finally:
            process.kill()


def searched(server: Bucket | Lanes, port: int, seed: int, folder: Path) -> dict[str, Any]:
    """One search by the command line: interval of each SLA, and the seconds that it took."""
    file = folder / "known.toml"
    file.write_text(
        SCENARIO.format(
            port=port, cycle=CYCLES[server.cycle], limit_s=server.limit_s, window_s=WINDOW_S,
            ramp_up_s=RAMP_UP_S,
        )
    )  # fmt: skip
    command = [
        sys.executable, "-m", "loadstone", "capacity", str(file), "--from", str(FIRST), "--to", "1000",
        *OPTIONS, "--seed", str(seed), "--json", "--out", str(folder / "search"),
    ]  # fmt: skip
    began = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    took_s = round(time.monotonic() - began, 1)
    (folder / "said.txt").write_text(done.stderr)
    record = json.loads(done.stdout) if done.stdout else {}
    goals = {name: record.get(name) or {} for name in SHARES}
    return {
        "exit": done.returncode,
        "outcome": record.get("outcome"),
        "took_s": took_s,
        "probes": len(record.get("probes", [])),
        "runs": [
            {key: row[key] for key in ("load", "state", "trend", "verdict")} for row in record.get("runs", [])
        ],
        **{
            name: {key: goal.get(key) for key in ("low", "high", "verdict", "ended_by", "noisy")}
            for name, goal in goals.items()
        },
    }


def ramped(server: Bucket | Lanes, port: int, locust: str) -> dict[str, Any]:
    """One ramp by the peer: users at the first breach, and the seconds that it took."""
    settings = {
        "RAMP_CYCLE": server.cycle, "RAMP_LIMIT_S": str(server.limit_s),
        "RAMP_MOST_CYCLE_S": str(MOST_CYCLE_S), "RAMP_PER_S": str(RAMP_PER_S),
    }  # fmt: skip
    command = [locust, "-f", str(RAMP), "--headless", "--only-summary", "--host", f"http://127.0.0.1:{port}"]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=os.environ | settings, timeout=900
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith('{"users"')]
    found: dict[str, Any] = json.loads(lines[-1]) if lines else {"users": None, "took_s": None}
    return found


def one(number: int, seed: int, locust: str | None, folder: Path) -> dict[str, Any]:
    """A search and a ramp of the same server, one after the other, each with a server of its own."""
    server = server_of(number, seed)
    folder.mkdir(parents=True)
    truth = {name: server.capacity(share) for name, share in SHARES.items()}
    row = {"server": type(server).__name__.lower(), "settings": vars(server), "capacity": truth}
    with serving(server, number) as port:
        row["search"] = searched(server, port, 100 * number, folder)
    if locust:
        with serving(server, number) as port:
            row["ramp"] = ramped(server, port, locust)
    print(json.dumps({"number": number, **row}), flush=True)
    return row


def holds(row: dict[str, Any], name: str) -> bool:
    """Whether the truth is within the ends of the interval that the search knows."""
    low, high = row["search"][name]["low"], row["search"][name]["high"]
    truth = row["capacity"][name]
    # Capacities are whole users: 12.6 means that 12 hold it and 13 break it.
    return (low is None or low <= truth) and (high is None or truth < high)


def any_end(row: dict[str, Any], name: str) -> bool:
    """Whether the search claims anything."""
    return bool(row["search"][name]["low"] or row["search"][name]["high"])


def summed(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """What is said of all searches: coverage, width, time, and the ramps' error."""
    found: dict[str, Any] = {"searches": len(rows)}
    for name in SHARES:
        ends = [(row["search"][name]["low"], row["search"][name]["high"]) for row in rows]
        closed = [(low, high) for low, high in ends if low and high]
        found[name] = {
            "decided": sum(bool(low or high) for low, high in ends),
            "held": sum(holds(row, name) for row in rows if any_end(row, name)),
            "closed": len(closed),
            "width_median": statistics.median(high / low - 1 for low, high in closed) if closed else None,
        }
    found["search_s_median"] = statistics.median(row["search"]["took_s"] for row in rows)
    ramps = [row for row in rows if row.get("ramp", {}).get("users")]
    if ramps:
        errors = [row["ramp"]["users"] / row["capacity"]["SLA-1"] - 1 for row in ramps]
        found["ramp"] = {
            "ended": len(ramps),
            "error_median": statistics.median(errors),
            "error_least": min(errors),
            "error_greatest": max(errors),
            "took_s_median": statistics.median(row["ramp"]["took_s"] for row in ramps),
        }
    return found


def main() -> int:
    """Runs it all; exits with 1 when fewer than 95 % of the searches know an end and hold the truth."""
    parser = asked.parser(__doc__)
    parser.add_argument("--out", type=asked.folder, required=True)
    parser.add_argument("--searches", type=int, default=20)
    parser.add_argument("--at-once", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--locust", default=shutil.which("locust"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.at_once) as pool:
        work = [
            pool.submit(one, number, options.seed, options.locust, Path(folder) / f"{number}")
            for number in range(options.searches)
        ]
        rows = [each.result() for each in work]
    summary = {
        "command": f"python bench/known_capacity.py --searches {options.searches} --at-once "
        f"{options.at_once}",
        "window_s": WINDOW_S,
        "load_average": os.getloadavg()[2],
        "summary": summed(rows),
        "rows": rows,
    }
    (options.out / "summary.json").write_text(json.dumps(summary, indent=1) + "\n")
    (options.out / "README.md").write_text(readme(summary, holds))
    held = summary["summary"]["SLA-1"]["held"]
    return 0 if held >= 0.95 * options.searches else 1


if __name__ == "__main__":
    sys.exit(main())
