"""Moves of a running image: what is copied, and for how long clients hear nothing.

    sudo .venv/bin/python bench/moves.py --out bench/runs/DATE-MACHINE/moves

Olio in 64 MiB, after a burst of requests from 40 clients, moves between two machines on one bridge
(`tests/boot/moving.py`, in a network of its own): on both boards, told before or not, with eight clients that
read all the time and without any, in turn. Every move is a line of `moves.jsonl` as it ends.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from itertools import product
from pathlib import Path
from typing import Any

import asked

from loadstone import record
from loadstone.image import accelerator
from loadstone.image.build import build

ROOT = Path(__file__).parents[1]
BOOT = ROOT / "tests" / "boot"
READERS = 8
Move = dict[str, Any]


def main() -> None:
    """Moves, tells, writes README.md."""
    parser = asked.parser(__doc__)
    parser.add_argument("--out", type=asked.folder, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    image = build("olio").stripped.path
    began, moves = record.now(), list[Move]()
    kinds = list(product(("microvm", "q35"), (True, False), (READERS, 0)))
    with (options.out / "moves.jsonl").open("w", encoding="utf-8") as journal:
        for number in range(options.rounds):
            for board, told, readers in kinds:
                found = move(image, board, told, readers)
                kind = {"round": number, "board": board, "told": told, "readers": readers}
                moves.append(kind | found)
                journal.write(json.dumps(moves[-1]) + "\n")
                journal.flush()
                print(moves[-1], flush=True)
    (options.out / "README.md").write_text(page(moves, kinds, began), encoding="utf-8")


def move(image: Path, board: str, told: bool, readers: int) -> Move:
    """One, from boot to end."""
    with tempfile.TemporaryDirectory() as folder:
        words = [str(image), folder, board, "told" if told else "untold", str(readers)]
        environment = os.environ | {"PYTHONPATH": f"{BOOT}:{BOOT.parent / 'parity'}"}
        done = subprocess.run(
            ["unshare", "--net", sys.executable, str(BOOT / "moving.py"), *words],
            env=environment, capture_output=True, text=True, timeout=600,
        )  # fmt: skip
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    found: Move = json.loads(done.stdout.splitlines()[-1])
    # The lines that fail say why; all else is in the figures.
    return found | {"failures": found["failures"][:20], "failed": len(found["failures"])}


def page(moves: list[Move], kinds: list[tuple[str, bool, int]], began: str) -> str:
    """The README: a row for each kind of move, median (least–greatest)."""
    machine = record.machine()
    head = [
        "board",
        "told",
        "clients",
        "moves",
        "MB copied",
        "neither ran, ms",
        "silence, ms",
        "answers",
        "failed",
    ]
    rows = []
    for board, told, readers in kinds:
        kept = [one for one in moves if (one["board"], one["told"], one["readers"]) == (board, told, readers)]
        rows.append(
            [
                *(board, "yes" if told else "no", str(readers), str(len(kept))),
                *(spread([one[key] for one in kept], by) for key, by in FIGURES.items()),
                *(f"{sum(one[key] for one in kept):,}" for key in ("answers", "failed")),
            ]
        )
    lines = [" | ".join(cells) for cells in (head, ["---"] * len(head), *rows)]
    table = "\n".join(f"| {line} |" for line in lines)
    return f"""# Moves of a running image
`bench/moves.py --rounds {len(moves) // len(kinds)}`, {machine["cpu"]}, {machine["cores"]} cores,
QEMU by {accelerator()}, {began[:10]}. Median (least–greatest). *Silence* is the longest time in which no
client got an answer, so it has the wait for a turn of the processor in it, too.

{table}
"""


FIGURES = {"moved_bytes": 1e-6, "downtime_ms": 1.0, "silence_ms": 1.0}
"""With what each is multiplied for the page."""


def spread(values: list[float | None], by: float) -> str:
    """As the page has it; a dash where nobody listened."""
    known = [by * value for value in values if value is not None]
    if not known:
        return "–"
    digits = 1 if by < 1 else 0
    return f"{statistics.median(known):.{digits}f} ({min(known):.{digits}f}–{max(known):.{digits}f})"


if __name__ == "__main__":
    main()
