"""A reader who types what the tutorial says gets what it says."""

from __future__ import annotations

from pathlib import Path

import pytest
from pages import failures, follow

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]


def test_the_tutorial_can_be_followed_and_no_operation_fails(tmp_path: Path) -> None:
    follow("tutorial.md", tmp_path)
    assert failures(tmp_path) == {}
    assert (tmp_path / "runs/capacity/report.html").stat().st_size > 100_000
