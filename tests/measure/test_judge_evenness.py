"""A machine that was slower in some of several runs is told of."""

from __future__ import annotations

import pytest

from loadstone.judge.evenness import UNEVEN, Speed, uneven


@pytest.mark.parametrize(
    "runs",
    [
        [],
        [Speed("a", None, None), Speed("b", None, None)],
        [Speed("a", 200.0, None), Speed("b", None, None)],
        [Speed("a", 200.0, 300.0), Speed("b", 205.0, 300 * UNEVEN - 1)],
    ],
    ids=["none", "older", "one", "alike"],
)
def test_nothing_is_said_of_a_machine_that_was_as_fast(runs: list[Speed]) -> None:
    assert uneven(runs) == []


def test_the_work_that_differs_most_is_named_with_its_runs() -> None:
    first, second, third = Speed("a", 200.0, 600.0), Speed("b", 310.0, 300.0), Speed("d", 230.0, 310.0)
    (told,) = uneven([first, second, Speed("c", None, None), third])
    assert told.startswith(
        "the machine was not equally fast: the same reads of memory took 300 µs in b and 600 µs in a; "
    )
    (told,) = uneven([second, third, Speed("e", 600.0, 305.0)])
    assert "the same arithmetic took 230 µs in d and 600 µs in e" in told
