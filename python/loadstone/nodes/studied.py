"""What a study of balancers measured of one variant: the requests a second it carried, and their CPU time.

Reads `study.json` of the folder that `loadstone study balancers` wrote.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from loadstone.errors import LoadstoneError
from loadstone.nodes.study_record import Fields, read_study
from loadstone.scenario.findings import suggest

FILE = "study.json"


@dataclass(frozen=True)
class Carried:
    """The highest mean of any concurrency, requests a second. `high` None: something else was the limit, and
    the variant may carry more.
    """

    requests_per_s: Fraction
    low: Fraction | None
    high: Fraction | None
    limited_by: str


def read_carried(folder: Path, variant: str) -> Carried:
    """The most that `variant` carried, with any number of generators. Raises `measured`."""
    part = _throughput(folder)
    own = _of(variant, part.tables("pooled"), part)
    best = max(own, key=lambda one: _value(one, "highest"))
    interval = best.table("highest")
    assert interval is not None
    at = [
        cell
        for cell in part.tables("cells")
        if cell.text("balancer") == variant
        and cell.number("generators") == best.number("generators")
        and cell.number("concurrency") == best.number("highest_at")
    ]
    limits = {"generator_bound": "the generator", "machine_bound": "the machine that all of it ran on"}
    by = [words for key, words in limits.items() if any(cell.content.get(key) is True for cell in at)]
    low, high = _end(interval, "low"), None if by else _end(interval, "high")
    return Carried(_value(best, "highest"), low, high, " and ".join(by))


def read_cpu_us_per_request(folder: Path, variant: str) -> Fraction:
    """CPU time of the variant's processes for a request, microseconds, user and system. Raises `measured`."""
    part = _throughput(folder)
    (cost, *_) = _of(variant, part.tables("costs"), part)
    if cost.table("user_us") is None or cost.table("sys_us") is None:
        raise LoadstoneError(
            "measured", f"no process does the work of `{variant}`: its CPU time is not known",
            place=str(part.file), hint="leave `cores` out: what it carried counts",
        )  # fmt: skip
    return _value(cost, "user_us") + _value(cost, "sys_us")


def _throughput(folder: Path) -> Fields:
    file = folder / FILE
    if not file.is_file():
        raise LoadstoneError(
            "measured",
            f"`{folder}` holds no {FILE}",
            hint="give the folder that `loadstone study balancers` wrote",
        )
    parts = read_study(file).table("parts")
    part = parts.table("throughput") if parts else None
    if part is None:
        raise LoadstoneError("measured", "the study did not measure its part `throughput`", place=str(file))
    return part


def _of(variant: str, rows: list[Fields], part: Fields) -> list[Fields]:
    own = [row for row in rows if row.text("balancer") == variant]
    if not own:
        names = sorted({row.text("balancer") for row in rows})
        raise LoadstoneError(
            "measured", f"the study has no variant `{variant}`", place=str(part.file),
            hint=suggest(variant, names, f"its variants are {', '.join(names)}"),
        )  # fmt: skip
    return own


def _end(interval: Fields, key: str) -> Fraction | None:
    """Of an interval; below zero (two repetitions far apart) it says nothing."""
    end = interval.content.get(key)
    return None if isinstance(end, int | float) and end < 0 else interval.number(key)


def _value(row: Fields, key: str) -> Fraction:
    interval = row.table(key)
    value = interval.number("value") if interval else None
    if value is None:
        raise LoadstoneError("measured", f"`{row.path}{key}.value` is missing", place=str(row.file))
    return value
