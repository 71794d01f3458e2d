"""100,000 connections that come and go leave nothing behind in any connector: a long test."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.long
def test_a_churn_of_connections_leaves_nothing_behind() -> None:
    command = ["cargo", "test", "--quiet", "-p", "loadstone-container", "--test", "parity"]
    done = subprocess.run(
        [*command, "--", "--ignored", "churn"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout
