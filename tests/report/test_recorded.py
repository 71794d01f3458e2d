"""Folders as the recorder itself leaves them: complete, crashed, and cut off before anything happened."""

from __future__ import annotations

import random
from itertools import islice
from pathlib import Path

import folders
import pytest
import simulated

from loadstone import record, report

PLAN = simulated.plan(users=10, ramp_up_s=3.0, steady_s=12.0, ramp_down_s=1.0)


def answer(rng: random.Random, name: str) -> float:
    return rng.uniform(0.01, 0.05)


def test_a_complete_run(tmp_path: Path) -> None:
    summary = folders.made(tmp_path / "run", PLAN, simulated.windows(PLAN, answer))
    chapter = report.read_chapter(tmp_path / "run")
    tables = report.all_tables(chapter)
    assert [row["operation"] for row in tables["operations"].rows] == list(summary["operations"])
    assert [row["name"] for row in tables["checks"].rows] == [
        check["name"] for check in summary["validity"]["checks"]
    ]
    assert {badge.words for badge in report.badges(chapter)} >= set(summary["warnings"])
    page = report.page([chapter])
    for title in ("Throughput, operations per second", "Users"):
        assert f"<strong>{title}</strong>" in page
    # Two operations a second: a line of percentiles would be one of single answers.
    assert "Too few answers for a line over time" in page
    assert "Response time, all operations" not in page


@pytest.mark.parametrize("seconds", [0, 1, 9])
def test_a_crashed_run_is_recovered_and_says_so(tmp_path: Path, seconds: int) -> None:
    """Killed at once, in the ramp-up, and in the steady state."""
    journal = record.begin(tmp_path / "run", folders.beginning(PLAN))
    for window in islice(simulated.windows(PLAN, answer), seconds):
        journal.window(window)
        journal.hosts(window["second"], {"host": {"cpu_cores": 0.5}})
    journal.close()
    chapter = report.read_chapter(tmp_path / "run")
    assert (tmp_path / "run" / "run.json").is_file()
    assert "crashed: what was measured until then was recovered" in [
        badge.words for badge in report.badges(chapter)
    ]
    assert report.page([chapter])
    assert report.summary(chapter)
