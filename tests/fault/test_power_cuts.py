"""Thousands of power cuts under SQLite on a block device; hundreds are in the crate's own fast tests."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CUTS = 1700
"""In each of three settings."""


@pytest.mark.long
@pytest.mark.timeout(900)
def test_no_power_cut_loses_a_transaction_or_halves_one() -> None:
    command = ["cargo", "test", "--quiet", "-p", "loadstone-store", "--test", "power_cuts"]
    done = subprocess.run(
        [*command, "--", "--ignored", "--nocapture"],
        cwd=ROOT,
        env=os.environ | {"CUTS": str(CUTS), "SEED": "31"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    counts = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert len(counts) == 3
    assert all(one["cuts"] >= CUTS and one["in_mount"] > 100 and one["commits"] > CUTS for one in counts)
