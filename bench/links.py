"""The lab's links by ping and iperf3, beside what theory says, with every frame accounted for.

    sudo .venv/bin/python bench/links.py --out bench/runs/DATE-MACHINE/links

Each shape lies between two hosts of a lab, half of its delay on each link. TCP on a link with a delay is
bound by its window (what the receiver offers, as the sender's kernel tells) over the round trip, or by the
rate. Runs are made one after the other; a run whose frames do not add up ends the program.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asked

from loadstone import lab
from loadstone.lab import Folder, within

NAME = "bench-links"
PAYLOAD = 1448 / 1514
"""Of a full frame, what is TCP's payload."""


@dataclass(frozen=True)
class Case:
    """A shape and how TCP is to be bound on it."""

    name: str
    link: str
    """Of the sender, towards the receiver and back."""
    rtt_ms: float
    loss: float = 0.0
    """Of a round trip."""
    rate_mbit: float | None = None
    window: str | None = None
    """Of the receiver; the kernel's own without."""
    bound: bool = True
    """Whether theory says how fast TCP is."""


CASES = [
    Case("delay 1 ms", "delay_ms = 0.25", 1, window="8K"),
    Case("delay 10 ms", "delay_ms = 2.5", 10, window="64K"),
    Case("delay 20 ms", "delay_ms = 5", 20, window="256K"),
    Case("delay 80 ms", "delay_ms = 20", 80, window="1M"),
    Case("delay 20 ms, the kernel's window", "delay_ms = 5", 20, bound=False),
    Case("jitter 20 ± 2 ms", "delay_ms = 5\njitter_ms = 1", 20, window="128K", bound=False),
    Case("rate 20 Mbit/s", "rate_mbit = 20\nqueue_ms = 100", 0.1, rate_mbit=20),
    Case("rate 100 Mbit/s, 10 ms", "rate_mbit = 100\ndelay_ms = 2.5", 10, rate_mbit=100),
    Case(
        "bucket 32 KiB, 50 Mbit/s, 10 ms", "rate_mbit = 50\nburst_kib = 32\ndelay_ms = 2.5", 10, rate_mbit=50
    ),
    Case("cross-traffic 12 of 20 Mbit/s", "rate_mbit = 20\ncross_mbit = 12", 1.98, bound=False),
    Case("loss 1 % each link, 10 ms", "delay_ms = 2.5\nloss = 0.01", 10, loss=1 - 0.99**4, bound=False),
    Case("plain", "", 0, bound=False),
]


def main() -> None:
    """Measures every case and writes links.json and README.md."""
    parser = asked.parser(__doc__)
    parser.add_argument("--out", type=asked.folder, required=True)
    parser.add_argument("--seconds", type=float, default=3.0, help="of each run of iperf3")
    parser.add_argument("--runs", type=int, default=3, help="of iperf3 by case")
    parser.add_argument("--only", action="append", help="only this case; repeatable")
    parser.add_argument(
        "--real-time",
        action="store_true",
        help="iperf3 has the processor before all other work, but not before the switch",
    )
    options = parser.parse_args()
    found = []
    before = ["chrt", "--fifo", "10"] if options.real_time else []
    for case in CASES:
        if options.only and case.name not in options.only:
            continue
        found.append(measured(case, options.seconds, options.runs, before))
        print(row(found[-1]), flush=True)
    (options.out / "links.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    (options.out / "README.md").write_text(page(found, options), encoding="utf-8")


def allow_real_time() -> None:
    """Groups of version 1 have no time for real-time processes unless they are given some."""
    for top in Path("/sys/fs/cgroup").glob(f"*/loadstone.{NAME}"):
        for group, share_us in ((top, 900_000), (top / "a", 450_000), (top / "b", 450_000)):
            if (file := group / "cpu.rt_runtime_us").exists():
                file.write_text(str(share_us))


def measured(case: Case, seconds: float, runs: int, before: list[str]) -> dict[str, Any]:
    """Brings a lab up with the shape, measures with `before` in front of iperf3, and takes it down."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "links.toml"
        hosts = "".join(f'[[host]]\nname = "{name}"\nlink = "shape"\n' for name in ("a", "b"))
        network = '[network]\ncongestion_control = "cubic"\n'
        path.write_text(f'format = 1\nname = "{NAME}"\n{network}[link.shape]\n{case.link}\n{hosts}')
        lab.up(lab.load_topology(path), lambda _: None)
    try:
        if before:
            allow_real_time()
        to = next(host["address"] for host in lab.labs(NAME)[0]["hosts"] if host["name"] == "b")
        run("b", [*before, "iperf3", "-s", "-D"])
        run("a", ["ping", "-n", "-q", "-c", "5", "-i", "0.2", to])  # both ends know each other
        trips = run("a", ["ping", "-n", "-q", "-i", "0.02", "-c", "100", to])
        tcp = [once(to, case, seconds, before) for _ in range(runs)]
        asked = {"case": case.name, "link": case.link, "rtt_ms": case.rtt_ms, "loss": case.loss}
        return asked | {"ping": ping(trips), "tcp": tcp, "frames": settled()}
    finally:
        lab.down(NAME)


def once(to: str, case: Case, seconds: float, before: list[str]) -> dict[str, Any]:
    """One run of TCP: payload in Mbit/s, and what theory says of it."""
    # The first two seconds hold the slow start and are left out.
    words = [*before, "iperf3", "-c", to, "-t", f"{seconds:g}", "-O", "2", "-i", "0.5", "-J"]
    words += ["-w", case.window] if case.window else []
    told = json.loads(run("a", words))
    streams = [one["streams"][0] for one in told["intervals"] if not one["sum"]["omitted"]]
    window = statistics.median(min(one["snd_wnd"], one["snd_cwnd"]) for one in streams)
    theory = None
    if case.bound:
        by_rate = case.rate_mbit * PAYLOAD if case.rate_mbit else float("inf")
        theory = min(by_rate, window * 8 / (case.rtt_ms * 1e3))
    rate = told["end"]["sum_received"]["bits_per_second"]
    return {
        "mbit": rate / 1e6,
        "theory_mbit": theory,
        "window_bytes": window,
        "rtt_us": statistics.median(one["rtt"] for one in streams),
        "sent_again": told["end"]["sum_sent"]["retransmits"],
    }


def settled() -> dict[str, Any]:
    """The traffic of both links at rest. Ends the program when it does not add up within ten seconds."""
    deadline = time.monotonic() + 10
    while True:
        hosts = {host["name"]: host for host in lab.labs(NAME)[0]["hosts"]}
        ways = [host["traffic"][way] for host in hosts.values() for way in ("up", "down")]
        kernels = all(host["traffic"]["up"]["offered"] == kernel(host["pid"]) for host in hosts.values())
        if kernels and all(one["offered"] == one["passed"] + sum(one["dropped"].values()) for one in ways):
            return {name: host["traffic"] for name, host in hosts.items()}
        if time.monotonic() > deadline:
            sys.exit(f"frames do not add up: {ways}")
        time.sleep(0.1)


def kernel(pid: int) -> int:
    """Frames that a host's own kernel has sent or dropped."""
    table = Path(f"/proc/{pid}/net/dev").read_text()
    figures = next(line for line in table.splitlines() if "eth0:" in line).partition(":")[2].split()
    return int(figures[9]) + int(figures[11])


def run(host: str, words: list[str]) -> str:
    """The output of a command in a host."""
    record = Folder(NAME).read()
    assert record is not None
    command = within(record, record.host(host), words)
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def ping(text: str) -> dict[str, float]:
    """Least and mean round trip in ms, and the share lost."""
    least, mean = text.rpartition("= ")[2].split("/")[:2]
    lost = float(text.partition("% packet")[0].split()[-1]) / 100
    return {"min_ms": float(least), "mean_ms": float(mean), "loss": lost}


def row(one: dict[str, Any]) -> str:
    """A line of the table."""
    rates = [run["mbit"] for run in one["tcp"]]
    bound = [run for run in one["tcp"] if run["theory_mbit"]]
    theory = statistics.median(run["theory_mbit"] for run in bound) if bound else None
    off = [100 * (run["mbit"] / run["theory_mbit"] - 1) for run in bound]
    ways = [one["frames"][host][way] for host in ("a", "b") for way in ("up", "down")]
    drops: Counter[str] = Counter()
    for way in ways:
        drops.update(way["dropped"])
    cells = [
        one["case"],
        f"{one['rtt_ms']:g}",
        f"{one['ping']['min_ms']:.2f} / {one['ping']['mean_ms']:.2f}",
        f"{100 * one['loss']:.1f} / {100 * one['ping']['loss']:.0f}",
        f"{theory:.1f}" if theory else "–",
        f"{min(rates):.1f}–{max(rates):.1f}",
        f"{min(off):+.1f} to {max(off):+.1f}" if off else "–",
        f"{sum(way['offered'] for way in ways):,}",
        ", ".join(f"{count:,} {cause.replace('_', ' ')}" for cause, count in drops.items()) or "none",
    ]
    return f"| {' | '.join(cells)} |"


def page(found: list[dict[str, Any]], options: argparse.Namespace) -> str:
    """The table as a page."""
    load = Path("/proc/loadavg").read_text().split()[0]
    command = f"python bench/links.py --out DIR --seconds {options.seconds:g} --runs {options.runs}"
    command += " --real-time" if options.real_time else ""
    head = ["shape", "RTT asked ms", "ping least / mean", "loss asked / ping %", "TCP theory Mbit/s"]
    head += ["iperf3, all runs", "off by %", "frames offered", "dropped"]
    return f"""# Links of the lab: ping, iperf3 and theory, every frame accounted for
`{command}` on two cores; load average at the end {load}, other work included. Raw data: `links.json`.

Theory: the window that the receiver offers over the round trip asked for, or the rate times 1448 / 1514.
Frames are those of both links in both directions. Each has passed or was dropped for the cause that stands
there, and the hosts' own kernels count as many.

| {" | ".join(head)} |
|{"---|" * len(head)}
""" + "".join(f"{row(one)}\n" for one in found)


if __name__ == "__main__":
    main()
