"""What a probe runs ends with the probe, however that ends."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from loadstone.probe import tied
from loadstone.probe.hosts import HERE, Here

CHILD = """
import sys
from loadstone.probe import tied
from loadstone.probe.hosts import HERE, Here
tied.run(Here(), HERE, sys.argv[1], 600)
"""


def test_a_program_ends_with_the_probe_that_is_killed(tmp_path: Path) -> None:
    number = tmp_path / "number"
    words = f"sh -c 'echo $$ >{number}.part; mv {number}.part {number}; exec sleep 600'"
    probe = subprocess.Popen([sys.executable, "-c", CHILD, words])
    while not number.exists():
        assert probe.poll() is None
        time.sleep(0.02)
    pid = int(number.read_text())
    assert _runs(pid)
    probe.kill()
    probe.wait()
    deadline = time.monotonic() + 60
    while _runs(pid):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_code_and_words_are_the_programs() -> None:
    done = tied.run(Here(), HERE, "sh -c 'echo said; echo why >&2; exit 7'", 60)
    assert (done.code, done.out, done.err) == (7, "said\n", "why\n")


def test_a_program_that_takes_too_long_is_told_to_end() -> None:
    words = "sh -c 'trap \"echo summed up; exit 3\" TERM; while :; do sleep 0.05; done'"
    done = tied.run(Here(), HERE, words, 1.0)
    assert done.out == "summed up\n" and done.code == 124


def _runs(pid: int) -> bool:
    try:
        told = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return told.rpartition(")")[2].split()[0] != "Z"
