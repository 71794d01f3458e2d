"""How what machines carry grows with their number: the scaling law of measurements with several of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from loadstone.errors import LoadstoneError
from loadstone.judge.scaling import Errors, scaling
from loadstone.nodes.measured import read_measured
from loadstone.nodes.shown import AtSla
from loadstone.nodes.sizing import Unit
from loadstone.stages.scaling import Scaling, ScalingPoint

_PLACE = "--scale"
_MOST = 100_000
_Z = 1.96
"""Half of a capacity's interval, of 95 % confidence, in standard errors."""
_MANY = 1e6
"""Degrees of freedom behind such an interval: it is taken to be exact."""


def parse_scale(typed: Sequence[str]) -> list[tuple[int, Path]]:
    """Machine counts, each with the folder measured with so many. LoadstoneError `nodes-input`.

    >>> parse_scale(["2=runs/two"])
    [(2, PosixPath('runs/two'))]
    """
    found = []
    for text in typed:
        count, _, folder = text.partition("=")
        if not (count.strip().isdecimal() and 0 < int(count) <= _MOST and folder.strip()):
            message = f"`{text}` is not a number of machines and a folder"
            raise LoadstoneError("nodes-input", message, place=_PLACE, hint="such as --scale 2=runs/two")
        found.append((int(count), Path(folder.strip())))
    return found


def machines_law(scale: Sequence[tuple[int, Path]], sla: str, unit: Unit) -> Scaling:
    """The law of capacities at `sla` with so many machines, in `unit`. Errors `measured`, `withheld`."""
    points, squares = [], []
    for count, folder in scale:
        at = read_measured(folder).require(sla)
        carried = at.users if unit == "users" else at.ops_per_s
        if carried is None:
            message = f"the throughput at {sla} was not recorded"
            raise LoadstoneError("nodes-input", message, place=str(folder))
        points.append(ScalingPoint(load=count, per_s=float(carried)))
        squares += _error(at)
    errors = Errors(math.sqrt(sum(squares) / len(squares)), _MANY) if squares else None
    return scaling(points, "machines", unit, errors)


def machines_for(law: Scaling, load: Fraction) -> int | None:
    """The fewest machines that carry a load by the law; None where it has none, or does not reach so far."""
    reached = (point.load for point in law.curve if point.value >= load)
    least = next(reached, None)
    return None if least is None else math.ceil(least)


def law_warning(law: Scaling, load: Fraction, num: int, unit: Unit) -> str | None:
    """What speaks against planning `num` machines in proportion to one; None where nothing does."""
    if law.refused:
        return None
    by_law = machines_for(law, load)
    if by_law is None:
        last = law.curve[-1]
        return (
            f"in proportion {num} machines carry the load; by the scaling law not even {last.load:,.0f} do, "
            f"which carry {last.value:,.4g} {unit} (extrapolated: {law.most:,.0f} were measured)"
        )
    if by_law <= num:
        return None
    far = f" (extrapolated: at most {law.most:,.0f} were measured)" if by_law > law.most else ""
    return f"in proportion {num} machines carry the load; by the scaling law it takes {by_law}{far}"


def _error(at: AtSla) -> list[float]:
    """Of a capacity, by its interval: the squared relative standard error."""
    if not at.low or not at.high:
        return []
    return [float((at.high - at.low) / (2 * at.users)) ** 2 / _Z**2]
