"""`loadstone learn` on logs of known users: errors of matrices and laws, hold-out figures, time and memory.

Usage: learn.py FOLDER. Writes summary.json there; the logs are made anew in a temporary folder.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "learn"))

from simulated_logs import WORKLOADS, Class, write  # noqa: E402

NAMES = {"item": "items-id"}
USERS, MILLION = 4_000, 40_000
LEAST = 200
"""Visits of an operation from which on its row is compared."""


def main() -> None:
    """Makes the logs one after the other and learns from each with the installed command."""
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    found = {}
    with tempfile.TemporaryDirectory(prefix="bench-learn-") as place:
        for name, workload, users in [
            *((name, name, USERS) for name in WORKLOADS), ("million", "log-normal", MILLION),
        ]:  # fmt: skip
            log = Path(place) / f"{name}.log"
            lines = write(log, WORKLOADS[workload], users)
            found[name] = learned(log, Path(place) / name, workload) | {"lines": lines}
            log.unlink()
            print(name, json.dumps(found[name]), flush=True)
    (out / "summary.json").write_text(json.dumps(found, indent=2) + "\n", "utf-8")


def learned(log: Path, folder: Path, workload: str) -> dict[str, Any]:
    """What the command found, beside the truth, and what it took."""
    command = [str(Path(sys.executable).with_name("loadstone")), "learn", str(log), "--out", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    record = json.loads((folder / "learn.json").read_text("utf-8"))
    classes, pauses = record["classes"]["classes"], record["pauses"]
    truths = sorted(WORKLOADS[workload].classes, key=lambda one: -one.share)
    best = pauses["laws"][0]
    return {
        "cpu_s": round(usage.ru_utime + usage.ru_stime, 2),
        "peak_memory_mib": round(usage.ru_maxrss / 1024),
        "sessions": record["arrivals"]["sessions"],
        "cutoff_s": record["cutoff"]["seconds"],
        "classes": len(classes),
        "classes_true": len(truths),
        "shares": [round(one["share"], 4) for one in classes],
        "shares_true": [one.share for one in truths],
        "largest_matrix_error": round(max(map(matrix_error, truths, classes)), 4),
        "law": best["kind"],
        "parameters": {name: round(value, 4) for name, value in best["parameters"].items()},
        "standard_errors": {name: round(value, 4) for name, value in best["errors"].items()},
        "held_out": {key: value for key, value in record["held_out"].items() if key != "rates"},
        "rates_beyond_interval": [
            one["operation"]
            for one in record["held_out"]["rates"]
            if not one["per_session"]["low"] <= one["per_session_replayed"] <= one["per_session"]["high"]
        ],
    }


def matrix_error(truth: Class, found: dict[str, Any]) -> float:
    """The largest error of a step's share, of operations that the class often does."""
    worst = 0.0
    often = {name for name, visits in _visits(found).items() if visits * found["sessions_of"] >= LEAST}
    for name, cells in truth.mix.items():
        own = NAMES.get(name, name)
        if own in often:
            row = {NAMES.get(to, to): share for to, share in cells.items()}
            row["end"] = 1 - sum(row.values())
            errors = [abs(found["mix"][own].get(to, 0.0) - share) for to, share in row.items()]
            worst = max(worst, *errors)
    return worst


def _visits(found: dict[str, Any]) -> dict[str, float]:
    """Expected visits in a session, by following the chain for long enough."""
    state, total = dict(found["enter"]), dict.fromkeys(found["mix"], 0.0)
    for _ in range(500):
        after: dict[str, float] = {}
        for name, share in state.items():
            total[name] += share
            for to, next_share in found["mix"][name].items():
                if to != "end":
                    after[to] = after.get(to, 0.0) + share * next_share
        state = after
    return total


if __name__ == "__main__":
    main()
