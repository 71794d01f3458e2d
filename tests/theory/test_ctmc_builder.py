"""Models built in Python: their text, their answers against formulas, and mistakes at the user's line."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadstone.ctmc import (
    Answer,
    Model,
    Variable,
    at,
    ceil,
    cycle,
    first,
    first_by,
    floor,
    log,
    long_run,
    maximum,
    minimum,
    until,
    when,
)
from loadstone.errors import LoadstoneError


def holds(answer: Answer, value: float) -> bool:
    return answer.low * (1 - 1e-9) <= value <= answer.high * (1 + 1e-9)


@given(st.floats(0.1, 5), st.floats(0.1, 5), st.integers(1, 4), st.integers(1, 8))
def test_a_queue_with_room_for_some_is_birth_and_death(
    arrive: float, serve: float, servers: int, spare: int
) -> None:
    """M/M/c/K: weights by detailed balance."""
    room = servers + spare
    weights = [1.0]
    for number in range(1, room + 1):
        weights.append(weights[-1] * arrive / (serve * min(number, servers)))
    total = math.fsum(weights)
    model = Model("queue")
    there = model.variable("there", 0, room)
    model.command(there < room, arrive, there.becomes(there + 1))
    model.command(there > 0, minimum(there, servers) * serve, there.becomes(there - 1))
    full = model.label("full", there == room)
    waiting = model.reward("waiting", maximum(0, there - servers))
    share, queued, often, long = model.solve(
        long_run(full), long_run(waiting), cycle(full, "frequency"), cycle(full, "mean")
    )
    assert holds(share, weights[-1] / total)
    assert holds(queued, sum(max(0, n - servers) * weight for n, weight in enumerate(weights)) / total)
    assert holds(often, weights[-2] / total * arrive)
    assert holds(long, 1 / (serve * servers))


@given(st.floats(0.01, 10), st.floats(0.01, 10), st.floats(0.01, 10))
def test_two_states_are_exponentials(crash: float, repair: float, time: float) -> None:
    model = Model("node")
    up = model.variable("up", 0, 1, init=1)
    model.command(up == 1, crash, up.becomes(0))
    model.command(~(up == 1), repair, up.becomes(1))
    both = crash + repair
    now, sum_, mean, seen = model.solve(
        at(up == 0, time), until(up < 1, time), first(up == 0), first_by(up == 0, time)
    )
    settled = crash / both
    assert holds(now, settled * -math.expm1(-both * time))
    assert holds(sum_, settled * (time + math.expm1(-both * time) / both)) or both * time < 1e-3
    assert holds(mean, 1 / crash)
    assert holds(seen, -math.expm1(-crash * time))
    assert mean.relative_width <= 1e-8 and mean.states_used == 2


def test_the_text_is_what_people_would_write() -> None:
    model = Model("pool")
    up = model.variable("up", 0, 3, init=3)
    shelf = model.variable("shelf", 0, 1)
    broken = model.formula("broken", 4 - up - shelf)
    model.command((up < 3) & (shelf > 0), (3 - up) / 15, up.becomes(up + 1), shelf.becomes(shelf - 1))
    model.command((up > 0) & ~((up == 2) | (shelf != 1)), 2 * (1 + up) - (up - 1), up.becomes(up - 1))
    model.command(broken >= 1, when(up <= 1, 0.5, 1e-7) * minimum(broken, 2))
    model.reward("odd", up % 2 + floor(up / 2) + ceil(up**2) + log(2**up, 2) - -up)
    model.label("down", up < 2)
    assert model.text() == (
        "ctmc\n"
        "formula broken = 4 - up - shelf;\n"
        "module pool\n"
        "  up : [0..3] init 3;\n"
        "  shelf : [0..1] init 0;\n"
        "  [] up < 3 & shelf > 0 -> (3 - up) / 15 : (up' = up + 1) & (shelf' = shelf - 1);\n"
        "  [] up > 0 & !(up = 2 | shelf != 1) -> 2 * (1 + up) - (up - 1) : (up' = up - 1);\n"
        "  [] broken >= 1 -> (up <= 1 ? 0.5 : 1e-07) * min(broken, 2) : true;\n"
        "endmodule\n"
        'rewards "odd" true : mod(up, 2) + floor(up / 2) + ceil(pow(up, 2)) + log(pow(2, up), 2) - (0 - up); '
        "endrewards\n"
        'label "down" = up < 2;\n'
    )
    model.solve(until(up < 2, 1.0))


def refusal(write: Callable[[], object]) -> LoadstoneError:
    with pytest.raises(LoadstoneError) as refused:
        write()
    return refused.value


def test_mistakes_are_told_at_the_line_that_wrote_them() -> None:
    model = Model("pool")
    up = model.variable("up", 0, 10, init=10)
    model.command(up > 0, 1e-6, up.becomes(up - 1))
    wrong = write_too_many(model, up)
    found = refusal(lambda: model.solve(long_run(up < 10)))
    assert found.slug == "model-text" and "`up` would be 11" in found.message
    assert found.place == f"{Path(__file__)}:{wrong}"


def write_too_many(model: Model, up: Variable) -> int:
    model.command(up <= 10, 1, up.becomes(up + 1))
    return write_too_many.__code__.co_firstlineno + 1


def test_a_word_of_the_language_is_no_name() -> None:
    model = Model("pool")
    model.variable("init", 0, 1)
    found = refusal(lambda: model.solve())
    assert found.slug == "model-text" and __file__ in (found.place or "")


def test_what_cannot_be_is_refused_at_once() -> None:
    model, other = Model("one"), Model("two")
    up, theirs = model.variable("up", 0, 2), other.variable("up", 0, 2)
    down = other.label("down", theirs == 0)
    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: model.variable("up", 0, 1), "`up` is taken"),
        (lambda: model.variable("2nd", 0, 1), "is not a name"),
        (lambda: model.variable("far", 3, 1), "begins as 3, outside 3..1"),
        (lambda: model.variable("half", 0, 1.5), "not a whole number"),  # type: ignore[arg-type]
        (lambda: model.command(up, 1), "is not a condition"),  # type: ignore[arg-type]
        (lambda: model.command(theirs > 0, 1), "variable of another model"),
        (lambda: model.command(up > 0, theirs * 1.0), "variable of another model"),
        (lambda: model.command(up > 0, 1, theirs.becomes(0)), "variable of another model"),
        (lambda: model.command(up > 0, 1, up.becomes(0), up.becomes(1)), "updates `up` twice"),
        (lambda: model.command(up > 0, math.inf), "`inf` is not a number"),
        (lambda: up + "1", "`1` is not a number"),  # type: ignore[operator]
        (lambda: (up > 0) & up, "`up` is not a condition"),  # type: ignore[operator]
        (lambda: model.solve(long_run(down)), "`down` belongs to another model"),
        (lambda: model.solve(long_run(theirs > 1)), "variable of another model"),
    ]
    for write, words in cases:
        found = refusal(write)
        assert found.slug == "model-input" and words in found.message
        assert (found.place or "").startswith(f"{Path(__file__)}:")


def test_and_or_and_chains_are_refused() -> None:
    up = Model("one").variable("up", 0, 2)
    for write in (lambda: 0 < up < 2, lambda: up > 0 and up < 2, lambda: not (up > 1)):
        with pytest.raises(TypeError, match="join conditions with"):
            write()


def test_a_space_too_large_is_refused() -> None:
    model = Model("large")
    far = model.variable("far", 0, 9_999)
    model.command(far < 9_999, 2, far.becomes(far + 1))
    model.command(far > 0, 1, far.becomes(far - 1))
    found = refusal(lambda: model.solve(long_run(far == 3), most_states=500))
    assert "500" in found.message


def test_commands_may_stand_before_variables() -> None:
    """The language wants variables first; Python does not."""
    model = Model("two")
    for name in "ab":
        each = model.variable(name, 0, 1)
        model.command(each == 0, 1, each.becomes(1))
        model.command(each == 1, 3, each.becomes(0))
    [share] = model.solve(long_run(each == 1))
    assert holds(share, 0.25)
