"""Comparisons of runs: what `loadstone compare` and `loadstone ab` say, and `compare.json`."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from loadstone.intake.shapes import Count, Figure, Known, Text, Word
from loadstone.stages.base import Piece
from loadstone.stages.origin import Origin

Said = Literal["faster", "slower", "better", "worse", "~"]
"""What the newer side is; `~`: no difference shown."""

By = Literal["pairs", "runs", "seconds"]
"""What is counted: pairs of runs, runs, or the seconds of single runs."""


class Interval(Piece):
    """A figure with its interval; the bounds are None where the runs do not say how sure it is."""

    value: Figure
    low: Known = None
    high: Known = None


class LeftOut(Piece):
    """A run that does not count."""

    run: Word
    why: Text


class SideRuns(Piece):
    """One side: the runs that count, and those that do not."""

    name: Word
    runs: list[Word]
    left_out: list[LeftOut] = Field(default_factory=list)


class Compared(Piece):
    """One figure of one operation. Old and new are in `unit`, shares in percent."""

    side: Word
    """The newer side's name."""
    operation: Word
    """`*`: all operations together."""
    figure: Word
    unit: Word
    old: Interval
    new: Interval
    ratio: Interval | None = None
    """new ÷ old, of times and rates."""
    difference: Interval | None = None
    """new - old, of shares, in percentage points."""
    p: Known = None
    """Of no difference; None where it cannot be tested, or nothing differs at all."""
    p_corrected: Known = None
    """For the number of figures that were tested (Holm)."""
    said: Said


class Unjudged(Piece):
    """What says too little to be compared."""

    side: Word
    operation: Word
    figure: Word
    why: Text


class Comparison(Origin):
    """Sides beside the first one."""

    FILE: ClassVar[str] = "compare.json"
    KIND: ClassVar[str] = "compare"

    sides: list[SideRuns]
    """The first is the old one."""
    by: By
    pairs: Count | None = None
    confidence: Figure
    """Of each interval by itself, and that no word of the whole table is wrong where nothing differs."""
    unlike: list[Text] = Field(default_factory=list)
    """What differs besides the service, where that was accepted."""
    rows: list[Compared]
    unjudged: list[Unjudged] = Field(default_factory=list)

    def worse(self, slower_only: bool = False) -> list[Compared]:
        """What got worse beyond chance."""
        return [row for row in self.rows if row.said == "slower" or (row.said == "worse" and not slower_only)]


class HistoryRun(Piece):
    """A run of a history."""

    run: Word
    started_at: Word | None = None


class HistorySeries(Piece):
    """One figure of one operation over all runs."""

    operation: Word
    """`*`: all operations together."""
    figure: Word
    unit: Word
    values: list[Figure]
    """In `unit`, shares in percent: one for each run."""


class Change(Compared):
    """A figure whose level changed: `old` is the level before, `new` the one since then.

    Both reach to the neighbouring changes.
    """

    since: HistoryRun
    """The first run of the new level."""


class History(Origin):
    """Runs of one scenario over time."""

    FILE: ClassVar[str] = "history.json"
    KIND: ClassVar[str] = "history"

    runs: list[HistoryRun]
    """By the time they began."""
    left_out: list[LeftOut] = Field(default_factory=list)
    confidence: Figure
    """That no change is shown where nothing changes, all figures together; and of each interval by itself."""
    series: Count
    """Figures that were looked at."""
    figures: list[HistorySeries] = Field(default_factory=list)
    """Their values. None in records of before they were kept."""
    unlike: list[Text] = Field(default_factory=list)
    changes: list[Change]
