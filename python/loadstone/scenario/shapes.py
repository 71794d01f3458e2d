"""Loads that change: steps, a spike, a sine, a hockey stick, a file; each becomes a profile."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from loadstone.errors import LoadstoneError
from loadstone.intake import Kind, read_text
from loadstone.scenario.data import ColumnError
from loadstone.scenario.fields import Count, Length, NonNegative, Span, Table, refuse

Profile = list[list[float]]
"""[seconds from the end of ramp-up, load], ascending."""

MOST_POINTS = 100_000
_KIND = Kind("load-profile", "a table of loads", 64 << 20)
_DRAWN = 2_000
"""Points of a curve at most; fewer where the steady state has fewer seconds."""
_KEYS = {
    "steps": ("to", "count", "every_s"),
    "spike": ("to", "at_s", "for_s"),
    "sine": ("to", "period_s"),
    "hockey-stick": ("to", "at_s"),
    "file": ("file",),
}


class Shape(Table):
    """How the load changes in the steady state. It begins with the load of `[load]`."""

    kind: Literal["steps", "spike", "sine", "hockey-stick", "file"]
    to: Annotated[NonNegative | None, Field(description="the other load, in the same unit")] = None
    count: Annotated[Count | None, Field(le=10_000, description="equal steps up, or down, to it")] = None
    every_s: Annotated[Length | None, Field(description="seconds of each step")] = None
    at_s: Annotated[Span | None, Field(description="seconds from the end of ramp-up")] = None
    for_s: Annotated[Length | None, Field(description="seconds of the spike")] = None
    period_s: Annotated[Length | None, Field(description="of the sine")] = None
    file: Annotated[
        str | None, Field(min_length=1, description="CSV file beside the scenario: seconds,load")
    ] = None

    @model_validator(mode="after")
    def _its_keys(self) -> Shape:
        wanted = _KEYS[self.kind]
        given = {key for key, value in dict(self).items() if value is not None} - {"kind"}
        for key in wanted:
            if key not in given:
                raise refuse(
                    "load-profile", f'a shape "{self.kind}" needs `{key}`', f"it has {_named(wanted)}"
                )
        for key in sorted(given - set(wanted)):
            raise refuse("load-profile", f'a shape "{self.kind}" has no `{key}`', f"it has {_named(wanted)}")
        return self

    def profile(self, base: float, steady_s: float, folder: Path, *, whole: bool) -> Profile:
        """The load from each instant on; `whole`: in whole numbers. ColumnError for a file that is none."""
        if self.kind == "file":
            return read_profile(folder, self.file or "", whole=whole)
        points = ([at, float(round(load)) if whole else load] for at, load in self._points(base, steady_s))
        found: Profile = []
        for point in points:
            if not found or found[-1][1] != point[1]:
                found.append(point)
        return found

    def _points(self, base: float, steady_s: float) -> Iterator[tuple[float, float]]:
        to, at_s = self.to or 0.0, self.at_s or 0.0
        match self.kind:
            case "steps":
                count, every_s = self.count or 1, self.every_s or 1.0
                yield from ((every_s * i, base + (to - base) * i / count) for i in range(1, count + 1))
            case "spike":
                yield from ((at_s, to), (at_s + (self.for_s or 0.0), base))
            case "sine":
                for at, middle in _seconds(0.0, steady_s):
                    turn = math.cos(2 * math.pi * middle / (self.period_s or 1.0))
                    yield at, base + (to - base) * (1 - turn) / 2
            case "hockey-stick":
                for at, middle in _seconds(at_s, steady_s):
                    yield at, base + (to - base) * (middle - at_s) / (steady_s - at_s)


def _seconds(start_s: float, end_s: float) -> Iterator[tuple[float, float]]:
    """Beginning and middle of each piece of a curve."""
    count = max(1, min(_DRAWN, math.ceil(end_s - start_s)))
    width = (end_s - start_s) / count
    return (
        ((start_s + width * i, start_s + width * (i + 0.5)) for i in range(count)) if width > 0 else iter(())
    )


def _named(keys: tuple[str, ...]) -> str:
    return ", ".join(f"`{key}`" for key in keys)


def read_profile(folder: Path, file: str, *, whole: bool) -> Profile:
    """The rows `seconds,load` of a CSV file. ColumnError with file and line of what is wrong."""
    hint = (
        "a header line `seconds,load`, then a row for each change, ascending; seconds from the end of ramp-up"
    )
    try:
        text = read_text(folder / file, _KIND)
    except LoadstoneError as error:
        message = error.message.replace(f"`{folder / file}`", f"`{file}`")
        raise ColumnError("load-profile", message, "the path is relative to the scenario file") from error
    found: Profile = []
    reader = csv.reader(io.StringIO(text, newline=""))
    try:
        for row in reader:
            here = f"{file}:{reader.line_num}"
            if reader.line_num == 1 and [cell.strip() for cell in row] == ["seconds", "load"]:
                continue
            if not row:
                continue
            found.append(_row(row, here, hint, whole))
            if len(found) > MOST_POINTS:
                raise ColumnError("load-profile", f"{here}: more than {MOST_POINTS:,} changes of the load")
    except csv.Error as error:
        raise ColumnError("load-profile", f"{file}:{reader.line_num}: not CSV: {error}", hint) from error
    for (before, _), (after, _) in pairwise(found):
        if after <= before:
            message = f"{file}: the seconds must ascend: {after:g} follows {before:g}"
            raise ColumnError("load-profile", message, hint)
    if not found:
        raise ColumnError("load-profile", f"{file}: no row `seconds,load`", hint)
    return found


def _row(row: list[str], here: str, hint: str, whole: bool) -> list[float]:
    try:
        at, load = map(float, row)
    except ValueError:
        shown = ",".join(row)[:60]
        raise ColumnError("load-profile", f"{here}: `{shown}` is not two numbers", hint) from None
    if not (0 <= at < 1e9 and 0 <= load < 1e9) or (whole and load != int(load)):
        kind = "a whole number of users" if whole else "a rate"
        message = f"{here}: {at:g},{load:g} is not a time and {kind}, both from 0"
        raise ColumnError("load-profile", message, hint)
    return [at, load]


def as_written(value: Any) -> Any:
    """A shape may be written as the name of its file."""
    return {"kind": "file", "file": value} if isinstance(value, str) else value
