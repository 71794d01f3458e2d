"""Where to measure next: wider and wider steps until an SLA breaks, then bisection.

Pure: no runs, no files, no clock. A load is a whole number here: users, or steps of a rate (`Unit`).

Two goals share every measurement. An answer may be uncertain; the point is then measured again, up to a
number of times, and left as a noisy one if that did not help: the interval goes around it. Where too few
operations came to be certain, no lighter load is tried: it would only show less.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

_LOOKS = 2
"""A failure below a success is looked at a second time; a second failure stands."""

_PATIENCE = 2
"""Runs without evidence at one load before it counts as one that cannot be measured. They are no looks at the
service, so `repeats` does not bound them."""


_FINEST = 1 / 8
"""Of the tolerance; what a finer step could show is not worth its runs."""


class Verdict(StrEnum):
    """What is known about a goal at a load."""

    MET = "met"
    MISSED = "missed"
    OPEN = "open"
    FEW = "few"
    """Open, though nothing speaks against it: too few operations came. Fewer still come with less load."""
    NOTHING = "nothing"
    """The measurements say nothing about the service."""


@dataclass(frozen=True)
class Limits:
    """Where and how long to search."""

    first: int
    """Load of the first measurement."""
    most: int
    """No measurement has more."""
    tolerance: float = 0.05
    """Done when (high - low) / low is at most this."""
    repeats: int = 4
    """Measurements at one load, at most."""
    runs: int = 60
    """Measurements in all, at most."""
    step: float = 2
    """Factor from the first measurement to the second, above 1. It is small where the first one is near the
    answer already; further steps are wider, up to a doubling."""
    least: int = 1
    """No measurement has less."""
    only: tuple[str, ...] = ()
    """The goals that are searched; all of them without any. Of the others is known what those runs show."""

    def near(self, expected: int) -> Limits:
        """To begin at `expected`. One step from there makes an interval of twice the tolerance."""
        return replace(self, first=expected, step=1 + 2 * self.tolerance)


@dataclass
class Bracket:
    """What is known about one goal."""

    name: str
    least: int = 1
    """The least load there is."""
    passed: set[int] = field(default_factory=set)
    failed: set[int] = field(default_factory=set)
    noisy: set[int] = field(default_factory=set)
    few: set[int] = field(default_factory=set)
    """The noisy ones at which too few operations came."""

    @property
    def high(self) -> int | None:
        """The least load that surely breaks it."""
        return min(self.failed, default=None)

    @property
    def low(self) -> int | None:
        """The most load that surely holds it, below every one that breaks it; None when none is known."""
        high = self.high
        return max((load for load in self.passed if high is None or load < high), default=None)

    @property
    def breaks_at_once(self) -> bool:
        """Whether the least load there is breaks it: no load holds it."""
        return self.high == self.least

    @property
    def doubted(self) -> int | None:
        """The least load that broke it although more load held it: something disturbed a run."""
        high = self.high
        return high if high is not None and any(load > high for load in self.passed) else None

    def next(self, limits: Limits, walls: Iterable[int] = ()) -> int | None:
        """The most informative load; None when the goal is settled. `walls`: what cannot be measured."""
        low, high, wall = self.low, self.high, self.wall(walls)
        known = self.passed | self.failed | self.noisy | ({wall} if wall else set())
        if wall is not None:
            high = wall if high is None else min(high, wall)
        if not known:
            return limits.first
        factor = min(2, limits.step * max(known) / min(known))
        if high is None:
            wider = max(max(known) + 1, round(factor * max(known)))
            return min(wider, limits.most) if max(known) < limits.most else None
        if not low and not any(load < high for load in self.few):
            fewer = min(min(known) - 1, int(min(known) / factor))
            return max(self.least, fewer) if min(known) > self.least else None
        return self._between(low, high, limits.tolerance)

    def _between(self, low: int | None, high: int, tolerance: float) -> int | None:
        """Without a `low` there are loads with too few operations."""
        noisy = self._noisy_between(low, high)
        if low and high - low <= max(1.0, tolerance * low):
            return None
        if low and not noisy:
            return _middle(low, high)
        # What is left to learn lies between the certain ends and the noise. Each side may keep half of what
        # the noise leaves of the tolerance, so that the whole stays within it. Where it leaves nothing, no
        # measurement can bring that about.
        # The one above comes first: what disturbs a run makes the service look worse, and what holds above
        # settles all below.
        gaps = [(noisy[-1], high)]
        if low and noisy[0] not in self.few:
            gaps.append((low, noisy[0]))
        allowed = tolerance * (low or noisy[0])
        room = allowed - (noisy[-1] - noisy[0])
        least = max(1.0, room / 2 if room > 0 else allowed / 2, allowed * _FINEST)
        open_gaps = [gap for gap in gaps if gap[1] - gap[0] > least]
        return _middle(*open_gaps[0]) if open_gaps else None

    def _noisy_between(self, low: int | None, high: int) -> list[int]:
        return sorted(load for load in self.noisy if (low or 0) < load < high)

    @property
    def lacks_operations(self) -> bool:
        """Whether it is too few operations that leave the low end of its interval open, and not noise."""
        noisy = self._noisy_between(self.low, self.high) if self.high else []
        return bool(noisy) and noisy[0] in self.few

    def wall(self, walls: Iterable[int]) -> int | None:
        """The least load that cannot be measured and above which none is known to hold: the answer lies below
        or stays open.
        """
        return min((load for load in walls if load > (self.low or 0)), default=None)

    def is_narrow(self, tolerance: float) -> bool:
        """Whether the interval is known to the tolerance."""
        low, high = self.low, self.high
        if low is None or high is None:
            return self.breaks_at_once
        return high - low <= max(1.0, tolerance * low)

    def width(self) -> float:
        """Relative width of the interval; infinite while an end is unknown."""
        return math.inf if self.high is None or not self.low else self.high / self.low


class Search:
    """Asks for measurements with `next` until it is None; each is answered with `record`."""

    def __init__(self, goals: Sequence[str], limits: Limits) -> None:
        """`goals` from the easiest to the hardest."""
        self.brackets = {name: Bracket(name, limits.least) for name in goals}
        self.stopped: str | None = None
        """Why it ended before it was done."""
        self.limits = limits
        self._walls: dict[int, str] = {}
        """Loads that cannot be measured, and why."""
        self._asked: tuple[str, int] | None = None
        self._tries: dict[int, int] = {}
        self.suspected: set[int] = set()
        """Loads that may have broken a goal for another reason. Once all else is known, each that is the
        upper end of an interval is measured a second time."""
        self.runs = 0
        """That were answered."""

    def next(self) -> int | None:
        """Load of the next measurement; None at the end."""
        if self.stopped:
            return None
        if not self._asked:
            self._asked = self._choose()
        if not self._asked:
            return None
        if self.runs >= self.limits.runs:
            self.stopped = "max-runs"
            return None
        return self._asked[1]

    def record(self, load: int, verdicts: Mapping[str, Verdict]) -> None:
        """What all measurements at `load` so far say together, by goal."""
        self.runs += 1
        self._tries[load] = self._tries.get(load, 0) + 1
        self.revise(load, verdicts)
        if self._asked and self._asked[1] == load:
            self._settle(self._asked[0], load, verdicts)

    def revise(self, load: int, verdicts: Mapping[str, Verdict]) -> None:
        """What the same measurements at `load` say, now that others show them in another light."""
        for name, verdict in verdicts.items():
            bracket = self.brackets[name]
            bracket.passed.discard(load)
            bracket.failed.discard(load)
            if verdict is Verdict.MET:
                bracket.passed.add(load)
            elif verdict is Verdict.MISSED:
                bracket.failed.add(load)

    def doubted(self) -> int | None:
        """A load whose failure is to be measured anew, once: more load held the same SLA."""
        found = [b.doubted for b in self._wanted() if b.doubted and self._tries[b.doubted] < _LOOKS]
        return min(found, default=None)

    def _suspect(self) -> tuple[str, int] | None:
        """The upper end of an interval that is to be seen to break a second time."""
        ends = [(one.name, one.high) for one in self._wanted() if one.high in self.suspected]
        return next(((name, high) for name, high in ends if high and self._tries[high] < _LOOKS), None)

    def stop(self, reason: str) -> None:
        """Ends the search; what is known stays."""
        self.stopped = self.stopped or reason

    def block(self, load: int, reason: str) -> None:
        """This load cannot be measured, for this reason; the search goes on below."""
        self._walls[load] = reason
        if self._asked and self._asked[1] >= load:
            self._asked = None

    @property
    def outcome(self) -> str:
        """complete, noisy or too-few (too wide because of noise, or of too few operations), ceiling (no end),
        or why it was stopped.
        """
        if self.stopped:
            return self.stopped
        wide = [bracket for bracket in self._wanted() if not bracket.is_narrow(self.limits.tolerance)]
        if not wide:
            return "complete"
        if walls := [wall for bracket in wide if (wall := bracket.wall(self._walls))]:
            return self._walls[min(walls)]
        if any(self._is_unbroken(bracket) for bracket in wide):
            return "ceiling"
        return "too-few" if all(bracket.lacks_operations for bracket in wide) else "noisy"

    def ended_by(self, name: str) -> str:
        """What ended the search of this goal: `tolerance` (its interval is narrow enough), `least` (even the
        least load breaks it), `not-searched`, `ceiling`, `noisy`, `too-few`, `generator`, `invalid`, or why
        the search was stopped.
        """
        bracket = self.brackets[name]
        if bracket.breaks_at_once:
            return "least"
        if bracket.is_narrow(self.limits.tolerance):
            return "tolerance"
        if bracket not in self._wanted():
            return "not-searched"
        if self.stopped:
            return self.stopped
        if wall := bracket.wall(self._walls):
            return self._walls[wall]
        if self._is_unbroken(bracket):
            return "ceiling"
        return "too-few" if bracket.lacks_operations else "noisy"

    def _wanted(self) -> list[Bracket]:
        return [one for one in self.brackets.values() if not self.limits.only or one.name in self.limits.only]

    def _is_unbroken(self, bracket: Bracket) -> bool:
        return bracket.high is None and bracket.low == self.limits.most

    def _settle(self, name: str, load: int, verdicts: Mapping[str, Verdict]) -> None:
        verdict = verdicts[name]
        if verdict in (Verdict.MET, Verdict.MISSED):
            self._asked = None
        elif verdict is Verdict.NOTHING:
            if self._tries[load] >= max(_PATIENCE, self.limits.repeats):
                self.block(load, "invalid")
                self._asked = None
        elif self._tries[load] >= self.limits.repeats:
            bracket = self.brackets[name]
            bracket.noisy.add(load)
            if verdict is Verdict.FEW:
                bracket.few.add(load)
            self._asked = None

    def _choose(self) -> tuple[str, int] | None:
        """A load in doubt; otherwise that of a goal which nothing broke yet, or whose answer is nearest."""
        if (doubted := self.doubted()) is not None:
            return next((b.name, doubted) for b in self._wanted() if b.doubted == doubted)
        wanted = [(b, load) for b in self._wanted() if (load := b.next(self.limits, self._walls))]
        if not wanted:
            return self._suspect()
        # One goal after the other, so that a search that is cut short has the answers it had time for.
        # More load first: it shows whether what broke a harder goal was an accident. Of equally unknown
        # goals the first, for its answer usually brackets the harder ones too.
        bracket, load = min(wanted, key=lambda item: (item[0].high is not None, item[0].width()))
        return bracket.name, load


def _middle(low: int, high: int) -> int:
    """Between them by ratio: the answer's tolerance is relative.

    >>> _middle(100, 400), _middle(7, 9)
    (200, 8)
    """
    return min(high - 1, max(low + 1, round(math.sqrt(low * high))))
