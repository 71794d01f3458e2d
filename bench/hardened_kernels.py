"""CPU time of the kernels of `hardening/kernels`, hardened in each way, beside native.

All variants run in turn, round by round, so that what else the machine does falls on all alike.
A ratio is of one round, and medians are of the rounds. Only CPU time in user mode counts.

    python bench/hardened_kernels.py [--rounds 7] [--llvm 22] [--out FOLDER]

With --out it writes rounds.ndjson as they come, then summary.json and README.md.
"""

from __future__ import annotations

import argparse
import datetime
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import asked
from kept import processor

ROOT = Path(__file__).parents[1]
COMPILER = ROOT / "hardening" / "bin" / "loadstone-harden-cc"
SIZES = {
    "qsort": 1_500_000,
    "sha256": 20_000_000,
    "matmul": 1000,
    "kv": 2_000_000,
    "lz": 8_000_000,
    "json": 400_000,
}
"""A fifth of a second each, native."""
VARIANTS = {
    "native": ("off", "cmp"),
    "dup": ("ilr", "dup"),
    "move": ("ilr", "move"),
    "cmp": ("ilr", "cmp"),
    "tmr": ("tmr", "cmp"),
}
TARGETS = {"dup": 1.5, "cmp": 1.8, "tmr": 2.4}
"""Most times native, as a geometric mean over the kernels: the measured prototype's figures, rounded up."""


def main() -> None:
    """Compiles, measures, says."""
    options = _options()
    with tempfile.TemporaryDirectory() as scratch:
        programs = _compile(Path(scratch), options.llvm)
        rounds = []
        for number in range(options.rounds):
            rounds.append(_round(programs))
            print(f"round {number + 1} of {options.rounds}", file=sys.stderr, flush=True)
            if options.out:
                options.out.mkdir(parents=True, exist_ok=True)
                with (options.out / "rounds.ndjson").open("a" if number else "w") as file:
                    file.write(json.dumps(rounds[-1]) + "\n")
    found = summary(rounds)
    text = markdown(found, options)
    if options.out:
        (options.out / "summary.json").write_text(json.dumps(found, indent=2) + "\n")
        (options.out / "README.md").write_text(text)
    print(text)


def _options() -> argparse.Namespace:
    parser = asked.parser(__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--llvm", default="22", choices=("22", "19"))
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error("--rounds must be at least 1")
    return options


def _compile(folder: Path, llvm: str) -> dict[str, dict[str, Path]]:
    programs: dict[str, dict[str, Path]] = {}
    for kernel, size in SIZES.items():
        source = ROOT / "hardening" / "kernels" / f"{kernel}.c"
        answers = set()
        for variant, (mode, loads) in VARIANTS.items():
            program = folder / f"{kernel}-{variant}"
            words = ["--mode", mode, "--loads", loads, "--llvm", llvm, "-O2", str(source), "-o", str(program)]
            subprocess.run([COMPILER, *words], check=True)
            programs.setdefault(kernel, {})[variant] = program
            answers.add(subprocess.run([program, str(size // 50)], capture_output=True, check=True).stdout)
        if len(answers) != 1:
            raise SystemExit(f"{kernel}: the variants do not compute the same")
    return programs


def _round(programs: dict[str, dict[str, Path]]) -> dict[str, dict[str, float]]:
    return {
        kernel: {variant: _user_s(program, SIZES[kernel]) for variant, program in variants.items()}
        for kernel, variants in programs.items()
    }


def _user_s(program: Path, size: int) -> float:
    run = subprocess.Popen([program, str(size)], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(run.pid, 0)
    run.returncode = os.waitstatus_to_exitcode(status)
    if run.returncode:
        raise SystemExit(f"{program.name} ended with {run.returncode}")
    return usage.ru_utime


def summary(rounds: list[dict[str, dict[str, float]]]) -> dict[str, Any]:
    """Median ratio to native for each kernel and variant, geometric means over the kernels, verdicts.

    >>> found = summary([{"k": {"native": 1.0, "dup": 1.4}, "l": {"native": 2.0, "dup": 3.2}}])
    >>> round(found["geomean"]["dup"], 3), found["met"]
    (1.497, {'dup': True})
    """
    variants = [variant for variant in next(iter(rounds[0].values())) if variant != "native"]
    ratios = {
        kernel: {
            variant: statistics.median(each[kernel][variant] / each[kernel]["native"] for each in rounds)
            for variant in variants
        }
        for kernel in rounds[0]
    }
    mean = {
        variant: math.exp(statistics.fmean(math.log(ratios[kernel][variant]) for kernel in ratios))
        for variant in variants
    }
    native = {kernel: statistics.median(each[kernel]["native"] for each in rounds) for kernel in rounds[0]}
    met = {variant: mean[variant] <= most for variant, most in TARGETS.items() if variant in mean}
    return {"rounds": len(rounds), "native_user_s": native, "ratio": ratios, "geomean": mean, "met": met}


def markdown(found: dict[str, Any], options: argparse.Namespace) -> str:
    """The table, with what made it."""
    variants = list(found["geomean"])
    lines = [
        "# CPU time of hardened kernels",
        "",
        f"`python bench/hardened_kernels.py --rounds {options.rounds} --llvm {options.llvm}`, {processor()},"
        f" {os.cpu_count()} cores, Linux {platform.release()}, {datetime.date.today()}, load average"
        f" {os.getloadavg()[2]:.0f} over the last 15 minutes.",
        f"User CPU time × native at -O2, medians of {found['rounds']} rounds of all variants in turn.",
        "",
        "| kernel | native, s | " + " | ".join(variants) + " |",
        "|---|---|" + "---|" * len(variants),
    ]
    for kernel, ratios in found["ratio"].items():
        shown = " | ".join(f"{ratios[variant]:.2f}" for variant in variants)
        lines.append(f"| {kernel} | {found['native_user_s'][kernel]:.3f} | {shown} |")
    lines.append(
        "| **geometric mean** | | "
        + " | ".join(f"**{found['geomean'][each]:.2f}**" for each in variants)
        + " |"
    )
    targets = [
        f"≤ {TARGETS[each]}, {'met' if found['met'][each] else 'missed'}" if each in TARGETS else ""
        for each in variants
    ]
    lines.append("| target | | " + " | ".join(targets) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
