"""A scaling law in words and tables. What was not measured is said to be extrapolated."""

from __future__ import annotations

from loadstone.report import format
from loadstone.report.table import Column, Row, Table, words
from loadstone.stages.scaling import CurvePoint, Estimated, Scaling


def scaling_lines(found: Scaling) -> list[str]:
    """The law, how well it fits, and what it says of more than was measured; or why there is none.

    >>> why = "it takes 3 different numbers of users, and 2 were measured"
    >>> scaling_lines(Scaling(counted="users", unit="", points=[], confidence=0.95, refused=why))
    ['no scaling law: it takes 3 different numbers of users, and 2 were measured']
    """
    if not (found.alone and found.contention and found.coherency and found.farthest):
        return [f"no scaling law: {found.refused}"]
    loads = [point.load for point in found.points]
    head = (
        f"scaling law of {len(loads)} points, {_load(min(loads))} to {_load(max(loads))} {found.counted}: "
        f"one alone {_spanned(found.alone)} {found.unit}, contention {_shares(found.contention)}, coherency "
        f"{_shares(found.coherency)}; at most {_off(found.farthest.error)} off, at "
        f"{_load(found.farthest.load)}"
    )
    return [head, *filter(None, [_peak(found), _beyond(found)])]


def scaling_tables(found: Scaling | None, prefix: str = "") -> list[Table]:
    """The coefficients with their intervals, and the law at some loads; slugs begin with `prefix`."""
    if not found or found.refused:
        return []
    head = [Column("low", "at least", format.figure), Column("high", "at most", format.figure)]
    columns = [words("coefficient", "coefficient"), Column("value", "value", format.figure), *head]
    rows: list[Row] = [
        {"coefficient": name, "value": one.value, "low": one.low, "high": one.high}
        for name, one in (
            (f"λ: one alone, {found.unit}", found.alone),
            ("σ: contention", found.contention),
            ("κ: coherency", found.coherency),
            (f"N*: {found.counted} at the greatest throughput", found.peak),
        )
        if one
    ]
    note = (
        f"X(N) = λ N / (1 + σ (N − 1) + κ N (N − 1)), fitted to {len(found.points)} points; intervals at "
        f"{format.share(found.confidence)}, if the law holds."
    )
    if found.straight:
        note += f" {_STRAIGHT.capitalize()} {_load(found.most)} {found.counted}."
    curve = [_row(point) for point in found.curve]
    curve_columns = [
        Column("load", found.counted, format.figure),
        Column("value", found.unit, format.figure),
        *head,
        words("extrapolated", "extrapolated", format.yes),
    ]
    said = "Extrapolated: beyond the most that was measured. The law says so, and no measurement."
    return [
        Table(f"{prefix}scaling", "Scaling law", columns, rows, note),
        Table(f"{prefix}scaling-curve", "The scaling law at some loads", curve_columns, curve, said),
    ]


_STRAIGHT = "no bend was measured, so that the law says nothing of more than"


def _peak(found: Scaling) -> str:
    if not found.peak:
        return ""
    beyond = f", which is extrapolated beyond {_load(found.most)}" if found.peak_extrapolated else ""
    return f"  greatest throughput with {_spanned(found.peak)} {found.counted}{beyond}"


def _beyond(found: Scaling) -> str:
    if found.straight:
        return f"  {_STRAIGHT} {_load(found.most)} {found.counted}"
    last = found.curve[-1] if found.curve else None
    if last is None or not last.extrapolated:
        return ""
    return f"  extrapolated, not measured: {_load(last.load)} {found.counted}, {_spanned(last)} {found.unit}"


def _row(point: CurvePoint) -> Row:
    return {
        "load": point.load,
        "value": point.value,
        "low": point.low,
        "high": point.high,
        "extrapolated": point.extrapolated,
    }


def _load(load: float) -> str:
    return f"{load:,.6g}"


def _spanned(one: Estimated) -> str:
    return f"{format.figure(one.value)} ({format.figure(one.low)}–{_end(format.figure(one.high), one)})"


def _shares(one: Estimated) -> str:
    low, high = (f"{100 * (end or 0):.3g}" for end in (one.low, one.high))
    return f"{100 * one.value:.3g} % ({low}–{_end(high, one)})"


def _off(error: float) -> str:
    """Rounding alone is nothing."""
    return f"{round(100 * abs(error), 2):g} %"


def _end(words: str, one: Estimated) -> str:
    return "…" if one.high is None else words
