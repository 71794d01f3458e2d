"""All runs at one load, as evidence and as figures."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from loadstone.capacity.evidence import Trial, shares, trial, verdicts
from loadstone.capacity.search import Verdict
from loadstone.goals import Goal
from loadstone.judge import Measurement
from loadstone.judge.checks import ONLY_SLOWER, at_its_limit, missed
from loadstone.judge.limits import nearness
from loadstone.stages.capacity import Bound, LimitedBy, Trend
from loadstone.stages.run import Run
from loadstone.stages.verdict import About
from loadstone.stages.verdict import Verdict as Word

_BROKE: tuple[About, ...] = ("service", "overload")
"""What a run's checks are about when the load was too much."""


def trial_of(result: Run, measurement: Measurement, goals: Sequence[Goal], trend: Trend) -> Trial:
    """A run as evidence.

    A service that fails explains a load that strays: sessions that end early change the mix. So such a run
    counts against the service.
    """
    checks = result.validity.checks
    limits = set(missed(checks, "generator"))
    faulty = any(missed(checks, about) for about in _BROKE) or result.outcome == "sut-died"
    strayed = bool(missed(checks, "load")) and not faulty
    return trial(
        measurement,
        goals,
        faulty=faulty,
        invalid=bool(limits - ONLY_SLOWER) or strayed,
        late=bool(limits & ONLY_SLOWER),
        trend=trend,
        valid=result.validity.state == "valid",
    )


@dataclass
class Point:
    """All runs at one load."""

    trials: list[Trial] = field(default_factory=list)
    results: list[Run] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)

    def add(self, one: Trial, result: Run, folder: str) -> None:
        """One more run."""
        self.trials.append(one)
        self.results.append(result)
        self.folders.append(folder)

    def mark(self, slowed: Collection[str]) -> bool:
        """Which of the runs, by their folders, the machine slowed; whether that is news of any."""
        before = self.trials
        self.trials = [
            replace(one, slowed=name in slowed) for one, name in zip(before, self.folders, strict=True)
        ]
        return [one.slowed for one in before] != [one.slowed for one in self.trials]

    @property
    def busy(self) -> int:
        """In how many of them the generator was the limit."""
        return sum(at_its_limit(one.validity.checks) for one in self.results)

    def verdicts(self, goals: Sequence[Goal], confidence: float) -> dict[str, Verdict]:
        """What they say together, by goal."""
        return verdicts(self.trials, goals, confidence)

    def valid(self) -> list[Run]:
        """The runs whose figures may be shown."""
        return [one for one in self.results if one.validity.state == "valid"]

    def evidence(self) -> list[str]:
        """Folders of the runs that say something."""
        return [name for one, name in zip(self.trials, self.folders, strict=True) if not one.invalid]

    def bound(self, load: float) -> Bound:
        """An end of an interval that is here."""
        return Bound(load=load, runs=self.evidence())

    def limited_by(self, goal: str) -> LimitedBy:
        """The operation furthest from the goal, the failed checks, and the resource that was used up."""
        worst = min(shares(self.trials, goal).items(), key=lambda item: item[1], default=(None, None))
        sound = [run for one, run in zip(self.trials, self.results, strict=True) if not one.invalid]
        broken = {name for run in sound for about in _BROKE for name in missed(run.validity.checks, about)}
        known = [run.limited_by for run in sound if run.limited_by]
        return LimitedBy(
            operation=worst[0],
            share_at_high=worst[1],
            checks=sorted(broken),
            resource=max(known, key=nearness, default=None),
        )


_WORDS: dict[Verdict, Word] = {
    Verdict.MET: "met",
    Verdict.MISSED: "missed",
    Verdict.OPEN: "open",
    Verdict.FEW: "open",
    Verdict.NOTHING: "open",
}


def recorded(found: Mapping[str, Verdict]) -> dict[str, Word]:
    """Verdicts as the record has them: runs without evidence leave all open."""
    return {name: _WORDS[one] for name, one in found.items()}
