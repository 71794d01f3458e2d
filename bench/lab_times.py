"""How long the lab and deployments take: the commands themselves, with the processor time that they need.

    sudo .venv/bin/python bench/lab_times.py --out bench/runs/DATE-MACHINE/lab-times

Each command runs as a person would type it, one after the other. Its time is the clock's; its processor time
is that of the command and its children, and of all processes of the lab's hosts. On a machine that does other
work the second tells what the first would be without it.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asked
from accounting import cpu_s

from loadstone.lab import Folder

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "lab" / "seven-hosts.toml"
LAB = "seven-hosts"
LOADSTONE = (sys.executable, "-m", "loadstone")
RUN_S = 6
TARGETS = {
    "lab up": 4.0,
    "deploy": 20.0,
    "deploy again": 5.0,
    "a change": 1.0,
    "a run, beside its load": 6.0,
    "study balancers --quick, until it measures": 30.0,
}
COMMANDS = {
    "lab up": "loadstone lab up examples/lab/seven-hosts.toml",
    "deploy": "loadstone deploy examples/lab/seven-hosts.toml",
    "deploy again": "the same",
    "a change": "loadstone configure CHANGED.toml --only balancer, as it says itself",
    "a run, beside its load": f"loadstone run page --topology ..., less its {RUN_S} s",
    "study balancers --quick, until it measures": "loadstone study balancers --quick",
}  # fmt: skip
Row = dict[str, Any]


def main() -> None:
    """Measures everything and writes times.json and README.md."""
    parser = asked.parser(__doc__)
    parser.add_argument("--out", type=asked.folder, required=True)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    rows: list[Row] = []
    for number in range(options.rounds):
        for row in one_round(last=number == options.rounds - 1):
            rows.append(row)
            print(row, flush=True)
    (options.out / "times.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    (options.out / "README.md").write_text(page(rows, options), encoding="utf-8")


def one_round(last: bool) -> Iterator[Row]:
    """Every command once, from no lab to no lab; the study only in the `last` one."""
    subprocess.run([*LOADSTONE, "lab", "down", LAB], capture_output=True, check=False)
    with tempfile.TemporaryDirectory() as folder:
        # A topology's services belong to its folder: the changed one lies beside the first.
        file, changed = Path(folder) / "seven-hosts.toml", Path(folder) / "changed.toml"
        text = EXAMPLE.read_text("utf-8")
        file.write_text(text, encoding="utf-8")
        changed.write_text(text.replace("round-robin", "least-connections"), encoding="utf-8")
        try:
            yield timed("lab up", "lab", "up", str(file))
            yield timed("deploy", "deploy", str(file))
            yield timed("deploy again", "deploy", str(file))
            change = timed("a change", "configure", str(changed), "--only", "balancer", "--json")
            yield change | {"s": json.loads(change.pop("said"))["took_s"], "command_s": change["s"]}
            yield timed("back", "configure", str(file), "--only", "balancer")
            run = ("run", "page", "--topology", str(file), "--service", "balancer", "--users", "5")
            length = ("--set", "load.ramp_up_s=1", "--window", str(RUN_S - 1), "--set", "load.ramp_down_s=0")
            row = timed("a run, beside its load", *run, *length, "--out", str(Path(folder) / "run"))
            yield row | {"s": row["s"] - RUN_S}
        finally:
            subprocess.run([*LOADSTONE, "lab", "down", LAB], capture_output=True, check=False)
    if last:
        yield study()


def timed(what: str, *arguments: str) -> Row:
    """One command to its end."""
    before, hosts, began = children_s(), hosts_s(), time.monotonic()
    done = subprocess.run([*LOADSTONE, *arguments], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1, 6, 7):
        sys.exit(f"{arguments}: {done.stderr}")
    row = {
        "what": what,
        "s": time.monotonic() - began,
        "cpu_s": children_s() - before,
        "hosts_cpu_s": hosts_s() - hosts,
        "load": os.getloadavg()[0],
    }
    return row | ({"said": done.stdout} if "--json" in arguments else {})


def study() -> Row:
    """The study until its first measurement begins, which is when the folder of its results is made."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        before = children_s()
        process = subprocess.Popen(
            [*LOADSTONE, "study", "balancers", "--quick", "--out", f"{folder}/study"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert process.stderr
        up_s = None
        for line in process.stderr:
            if "up after" in line:
                up_s = time.monotonic() - began
            elif up_s is not None:
                break
        row = {"what": "study balancers --quick, until it measures", "s": time.monotonic() - began}
        process.send_signal(signal.SIGINT)
        process.communicate()
        return row | {"cpu_s": children_s() - before, "hosts_cpu_s": 0.0, "load": os.getloadavg()[0]}


def children_s() -> float:
    """Processor seconds of all commands so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def hosts_s() -> float:
    """Processor seconds of the hosts of the lab so far; 0 without a lab."""
    record = Folder(LAB).read()
    return sum(sum(cpu_s(host.pid)) for host in record.hosts) if record else 0.0


def page(rows: list[Row], options: argparse.Namespace) -> str:
    """The table as a page."""
    lines, cores = [], os.cpu_count()
    for what, target in TARGETS.items():
        found = [row for row in rows if row["what"] == what]
        if found:
            best, middle = min(row["s"] for row in found), statistics.median(row["s"] for row in found)
            cpu = statistics.median(row["cpu_s"] for row in found)
            hosts = statistics.median(row["hosts_cpu_s"] for row in found)
            loads = f"{min(row['load'] for row in found):.1f}–{max(row['load'] for row in found):.1f}"
            cells = [what, f"`{COMMANDS[what]}`", f"{target:g}", f"{best:.1f} / {middle:.1f}", f"{cpu:.1f}"]
            lines.append("| " + " | ".join([*cells, f"{hosts:.1f}", loads]) + " |\n")
    return f"""# What the lab and deployments take
`python bench/lab_times.py --out DIR --rounds {options.rounds}` on {cores} cores. Raw data: `times.json`.

Seconds of the clock, the least and the median of all rounds, and the median of the processor seconds that
the command and the hosts needed. Load is the machine's load average: above {cores}, everything waits for
other work.

| what | command | target s | least / median s | command's CPU s | hosts' CPU s | load |
|---|---|---|---|---|---|---|
{"".join(lines)}"""


if __name__ == "__main__":
    main()
