"""Faults in the kernels of `hardening/kernels`, in every build that is asked for: one table.

    .venv/bin/python bench/injection.py --out bench/runs/DATE-MACHINE/injection --runs 500
        [--build native="cc -O2"] [--build "ilr cmp"="COMMAND"] [--only qsort] [--jobs 1]

A build is a name and the command that compiles: what it is given besides is `SOURCE -o PROGRAM -lm`. Programs
go to `target/injection`. Each campaign is `loadstone inject` and keeps its record and every injection;
`summary.json` has the classes by kernel and build, and all kernels of a build together. The same command goes
on where it was ended, and a campaign that has its injections stays as it is. A busy machine makes it slow and
changes no figure.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import asked

from loadstone import record
from loadstone.inject.tally import tally
from loadstone.stages.inject import OUTCOMES

ROOT = Path(__file__).parents[1]
LOADSTONE = ROOT / ".venv/bin/loadstone"
KERNELS = ROOT / "hardening/kernels"
BUILT = Path("target/injection")
"""From the root of the repository: the record names it, so it is no folder of one machine."""
SIZES = {"qsort": "1000", "sha256": "2000", "matmul": "20", "kv": "600", "lz": "3000", "json": "30"}
"""About two hundred thousand instructions each."""


def main() -> None:
    """Builds, injects, tells."""
    options = _options()
    began = record.now()
    rows = [
        _campaign(kernel, name, command, options)
        for name, command in (each.split("=", 1) for each in options.build)
        for kernel in options.only or SIZES
    ]
    together = [_together(name, rows) for name in dict.fromkeys(row["build"] for row in rows)]
    record.write_json(
        options.out / "summary.json",
        {
            "command": ["bench/injection.py", *sys.argv[1:]], "started_at": began, "ended_at": record.now(),
            "machine": record.machine(), "kernels": rows, "builds": together,
        },
    )  # fmt: skip
    for row in [*rows, *together]:
        shares = ", ".join(
            f"{one['outcome']} {100 * one['share']:.2f} %" for one in row["shares"] if one["count"]
        )
        print(f"{row['kernel']:8} {row['build']:10} {row['injected']:6,}: {shares}")


def _options() -> argparse.Namespace:
    parser = asked.parser(__doc__)
    parser.add_argument("--out", type=asked.folder, required=True)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--build", action="append", metavar="NAME=COMMAND")
    parser.add_argument("--only", action="append", choices=list(SIZES))
    parser.add_argument("--jobs", type=int, help="injections at once; default: a processor each")
    options = parser.parse_args()
    options.build = options.build or ["native=cc -O2"]
    return options


def _campaign(kernel: str, build: str, command: str, options: argparse.Namespace) -> dict[str, Any]:
    """One kernel in one build: its record and its classes."""
    folder = options.out / f"{kernel}-{build.replace(' ', '-')}"
    program = BUILT / folder.name / kernel
    source = KERNELS / f"{kernel}.c"
    (ROOT / program).parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([*shlex.split(command), source, "-o", program, "-lm"], cwd=ROOT, check=True)
    if not _has(folder, options.runs, ROOT / program):
        words = [
            "inject", "--runs", options.runs, "--seed", options.seed, "--out", folder, "--name", kernel,
            "--hang-least", 10, *(["--jobs", options.jobs] if options.jobs else []), program, SIZES[kernel],
        ]  # fmt: skip
        subprocess.run([LOADSTONE, *map(str, words)], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        # A page is two megabytes, and `loadstone report` makes it again.
        (folder / "report.html").unlink()
    made = json.loads((folder / "inject.json").read_text("utf-8"))
    keys = ("variant", "injected", "missed", "shares", "traced", "injections_per_s", "took_s")
    # As one types it in the folder of the kernels: a record holds no folder of one machine.
    compiled = f"{command} {source.name} -o {kernel} -lm"
    return {"kernel": kernel, "build": build, "compiled": compiled} | {key: made[key] for key in keys}


def _has(folder: Path, runs: int, program: Path) -> bool:
    """Whether all of these injections into this very program are in the folder."""
    file = folder / "inject.json"
    if not file.is_file():
        return False
    made = json.loads(file.read_text("utf-8"))
    same = made["digest"] == hashlib.sha256(program.read_bytes()).hexdigest()
    return same and made["status"] == "complete" and made["runs"] >= runs


def _together(build: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """All kernels of a build, as if each injection were one of the same campaign."""
    own = [row for row in rows if row["build"] == build]
    counts = {
        outcome: sum(one["count"] for row in own for one in row["shares"] if one["outcome"] == outcome)
        for outcome in OUTCOMES
    }
    shares, _ = tally({"outcome": outcome} for outcome, count in counts.items() for _ in range(count))
    return {
        "kernel": "all", "build": build, "injected": sum(counts.values()),
        "shares": [one.content() for one in shares],
    }  # fmt: skip


if __name__ == "__main__":
    main()
