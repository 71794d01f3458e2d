"""Random chains by the thousand against arbitrary precision; hundreds are in the crate's own fast tests."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_no_bound_misses_among_thousands_of_random_chains() -> None:
    chains = os.environ.get("LOADSTONE_CHAINS", "5000")
    done = subprocess.run(
        [
            "cargo",
            "test",
            "--quiet",
            "-p",
            "loadstone-ctmc",
            "--test",
            "campaign",
            "--",
            "--ignored",
            "--nocapture",
        ],
        cwd=ROOT,
        env=os.environ | {"LOADSTONE_CHAINS": chains},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    told = re.search(rf"{chains} chains, (\d+) questions, \d+ refused, 0 misses", done.stdout)
    assert told and int(told[1]) > 20 * int(chains), done.stdout
