"""The same questions of many models: a text whose open constants take every combination of values."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadstone.ctmc.solve import Question, read_model, solve
from loadstone.errors import LoadstoneError
from loadstone.parallel import Parallel

MOST_POINTS = 100_000
_RANGE = re.compile(r"(-?[0-9]{1,9})\.\.(-?[0-9]{1,9})(?:\.\.([1-9][0-9]{0,8}))?")

Constants = dict[str, str]


@dataclass(frozen=True)
class Axis:
    """A constant and its values, as the PRISM language writes them."""

    name: str
    values: tuple[str, ...]


def parse_axis(text: str) -> Axis:
    """`spares=0..20`, `spares=0..20..5`, `crash=1/365,1/183`. LoadstoneError `model-input`.

    >>> parse_axis("n=1..3").values, parse_axis("crash=1/365,2").values
    (('1', '2', '3'), ('1/365', '2'))
    """
    name, sign, given = (part.strip() for part in text.partition("="))
    values: list[str] = []
    for each in given.split(",") if sign and name else ():
        if match := _RANGE.fullmatch(each.strip()):
            low, high, step = int(match[1]), int(match[2]), int(match[3] or 1)
            count = (high - low) // step + 1
            if not 0 < count <= MOST_POINTS:
                raise LoadstoneError("model-input", f"`{each.strip()}` is not a range", place="--over")
            values += [str(low + number * step) for number in range(count)]
        else:
            values.append(each.strip())
    if not values or not all(values):
        hint = "such as spares=0..20, spares=0..20..5 or crash=1/365,1/183"
        raise LoadstoneError("model-input", f"`{text}` is not `NAME=VALUES`", place="--over", hint=hint)
    return Axis(name, tuple(values))


def points(axes: Sequence[Axis], fixed: Constants) -> list[Constants]:
    """Every combination; the last axis changes the fastest. LoadstoneError `model-input`."""
    names = [axis.name for axis in axes]
    for number, name in enumerate(names):
        if name in fixed or name in names[:number]:
            raise LoadstoneError("model-input", f"`{name}` is given twice", place="--over")
    count = 1
    for axis in axes:
        count *= len(axis.values)
    if count > MOST_POINTS:
        raise LoadstoneError(
            "model-input",
            f"{count:,} models, more than {MOST_POINTS:,}",
            place="--over",
            hint="sweep in parts",
        )
    return [
        fixed | dict(zip(names, values, strict=True))
        for values in itertools.product(*(axis.values for axis in axes))
    ]


def sweep(
    file: Path, over: Sequence[Constants], questions: list[Question], precision: float, parallel: Parallel
) -> list[dict[str, Any]]:
    """The reply of `solve` for each point, in their order. Errors as of both, naming the point."""
    text = read_model(file, {})
    if "prism" not in text:
        raise LoadstoneError(
            "model-input", "only a text in the PRISM language has constants", place=str(file)
        )

    def at(constants: Constants) -> dict[str, Any]:
        source = {"prism": text["prism"] | {"constants": constants}}
        said = ", ".join(f"{name}={value}" for name, value in constants.items())
        # One thread each: the processors are shared out among the models.
        return solve(source, questions, f"{file} ({said})", precision=precision, threads=1)

    # The first alone: a mistake in all of them is reported before thousands begin.
    first = at(over[0])
    return [first, *parallel(at, over[1:])]
