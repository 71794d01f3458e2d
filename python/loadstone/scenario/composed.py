"""A file of several scenarios at once, each with its share of the users, the sessions or the requests.

Each is a file of its own, or stands there whole. Load, target, faults and everything else about the run are
those of the file that has them all.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from loadstone.scenario.faults import Fault
from loadstone.scenario.fields import Positive, Table
from loadstone.scenario.findings import Finding
from loadstone.scenario.model import Check, Sla
from loadstone.scenario.scaling import Scaling
from loadstone.scenario.sessions import Load

SCENARIO = "scenario"
"""The key of the list."""
OWN = ("file", "name", "share")
"""Keys of its tables that are not the scenario's."""
DOT = "."
"""Between the name of a scenario and that of its operation; no name of a file has one."""
MOST = 32
MOST_WEIGHT = 1 << 20
"""The engine deals users in rounds of so many at most."""
_NAME = r"^[A-Za-z][A-Za-z0-9_-]*$"
_TOLERANCE = Fraction(1, 1_000_000)


class Part(Table):
    """One of the scenarios: a `file`, or the tables of one."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)

    file: Annotated[
        str | None, Field(min_length=1, description="its file, beside this one, or a built-in scenario")
    ] = None
    name: Annotated[
        str,
        Field(pattern=_NAME, max_length=40, description="by default that of the file, without its ending"),
    ]
    share: Annotated[Positive, Field(description="fractions that sum to 1, or whole weights")]


class ComposedFile(Table):
    """A file of several scenarios."""

    format: Literal[1]
    name: Annotated[str, Field(min_length=1, max_length=100)]
    summary: str = ""
    target: Annotated[
        dict[str, Any] | None, Field(description="stands in place of those of the scenarios")
    ] = None
    load: Load = Load()
    sla: Sla = Sla()
    scenario: Annotated[list[Part], Field(min_length=1, max_length=MOST)]
    check: list[Check] = Field(default=[])
    fault: list[Fault] = Field(default=[])
    scaling: Scaling | None = None
    nodes: dict[str, Any] = Field(default={}, description="defaults of `loadstone nodes`, by option")
    cost: dict[str, Any] = Field(default={}, description="defaults of `loadstone cost`, by option")


def named(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The tables of a file in which each scenario has a name: that of its file, where it says none.

    >>> named({"scenario": [{"file": "shop/readers.toml", "share": 1}]})
    {'scenario': [{'file': 'shop/readers.toml', 'share': 1, 'name': 'readers'}]}
    """
    parts = raw.get(SCENARIO)
    return {**raw, SCENARIO: [_named(part) for part in parts]} if isinstance(parts, list) else dict(raw)


def _named(part: Any) -> Any:
    if not isinstance(part, Mapping) or "name" in part or not isinstance(part.get("file"), str):
        return part
    stem = Path(part["file"]).stem
    return {**part, "name": stem} if re.fullmatch(_NAME, stem) else part


def check(file: ComposedFile) -> Iterator[Finding]:
    """What is wrong with names and shares, and with what stands beside a file's name."""
    names = [part.name for part in file.scenario]
    for index, part in enumerate(file.scenario):
        at = (SCENARIO, index)
        if part.name in names[:index]:
            message = f"there are two scenarios `{part.name}`: their operations bear this name"
            yield Finding("scenario-part", message, at, 'give one another: name = "..."')
        for key in part.__pydantic_extra__ or {}:
            if part.file is not None:
                message = f"`{key}` stands beside `file`"
                hint = "write it into that file, or change it from here: " \
                    f"--set {SCENARIO}.{part.name}.{key}..."  # fmt: skip
                yield Finding("scenario-part", message, (*at, key), hint)
            elif key in ("format", "load", SCENARIO):
                message = f"`{key}` is that of the whole file, and of no scenario in it"
                yield Finding("scenario-part", message, (*at, key), "remove it here")
    yield from _shares([part.share for part in file.scenario])


def _shares(shares: Sequence[float]) -> Iterator[Finding]:
    exact = [_exact(share) for share in shares]
    total = sum(exact, Fraction(0))
    whole = all(share.denominator == 1 for share in exact)
    if not whole and abs(total - 1) > _TOLERANCE:
        message = f"the shares sum to {float(total):.6g}, expected 1"
        hint = "fractions are shares of the whole, whole numbers weights: 0.8 and 0.2, or 4 and 1"
        yield Finding("scenario-part", message, (SCENARIO,), hint)
    elif sum(weights(shares)) > MOST_WEIGHT:
        message = f"the shares have no common measure of at least 1 / {MOST_WEIGHT:,}"
        yield Finding("scenario-part", message, (SCENARIO,), "write them with fewer digits")


def weights(shares: Sequence[float]) -> list[int]:
    """The shares as the least whole numbers.

    >>> weights([0.8, 0.2]), weights([2, 4]), weights([0.5, 0.25, 0.25])
    ([4, 1], [1, 2], [2, 1, 1])
    """
    exact = [_exact(share) for share in shares]
    common = math.lcm(*(share.denominator for share in exact))
    whole = [int(share * common) for share in exact]
    least = math.gcd(*whole)
    return [one // least for one in whole]


def _exact(share: float) -> Fraction:
    """The number that was written, not its nearest binary fraction."""
    return Fraction(repr(share))
