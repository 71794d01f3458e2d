"""Laws of time and generators of values, as the file writes them (`kind = "..."`)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from loadstone.scenario.fields import (
    Characters,
    Count,
    Day,
    Name,
    NonNegative,
    Ordinal,
    Positive,
    Real,
    Share,
    Size,
    Table,
    Text,
    Whole,
    refuse,
)

CLAMP = 5.0  # an unbounded law stops at this many times its mean, as Faban's does


class Fixed(Table):
    """Always the same time."""

    kind: Literal["fixed"]
    value_s: NonNegative


class Uniform(Table):
    """Uniform between two times."""

    kind: Literal["uniform"]
    low_s: NonNegative
    high_s: Positive

    @model_validator(mode="after")
    def _ordered(self) -> Uniform:
        _ascending("low_s", self.low_s, "high_s", self.high_s)
        return self


class NegExp(Table):
    """min_s + (mean_s - min_s)(-ln u), clamped at max_s; without max_s at five times the mean."""

    kind: Literal["neg-exp"]
    mean_s: Positive
    min_s: NonNegative = 0.0
    max_s: Positive | None = None

    @model_validator(mode="after")
    def _ordered(self) -> NegExp:
        _ascending("min_s", self.min_s, "mean_s", self.mean_s)
        _ascending("mean_s", self.mean_s, "max_s", self.clamp_s)
        return self

    @property
    def clamp_s(self) -> float:
        """The clamp in effect, seconds."""
        return CLAMP * self.mean_s if self.max_s is None else self.max_s


class LogNormal(Table):
    """exp(N(mu, sigma)) seconds, clamped at max_s."""

    kind: Literal["log-normal"]
    mu: Real
    sigma: Positive
    max_s: Positive


class Pareto(Table):
    """Pareto with scale k_s seconds and shape alpha, clamped at max_s."""

    kind: Literal["pareto"]
    k_s: Positive
    alpha: Positive
    max_s: Positive

    @model_validator(mode="after")
    def _ordered(self) -> Pareto:
        _ascending("k_s", self.k_s, "max_s", self.max_s)
        return self


class Weibull(Table):
    """Weibull with scale_s seconds and shape (1 is exponential), clamped at max_s."""

    kind: Literal["weibull"]
    scale_s: Positive
    shape: Positive
    max_s: Positive


def _seconds(value: Any) -> Any:
    """A bare number of seconds is a fixed time."""
    if isinstance(value, int | float | str) and not isinstance(value, bool):
        return {"kind": "fixed", "value_s": value}
    return value


AnyLaw = Annotated[Fixed | Uniform | NegExp | LogNormal | Pareto | Weibull, Field(discriminator="kind")]
Law = Annotated[AnyLaw, BeforeValidator(_seconds, json_schema_input_type=AnyLaw | float | str)]


class Int(Table):
    """A uniform integer, both ends included."""

    kind: Literal["int"]
    low: Whole
    high: Whole

    @model_validator(mode="after")
    def _ordered(self) -> Int:
        _ascending("low", self.low, "high", self.high)
        return self


class Slice(Table):
    """A number in 1..count that no other user draws while users <= count."""

    kind: Literal["slice"]
    count: Ordinal


class Serial(Table):
    """A number that no user drew before, from start on."""

    kind: Literal["serial"]
    start: Whole


class Rank(Table):
    """A popularity rank in 1..count: the smaller the scale, the more popular the first."""

    kind: Literal["rank"]
    count: Ordinal
    scale: Positive = 0.1


class Locality(Table):
    """Log-normal law of how many other ranks are asked for before one returns (LRU stack distance)."""

    mu: Real
    sigma: Positive


class Zipf(Table):
    """A popularity rank in 1..count by Zipf's law, P(k) proportional to k^-exponent.

    With `locality` all users go through one sequence in which ranks return soon.
    """

    kind: Literal["zipf"]
    count: Ordinal
    exponent: Positive = 1.0
    locality: Locality | None = None


class Words(Table):
    """Random lower-case words, low to high characters in all."""

    kind: Literal["words"]
    low: Size
    high: Characters

    @model_validator(mode="after")
    def _ordered(self) -> Words:
        _ascending("low", self.low, "high", self.high)
        return self


class Letters(Table):
    """One run of low to high letters."""

    kind: Literal["letters"]
    low: Size
    high: Characters
    capital: bool = False

    @model_validator(mode="after")
    def _ordered(self) -> Letters:
        _ascending("low", self.low, "high", self.high)
        return self


class Digits(Table):
    """A run of decimal digits."""

    kind: Literal["digits"]
    count: Characters


class Pick(Table):
    """One of these templates, uniformly."""

    kind: Literal["pick"]
    source: Annotated[list[Text], Field(alias="from", min_length=1)]


class Date(Table):
    """`base` plus low..high days; `{x.year}`, `{x.month}`, `{x.day}` are its parts."""

    kind: Literal["date"]
    base: Day
    low: Whole
    high: Whole

    @model_validator(mode="after")
    def _ordered(self) -> Date:
        _ascending("low", self.low, "high", self.high)
        return self


class Username(Table):
    """The deterministic user name of an integer, as Olio's loader makes it.

    6 to 11 characters, or 3 to 8 in the paper's era, or words. Where nothing is said, `names` of `[data]`
    says which, and `release` where that says nothing either.
    """

    kind: Literal["username"]
    id: Value
    era: Literal["release", "paper", "words"] | None = None


class Choose(Table):
    """One of a list that an earlier answer gave (`extract.x = { links = ... }`), uniformly."""

    kind: Literal["choose"]
    source: Annotated[Name, Field(alias="from")]


class Template(Table):
    """A template over other values."""

    kind: Literal["text"]
    text: Text


class Several(Table):
    """low to high values joined by a separator."""

    kind: Literal["list"]
    low: Size
    high: Annotated[Count, Field(le=100_000)]
    separator: str = " "
    distinct: bool = False
    item: Value

    @model_validator(mode="after")
    def _ordered(self) -> Several:
        _ascending("low", self.low, "high", self.high)
        return self


class Row(Table):
    """A row of a file beside the scenario, by its number from 1, for the `row` of several columns.

    `random`: any. `in-order`: of all users each draws the next one that none has drawn, from the first again
    behind the last. `unique`: one that no other user draws while there are no more users than rows.
    """

    kind: Literal["row"]
    file: str
    order: Literal["random", "in-order", "unique"] = "random"


class Column(Table):
    """A cell of a CSV file, or a value of a line of JSON Lines (`.jsonl`, `.ndjson`), beside the scenario.

    Of a random row, or of the one that `row` names (from 1).
    """

    kind: Literal["column"]
    file: str
    column: str
    row: Text | None = None


def _template(value: Any) -> Any:
    """Bare text is a template."""
    return {"kind": "text", "text": value} if isinstance(value, str) else value


AnyValue = Annotated[
    Int
    | Slice
    | Serial
    | Rank
    | Zipf
    | Words
    | Letters
    | Digits
    | Pick
    | Date
    | Username
    | Choose
    | Template
    | Several
    | Row
    | Column,
    Field(discriminator="kind"),
]
Value = Annotated[AnyValue, BeforeValidator(_template, json_schema_input_type=AnyValue | str)]

Username.model_rebuild()
Several.model_rebuild()

__all__ = ["CLAMP", "Law", "Share", "Value"]


def _ascending(low_key: str, low: float, high_key: str, high: float) -> None:
    if low > high:
        raise refuse(
            "range-order", f"{low_key} = {low:g} is over {high_key} = {high:g}", "exchange or correct them"
        )
