"""Runs of one scenario over time, and where figures changed."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from loadstone.compare import alike
from loadstone.compare.effect import effect
from loadstone.compare.figures import Figure
from loadstone.compare.points import change_points, least_runs
from loadstone.compare.sides import Counted, read_sides
from loadstone.compare.verdicts import figures_of, row
from loadstone.judge.estimates import CONFIDENCE
from loadstone.judge.histogram import Floats
from loadstone.stages.compare import Change, History, HistoryRun, HistorySeries


def history(place: Path, *, confidence: float = CONFIDENCE, anyway: bool = False) -> History:
    """The runs in `place` by the time they began, with every change of a figure's level.

    Where nothing changes, the chance of any change in the table is at most 1 - confidence: each figure is
    looked at with its part of it. Errors as `read_sides`, and `compare-unlike`.
    """
    (side,) = read_sides([place], anyway)
    runs = sorted(side.runs, key=lambda one: (one.run.started_at or "", one.folder.name))
    unlike = alike.differences(runs)
    if not anyway:
        alike.require_alike(unlike)
    series = {}
    for operation, figure in figures_of(runs):
        values = [figure.value(one.seen[operation]) for one in runs]
        if None not in values:
            series[operation, figure] = np.array(values, dtype=np.float64)
    level = (1 - confidence) / max(1, len(series))
    changes = []
    for (operation, figure), logs in series.items():
        points = change_points(logs, level)
        ends = [0, *(point.at for point in points), len(runs)]
        for begin, point, end in zip(ends, points, ends[2:], strict=False):
            seen = [one.seen[operation] for one in runs]
            found = effect(figure, seen[begin : point.at], seen[point.at : end], False)
            assert found is not None  # every run has a value
            told = row(str(place), operation, figure, found, point.p, len(series) * point.p, confidence)
            changes.append(Change(since=_told(runs[point.at]), **dict(told)))
    return History(
        name=runs[0].run.name,
        started_at=runs[0].run.started_at,
        ended_at=runs[-1].run.ended_at,
        machine=runs[0].run.machine,
        versions=runs[0].run.versions,
        runs=[_told(one) for one in runs],
        left_out=side.left_out,
        confidence=confidence,
        series=len(series),
        figures=[
            HistorySeries(
                operation=operation, figure=figure.name, unit=figure.unit, values=_levels(figure, logs)
            )
            for (operation, figure), logs in series.items()
        ],
        unlike=unlike,
        changes=sorted(changes, key=lambda change: change.since.started_at or ""),
        warnings=_too_few(len(runs), len(series), least_runs(level)),
    )


def _levels(figure: Figure, values: Floats) -> list[float]:
    """The values as people read them."""
    return [float(value) for value in (np.exp(values) if figure.relative else 100 * values)]


def _too_few(runs: int, series: int, needed: int) -> list[str]:
    if runs >= needed:
        return []
    return [f"{runs} runs are too few to show any change in {series} figures: it takes {needed}"]


def _told(one: Counted) -> HistoryRun:
    return HistoryRun(run=str(one.folder), started_at=one.run.started_at)
