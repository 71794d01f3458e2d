"""A machine that was slower in some of several runs is told of."""

from __future__ import annotations

import pytest

from loadstone.judge.evenness import UNEVEN, Speed, slowed, uneven


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


def test_a_run_is_slowed_where_as_much_load_went_with_a_faster_machine() -> None:
    slow, fast, unknown = Speed("a", 60.0, 300.0), Speed("b", 60.0, 200.0), Speed("c", None, None)
    assert slowed(70, slow, [(70, fast)]) and slowed(70, slow, [(40, slow), (90, fast)])
    assert not slowed(70, slow, [(69, fast)]), "the load itself may have made it slow"
    assert not slowed(70, slow, [(70, slow), (80, unknown)]) and not slowed(70, unknown, [(80, fast)])
    assert not slowed(70, slow, [(80, Speed("d", 60.0, 300 / UNEVEN + 1))])
    assert slowed(70, Speed("e", 60 * UNEVEN, None), [(70, fast)])
