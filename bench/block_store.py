"""SQLite on a bare block device beside SQLite on ext4: commits a second, CPU, bytes and flushes, in one run.

One loop device holds an ext4, another one is the raw device; both are backed by files of one kind: in memory,
where a flush costs nothing, or on this machine's disk, where it is a real one. The same program with the same
SQLite makes every measurement, a process each, places in turn in every round. Loop devices need root.

    python bench/block_store.py [--rounds 5] [--sizes 1 64 1024 ...] [--rows N] [--only memory|disk]
"""

from __future__ import annotations

import json
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import asked
import kept

ROOT = Path(__file__).parents[1]
PROGRAM = ROOT / "target/release/examples/commits"
SIZES = (1, 64, 1024, 4096, 16384, 65536)
BACKINGS = {"memory": Path("/dev/shm"), "disk": ROOT / "target"}
DEVICE_BYTES = 1 << 30
PHASES = ("insert", "update", "delete", "bulk", "scan")
# (name, journal mode, whether the place is the raw device)
PLACES = (
    ("block log", "delete", True),
    ("block journal", "persist", True),
    ("ext4 wal", "wal", False),
    ("ext4 persist", "persist", False),
    ("ext4 delete", "delete", False),
)

Row = dict[str, object]


@contextmanager
def loop_device(folder: Path) -> Iterator[str]:
    """A loop device on a file of zeros in `folder`."""
    with tempfile.NamedTemporaryFile(dir=folder, prefix="block-store-") as file:
        # Written, not only sized: where blocks are first allocated a file system measures itself.
        subprocess.run(["dd", "if=/dev/zero", f"of={file.name}", "bs=1M", f"count={DEVICE_BYTES >> 20}"],
                       check=True, capture_output=True)  # fmt: skip
        made = subprocess.run(
            ["losetup", "-f", "--show", file.name], check=True, capture_output=True, text=True
        )
        device = made.stdout.strip()
        try:
            yield device
        finally:
            subprocess.run(["losetup", "-d", device], check=True)


@contextmanager
def ext4(device: str) -> Iterator[Path]:
    """An ext4 on `device`, mounted."""
    subprocess.run(["mkfs.ext4", "-q", device], check=True)
    with tempfile.TemporaryDirectory(prefix="block-store-") as folder:
        subprocess.run(["mount", device, folder], check=True)
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", folder], check=True)


def command(place: str, journal: str, raw: bool, synchronous: str, size: int, rows: int) -> list[str]:
    """How the program is called, with a place that is empty."""
    if not raw:
        for old in Path(place).parent.glob(Path(place).name + "*"):
            old.unlink()
    where = f"direct:{place}" if raw else place
    return [str(PROGRAM), where, journal, synchronous, str(size), str(rows)]


def measure(place: str, journal: str, raw: bool, synchronous: str, size: int, rows: int) -> list[Row]:
    """The phases of one process."""
    done = subprocess.run(
        command(place, journal, raw, synchronous, size, rows), check=True, capture_output=True, text=True
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def flushes(place: str, journal: str, raw: bool, synchronous: str, size: int, rows: int) -> float | None:
    """Flushes for each commit over inserts, updates and deletes, as strace counts them."""
    strace = ["strace", "-f", "-c", "-e", "trace=fsync,fdatasync"]
    try:
        done = subprocess.run(
            [*strace, *command(place, journal, raw, synchronous, size, rows)],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
    except FileNotFoundError:
        return None
    calls = re.findall(
        r"^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+(?:\d+\s+)?(?:fsync|fdatasync)$", done.stderr, re.M
    )
    return sum(int(count) for count in calls) / (3 * rows)


def rows_for(size: int, most: int) -> int:
    """Rows written one by one: fewer large ones, so that a place is not full."""
    return most if size <= 4096 else min(most, 120)


def run(backing: str, rounds: int, sizes: list[int], most_rows: int) -> list[Row]:
    """Every measurement on one backing."""
    found: list[Row] = []
    with ExitStack() as stack:
        raw_device = stack.enter_context(loop_device(BACKINGS[backing]))
        folder = stack.enter_context(ext4(stack.enter_context(loop_device(BACKINGS[backing]))))
        for synchronous in ("full", "normal"):
            for size in sizes:
                rows = rows_for(size, most_rows)
                for turn in range(rounds):
                    for name, journal, raw in PLACES[turn % len(PLACES) :] + PLACES[: turn % len(PLACES)]:
                        place = raw_device if raw else str(folder / "bench.db")
                        about = {"backing": backing, "synchronous": synchronous, "bytes": size, "place": name}
                        for phase in measure(place, journal, raw, synchronous, size, rows):
                            found.append({**about, "round": turn, **phase})
                        if turn == 0:
                            count = flushes(place, journal, raw, synchronous, size, rows)
                            found.append({**about, "phase": "flushes", "a_commit": count})
                print(
                    f"{backing}, synchronous {synchronous}, {size} bytes: done", file=sys.stderr, flush=True
                )
    return found


def rates(rows: list[Row], **about: object) -> list[float]:
    """Operations a second of the rounds that fit."""
    fitting = [row for row in rows if all(row.get(key) == value for key, value in about.items())]
    return [row["operations"] / row["seconds"] for row in fitting]  # type: ignore[operator]


def median(rows: list[Row], column: str, **about: object) -> float:
    """The middle of a column for each operation, of the rounds that fit."""
    fitting = [row for row in rows if all(row.get(key) == value for key, value in about.items())]
    return float(statistics.median(row[column] / row["operations"] for row in fitting))  # type: ignore[operator]


def markdown(rows: list[Row]) -> str:
    """Medians with ranges, as a table for each backing, synchronous level and phase."""
    lines = []
    keys = sorted({(str(row["backing"]), str(row["synchronous"])) for row in rows})
    sizes = sorted({int(str(row["bytes"])) for row in rows})
    for backing, synchronous in keys:
        for phase in PHASES:
            lines += [f"\n### {backing}, synchronous = {synchronous}, {phase}: operations/s\n"]
            lines += [
                "| bytes | " + " | ".join(name for name, _, _ in PLACES) + " | log / wal | log / delete |"
            ]
            lines += ["|---" * (len(PLACES) + 3) + "|"]
            for size in sizes:
                about = {"backing": backing, "synchronous": synchronous, "phase": phase, "bytes": size}
                found = {name: rates(rows, place=name, **about) for name, _, _ in PLACES}
                middle = {name: statistics.median(rate) for name, rate in found.items()}
                cells = [f"{middle[name]:,.0f} ({min(r):,.0f}–{max(r):,.0f})" for name, r in found.items()]
                ratios = [middle["block log"] / middle[peer] for peer in ("ext4 wal", "ext4 delete")]
                lines.append(f"| {size} | {' | '.join(cells)} | {' | '.join(f'{r:.2f}' for r in ratios)} |")
        lines += [
            f"\n### {backing}, synchronous = {synchronous}: a commit (insert, update, delete together)\n"
        ]
        lines += ["| bytes | place | CPU us | KB written | flushes |", "|---|---|---|---|---|"]
        for size in sizes:
            for name, _, _ in PLACES:
                about = {"backing": backing, "synchronous": synchronous, "place": name, "bytes": size}
                cpu = sum(median(rows, "cpu_s", phase=phase, **about) for phase in PHASES[:3]) / 3 * 1e6
                kib = sum(median(rows, "written", phase=phase, **about) for phase in PHASES[:3]) / 3 / 1000
                flush = [row["a_commit"] for row in rows if row.get("phase") == "flushes"
                         and all(row[key] == value for key, value in about.items())]  # fmt: skip
                count = "-" if flush[0] is None else f"{float(str(flush[0])):.2f}"
                lines.append(f"| {size} | {name} | {cpu:.0f} | {kib:.1f} | {count} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measures and writes the run's folder."""
    parser = asked.parser(__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--rows", type=int, default=400)
    parser.add_argument("--only", choices=sorted(BACKINGS))
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    if os.geteuid() != 0:
        raise SystemExit("loop devices need root")
    build = ["cargo", "build", "--quiet", "--release", "-p", "loadstone-store", "--features", "file-device"]
    subprocess.run([*build, "--example", "commits"], cwd=ROOT, check=True)
    rows: list[Row] = []
    for backing in [options.only] if options.only else BACKINGS:
        rows += run(backing, options.rounds, options.sizes, options.rows)
    out = kept.folder("block-store", options.out)
    (out / "measurements.ndjson").write_text("".join(json.dumps(row) + "\n" for row in rows))
    load = ", ".join(f"{one:.1f}" for one in os.getloadavg())
    head = f"`python bench/{Path(sys.argv[0]).name} {' '.join(sys.argv[1:])}`, Linux {platform.release()}, "
    head += f"{os.cpu_count()} cores, load at the end {load}. Medians of {options.rounds} rounds (ranges).\n"
    (out / "summary.md").write_text(head + markdown(rows))
    print(out / "summary.md")


if __name__ == "__main__":
    main()
