import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadstone.scenario.formula import FormulaError, evaluate


@pytest.mark.parametrize("accounts", [250, 1000, 10_000, 100_000])
def test_tags_of_olio(accounts: int) -> None:
    """The loader's own form of the law: 5000 (1 - e^-x)/(1 + e^-x), x = accounts / 10000."""
    decay = math.exp(-accounts / 10_000)
    expected = round(5000 * (1 - decay) / (1 + decay))
    assert evaluate("round(5000 * tanh(accounts / 20000))", {"accounts": accounts}) == expected


@given(st.integers(-99, 99), st.integers(-99, 99), st.integers(1, 99))
def test_arithmetic_is_pythons(a: int, b: int, c: int) -> None:
    names = {"a": a, "b": b, "c": c}
    assert evaluate("a + b * c - (a - b) / c", names) == a + b * c - (a - b) / c
    assert evaluate("max(a, -b, min(b, c))", names) == max(a, -b, min(b, c))
    assert evaluate("ceil(a / c) - floor(a / c)", names) in (0, 1)


def test_integers_stay_integers() -> None:
    assert isinstance(evaluate("2 * accounts + 1", {"accounts": 1000}), int)
    assert evaluate("round(2.5)", {}) == 3


@pytest.mark.parametrize(
    "formula",
    [
        "", "1 +", "a", "text", "flag", "1 / 0", "exp(1000)", "log(0)", "9e999", "1j", "2 ** 9", "a.b", "[1]",
        "lambda: 1",
        "__import__('os')", "max()", "round(1, 2)", "tanh('x')", "'x'", "True", "1 if 1 else 2", "x := 1",
        "(" * 250,
        "9" * 299 + "*", "9" * 150 + "*" + "9" * 149 + "*9", "0" * 301, "\0", "f'{1}'",
    ],
)  # fmt: skip
def test_refused(formula: str) -> None:
    with pytest.raises(FormulaError):
        evaluate(formula, {"text": "x", "flag": True})


@given(st.text(max_size=40) | st.text(alphabet="()+-*/.,1ae ", max_size=40))
def test_any_text_has_a_finite_value_or_is_refused(formula: str) -> None:
    try:
        value = evaluate(formula, {"a": 2})
    except FormulaError as error:
        assert str(error)
    else:
        assert math.isfinite(value)
