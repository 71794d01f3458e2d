"""Durations, rates, targets: what is read, and that nothing else gets through."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadstone.errors import LoadstoneError
from loadstone.nodes.quantities import (
    UNIT_SECONDS,
    parse_duration,
    parse_rate,
    parse_target,
    spell_availability,
    spell_duration,
)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("15s", 15),
        ("1min", 60),
        ("1 h", 3600),
        ("30 minutes", 1800),
        ("365.25d", 31_557_600),
        ("2 years", 63_115_200),
        ("day", 86_400),
        ("2.5us", Fraction(25, 10**7)),
        ("2.5 µs", Fraction(25, 10**7)),
        ("1e3s", 1000),
        ("1 month", 2_592_000),
    ],
)
def test_durations(text: str, seconds: Fraction) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize(
    "text", ["", "s15", "15", "-3s", "0s", "15 s s", "nan s", "inf h", "1e999s", "15parsecs", "1/2 h"]
)
def test_not_durations(text: str) -> None:
    with pytest.raises(LoadstoneError, match=r"error\[duration\]"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("text", "per_year"),
    [
        ("1/year", 1),
        ("6 / yr", 6),
        ("1/183d", Fraction(36525, 18300)),
        ("0.9/day", Fraction(9, 10) * Fraction(1461, 4)),
    ],
)
def test_rates(text: str, per_year: Fraction) -> None:
    assert parse_rate(text) * parse_duration("year") == per_year


@pytest.mark.parametrize(
    "text", ["", "1", "/year", "1/", "0/year", "1/0d", "1//d", "one/year", "1/year/year"]
)
def test_not_rates(text: str) -> None:
    with pytest.raises(LoadstoneError, match=r"error\[rate\]"):
        parse_rate(text)


def test_a_rate_follows_the_year() -> None:
    year = parse_duration("365d")
    assert parse_rate("1/year", year) * year == 1
    assert parse_rate("1/183d", year) * year == Fraction(365, 183)


@pytest.mark.parametrize(
    "text", ["0.99999", "99.999 %", "99.999%", "five nines", "5 nines", "5nines", "Five-Nines"]
)
def test_five_nines(text: str) -> None:
    assert 1 - parse_target(text) == Fraction(1, 100_000)


@pytest.mark.parametrize(
    "text", ["", "1", "0", "100 %", "1.5", "zero nines", "0 nines", "nines", "-0.9", "99.9"]
)
def test_not_targets(text: str) -> None:
    with pytest.raises(LoadstoneError, match=r"error\[target\]"):
        parse_target(text)


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused_in_our_words(text: str) -> None:
    for parse, slug in ((parse_duration, "duration"), (parse_rate, "rate"), (parse_target, "target")):
        try:
            assert parse(text) > 0
        except LoadstoneError as error:
            assert error.slug == slug


@given(
    st.decimals(min_value="0.001", max_value="1000000", places=3),
    st.sampled_from(sorted(UNIT_SECONDS)),
    st.sampled_from(["", " ", "  "]),
)
def test_what_is_written_is_read_exactly(number: object, unit: str, gap: str) -> None:
    length = parse_duration(f"{number}{gap}{unit}")
    assert length == Fraction(str(number)) * UNIT_SECONDS[unit]
    assert parse_rate(f"1/{number}{gap}{unit}") == 1 / length


@given(st.floats(min_value=1e-300, max_value=0.999))
def test_an_availability_is_never_shown_as_one(down: float) -> None:
    shown = spell_availability(down, 1.0)
    assert not shown.startswith("1.")
    if down > 1e-12:
        assert 1 - float(shown) == pytest.approx(down, rel=0.06, abs=1e-13)


def test_spelled_lengths() -> None:
    assert [spell_duration(s) for s in (2.4e-9, 0.0123, 26.25, 315.6, 31_557.6, 864_000.0)] == [
        "0.0024 µs", "12.3 ms", "26.2 s", "5.26 min", "8.77 h", "10 d",
    ]  # fmt: skip
