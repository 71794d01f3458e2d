"""A machine that was slower in some runs of a search is told of."""

from __future__ import annotations

from typing import Any

import pytest

from loadstone.capacity.evenness import UNEVEN, uneven
from loadstone.stages.capacity import SearchRun


def run(number: int, **more: Any) -> SearchRun:
    return SearchRun(folder=f"runs/000{number}-50", load=50, state="valid", evidence=True, **more)


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [run(1), run(2)],
        [run(1, compute_us=200.0), run(2)],
        [run(1, compute_us=200.0, memory_us=300.0), run(2, compute_us=205.0, memory_us=300 * UNEVEN - 1)],
    ],
    ids=["none", "older", "one", "alike"],
)
def test_nothing_is_said_of_a_machine_that_was_as_fast(rows: list[SearchRun]) -> None:
    assert uneven(rows) == []


def test_the_work_that_differs_most_is_named_with_its_runs() -> None:
    rows = [
        run(1, compute_us=200.0, memory_us=600.0),
        run(2, compute_us=270.0, memory_us=300.0),
        run(3),
        run(4, compute_us=230.0, memory_us=310.0),
    ]
    (told,) = uneven(rows)
    assert told.startswith(
        "the machine was not equally fast: the same reads of memory took 300 µs in runs/0002-50 and 600 µs "
        "in runs/0001-50; "
    )
    (told,) = uneven([rows[1], rows[3], run(5, compute_us=600.0, memory_us=305.0)])
    assert "the same arithmetic took 230 µs in runs/0004-50 and 600 µs in runs/0005-50" in told
