"""Sessions that are over are cleared away, by one log-in in a hundred."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from shared_sites import Browser
from stack_sites import every_stack, served

from loadstone._core import usernames
from loadstone.site.stack import Stack

pytestmark = [pytest.mark.stacks, pytest.mark.timeout(600)]

NAMES = usernames(1, 120)
LOG_INS = 1000
"""None of them clears anything away once in 23,000 times."""


@every_stack
@pytest.mark.parametrize("fresh", ["sqlite"], indirect=True)
def test_a_session_that_is_over_does_not_stay(stack: Stack, fresh: str) -> None:
    [place] = Path(fresh).glob("*.db")
    with served(stack, fresh) as one:
        Browser([one.url]).log_in(NAMES[2], "3")
        with sqlite3.connect(place, timeout=30) as rows:
            rows.execute("UPDATE session SET expires_s = 1")
        for _ in range(LOG_INS):
            assert b"Hello" in Browser([one.url]).log_in(NAMES[3], "4")[1]
            [left] = rows.execute("SELECT count(*) FROM session WHERE expires_s = 1").fetchone()
            if not left:
                break
        rows.close()
    assert left == 0
