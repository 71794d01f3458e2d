"""Probes find the region of the capacity of a service that obeys the operational law."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from loadstone.capacity.probing import Probe, Probing


def probed(probing: Probing, knee: int, cycle_s: float = 5.0, noise: float = 0.0) -> list[int]:
    """Asks a service that saturates at `knee` users; the numbers of users asked for."""
    asked = []
    while (users := probing.next()) is not None:
        asked.append(users)
        assert len(asked) < 60
        sign = 1 if len(asked) % 2 else -1
        probing.record(
            Probe(users, min(users, knee) / cycle_s * (1 + sign * noise), held=users <= 1.2 * knee)
        )
    return asked


@given(st.integers(1, 1000), st.integers(1, 100_000), st.floats(0, 0.05))
def test_the_knee_is_expected_where_it_is(first: int, knee: int, noise: float) -> None:
    probing = Probing(first, 1_000_000)
    probed(probing, knee, noise=noise)
    if first <= knee:
        assert 0.85 * knee - 1 <= probing.expected() <= 1.22 * knee + 1


def test_it_doubles_until_more_users_bring_no_more() -> None:
    assert probed(Probing(1000, 100_000), knee=6_500) == [1000, 2000, 4000, 8000]


def test_a_service_that_breaks_at_once_is_searched_from_there() -> None:
    probing = Probing(1000, 100_000)
    assert probed(probing, knee=10) == [1000]
    assert probing.expected() == 1000


def test_no_probe_has_more_users_than_allowed() -> None:
    probing = Probing(100, 250)
    assert probed(probing, knee=10_000) == [100, 200, 250]
    assert probing.expected() == 250


def test_a_probe_that_could_not_be_made_ends_it() -> None:
    probing = Probing(100, 10_000)
    probing.record(Probe(100, 20, held=True))
    probing.stop()
    assert probing.next() is None
    assert probing.expected() == 100


def test_a_service_that_answers_nothing_under_load_is_expected_to_carry_what_it_held() -> None:
    probing = Probing(100, 10_000)
    probing.record(Probe(100, 20, held=True))
    probing.record(Probe(200, 0, held=False))
    assert probing.expected() == 100
