"""Sides beside the first one: every figure of every operation, and a word where chance does not explain it.

A word is said where the p-value, corrected by Holm for all figures of the whole table, is under
1 - confidence. So the chance of any wrong word, where nothing differs, is at most that, however many
operations there are. Figures of which all runs show the same (no failure anywhere) are not tested.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from loadstone.compare import alike
from loadstone.compare.effect import Effect, effect
from loadstone.compare.figures import BEYOND, FEWEST, RATE, SHARES, TIMES, Figure, Quantile
from loadstone.compare.seen import WHOLE
from loadstone.compare.sides import Counted, Side
from loadstone.judge.differences import holm
from loadstone.judge.estimates import CONFIDENCE
from loadstone.judge.evenness import Speed, uneven
from loadstone.stages.compare import By, Compared, Comparison, Interval, Said, SideRuns, Unjudged

FEW_RUNS = 5
"""With fewer runs a side, or pairs, Student's t makes intervals wider than most decisions can use."""


@dataclass(frozen=True)
class _Found:
    side: Side
    operation: str
    figure: Figure
    effect: Effect


def compared(
    sides: Sequence[Side], *, paired: bool = False, confidence: float = CONFIDENCE, anyway: bool = False
) -> Comparison:
    """The first side is the old one. Error `compare-unlike` when runs differ in more than the service."""
    everything = [one for side in sides for one in side.runs]
    unlike = alike.differences(everything)
    if not anyway:
        alike.require_alike(unlike)
    found: list[_Found] = []
    unjudged: list[Unjudged] = []
    for side in sides[1:]:
        for operation, figure in figures_of(everything):
            old, new = ([one.seen[operation] for one in each.runs] for each in (sides[0], side))
            if one := effect(figure, old, new, paired):
                found.append(_Found(side, operation, figure, one))
            else:
                why = _too_little(figure)
                unjudged.append(Unjudged(side=side.name, operation=operation, figure=figure.name, why=why))
    p_values = [None if one.effect.same else one.effect.change.p() for one in found]
    corrected = iter(holm([p for p in p_values if p is not None]))
    rows = [
        row(
            one.side.name,
            one.operation,
            one.figure,
            one.effect,
            p,
            None if p is None else next(corrected),
            confidence,
        )
        for one, p in zip(found, p_values, strict=True)
    ]
    first = sides[0].runs[0].run
    return Comparison(
        name=first.name,
        started_at=min((one.run.started_at for one in everything if one.run.started_at), default=None),
        ended_at=max((one.run.ended_at for one in everything if one.run.ended_at), default=None),
        machine=first.machine,
        versions=first.versions,
        sides=[
            SideRuns(name=s.name, runs=[str(one.folder) for one in s.runs], left_out=s.left_out)
            for s in sides
        ],
        by=_by(sides, paired),
        pairs=len(sides[0].runs) if paired else None,
        confidence=confidence,
        unlike=unlike,
        rows=rows,
        unjudged=unjudged,
        warnings=_warnings(sides, paired, everything),
    )


def figures_of(runs: Sequence[Counted]) -> Iterator[tuple[str, Figure]]:
    """Operations that every run has, each with its figures; then all together, with the throughput."""
    names = [name for name in runs[0].seen if all(name in one.seen for one in runs)]
    single = len(names) == 2
    for name in names:
        if name != WHOLE or not single:
            yield from ((name, figure) for figure in (*TIMES, *SHARES))
    yield WHOLE, RATE


def row(
    side: str,
    operation: str,
    figure: Figure,
    found: Effect,
    p: float | None,
    corrected: float | None,
    confidence: float,
) -> Compared:
    """The line of a table; a word where the corrected p-value is under 1 - confidence."""
    change = found.change
    shown = _ratio if figure.relative else _points
    said: Said = "~"
    if corrected is not None and corrected < 1 - confidence:
        better = (change.value < 0) == figure.less_is_better
        said = figure.words[0 if better else 1]
    level = _ratio if figure.relative else _percent
    return Compared(
        side=side,
        operation=operation,
        figure=figure.name,
        unit=figure.unit,
        old=level(found.old.value, found.old.bounds(confidence)),
        new=level(found.new.value, found.new.bounds(confidence)),
        **{"ratio" if figure.relative else "difference": shown(change.value, change.bounds(confidence))},
        p=p,
        p_corrected=corrected,
        said=said,
    )


def _ratio(value: float, bounds: tuple[float, float] | None) -> Interval:
    low, high = (None, None) if bounds is None else (_exp(bounds[0]), _exp(bounds[1]))
    return Interval(value=math.exp(value), low=low, high=high)


def _exp(logarithm: float) -> float | None:
    """None where the bound is beyond all figures: nothing is known on that side."""
    return math.exp(logarithm) if abs(logarithm) < 60 else None


def _percent(value: float, bounds: tuple[float, float] | None) -> Interval:
    low, high = (None, None) if bounds is None else (max(0.0, bounds[0]), min(1.0, bounds[1]))
    return Interval(value=100 * value, low=_times100(low), high=_times100(high))


def _points(value: float, bounds: tuple[float, float] | None) -> Interval:
    low, high = (None, None) if bounds is None else (max(-1.0, bounds[0]), min(1.0, bounds[1]))
    return Interval(value=100 * value, low=_times100(low), high=_times100(high))


def _times100(value: float | None) -> float | None:
    return None if value is None else 100 * value


def _by(sides: Sequence[Side], paired: bool) -> By:
    if paired:
        return "pairs"
    return "runs" if any(len(side.runs) > 1 for side in sides) else "seconds"


def _too_little(figure: Figure) -> str:
    if isinstance(figure, Quantile):
        return f"a run has fewer than {round(BEYOND / (1 - figure.share))} right answers"
    return f"a run has fewer than {FEWEST} operations"


def _warnings(sides: Sequence[Side], paired: bool, everything: Sequence[Counted]) -> list[str]:
    found = [
        f"{len(side.left_out)} of {len(side.runs) + len(side.left_out)} runs of {side.name} are left out"
        for side in sides
        if side.left_out
    ]
    fewest = min(len(side.runs) for side in sides)
    if fewest == 1:
        what = (
            "one run a side: runs of one release differ, too, and that is not seen here"
            if all(len(side.runs) == 1 for side in sides)
            else "one run beside several: it is held to how much those differ"
        )
        found.append(f"{what}; several runs a side, or `loadstone ab`, show it")
    elif fewest < FEW_RUNS:
        what = "pairs" if paired else "runs a side"
        found.append(f"{fewest} {what}: only large differences can be shown; {FEW_RUNS} or more show smaller")
    found += uneven(
        [
            Speed(str(one.folder), one.run.noise.compute_us, one.run.noise.memory_us)
            for one in everything
            if one.run.noise
        ]
    )
    if len(known := alike.versions(everything)) > 1:
        found.append(f"measured by several versions of Loadstone: {', '.join(known)}")
    return found
