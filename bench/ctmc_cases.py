"""What is asked in the benchmark, and what PRISM took where it was measured earlier."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ctmc_models import cascade, family, irregular, polling, pool, scattered, tiers, turning

YEAR = 365 * 86_400.0
DAY = 86_400.0


@dataclass(frozen=True)
class Case:
    """One model and one question about `of`.

    A reward's sum until `time`, its long-run mean when None, or, `first`, the probability of a visit
    to a label by then, or, `mean`, the mean time to one. `prism_s` is what PRISM took, not in the same
    run. `stiff`: a year of a chain that jumps every few seconds, held to the targets of `ctmc_targets.py`.
    `most_s`: what ours may take. `moderate`: held to be no slower than Storm.
    `within_s`: the time budget of a case that may be refused in time, with the reason.
    `peer_s`: how long a peer may take, where the limit of the others would say too little.
    """

    name: str
    states: int
    text: Callable[[], str]
    of: str = "down"
    time: float | None = None
    first: bool = False
    prism_s: float | None = None
    stiff: bool = False
    most_s: float | None = None
    moderate: bool = False
    peer_s: float | None = None
    mean: bool = False
    within_s: float | None = None

    @property
    def budget_s(self) -> float:
        """What ours is given: the default of the command where nothing else is said."""
        if self.within_s is not None:
            return self.within_s
        return 300.0 if self.most_s is None else 2 * self.most_s


CASES = [
    Case("pool 10+18, 1 year", 209, lambda: pool(10, 18, False), time=YEAR, prism_s=21, stiff=True),
    Case("pool 10+10 mended, 1 year", 121, lambda: pool(10, 10, True), time=YEAR, prism_s=0.9, stiff=True),
    Case("pool 100+100 mended, 1 hour", 10_201, lambda: pool(100, 100, True), time=3600.0, prism_s=1.9),
    Case("pool 100+100 mended, 1 year", 10_201, lambda: pool(100, 100, True), time=YEAR, stiff=True),
    Case("pool 100+100 mended, long run", 10_201, lambda: pool(100, 100, True), prism_s=1.0),
    Case("pool 300+300 mended, long run", 90_601, lambda: pool(300, 300, True), prism_s=2.8),
    Case(
        "pool 1000+1000 mended, 1 year",
        1_002_001,
        lambda: pool(1000, 1000, True),
        time=YEAR,
        stiff=True,
        most_s=0.1,
    ),
    Case("three tiers of 20, 1 year", 9_261, lambda: tiers(20), time=YEAR, prism_s=12.5, stiff=True),
    Case("three tiers of 20, long run", 9_261, lambda: tiers(20), prism_s=1.0),
    Case("three tiers of 50, 1 hour", 132_651, lambda: tiers(50), time=3600.0, prism_s=11.5),
    Case("three tiers of 50, long run", 132_651, lambda: tiers(50), prism_s=2.0),
    Case("three tiers of 100, 1 year", 1_030_301, lambda: tiers(100), time=YEAR, stiff=True, most_s=5.0),
    Case("three tiers of 100, long run", 1_030_301, lambda: tiers(100), prism_s=11),
    Case("cluster 64, long run", 151_060, lambda: family("cluster", n=64), "short", prism_s=1.4),
    Case(
        "cluster 64, 8760 h",
        151_060,
        lambda: family("cluster", n=64),
        "short",
        8760.0,
        prism_s=9.1,
        stiff=True,
        peer_s=120.0,
    ),
    Case("embedded 8, 24 h", 8_548, lambda: family("embedded", patience=8), "down", DAY, True, 1.5),
    Case("embedded 8, 30 d", 8_548, lambda: family("embedded", patience=8), "down", 30 * DAY, True, 18.7),
    Case("kanban 4, long run", 454_475, lambda: family("kanban", n=4), "in_cell_1", prism_s=4.5),
    Case("polling 13, long run", 159_744, lambda: polling(13), "first_waits", prism_s=1.2),
    Case("tandem 255, until 1", 130_816, lambda: family("tandem", c=255), "customers", 1.0),
    *[
        Case(
            f"irregular {kind} {states}, {decades} decades, until {time:g}",
            states,
            lambda kind=kind, states=states, decades=decades: irregular(states, decades, kind),
            time=time,
            most_s=10.0,
        )
        for kind, states, decades, time in [
            ("random", 6000, 2, 1e3),
            ("random", 6000, 6, 72.0),
            ("random", 6000, 6, 1e5),
            ("random", 6000, 6, 1e7),
            ("ring", 2000, 6, 1e7),
            ("ring", 6000, 2, 1e4),
            ("ring", 6000, 6, 1e7),
            ("scrambled", 6000, 2, 1e7),
        ]
    ],
    *[
        Case(
            f"equal ring {states}, until 1e+07, {within_s:g} s allowed",
            states,
            lambda states=states: turning(states),
            time=1e7,
            within_s=within_s,
        )
        for states, within_s in [(2000, 300.0), (6000, 5.0), (6000, 300.0)]
    ],
    Case(
        "irregular random 6000, goal by 1e7",
        6000,
        lambda: irregular(6000, 6, "random"),
        "goal",
        1e7,
        True,
        most_s=10.0,
    ),
    Case(
        "irregular random 6000, mean to goal", 6000, lambda: irregular(6000, 6, "random"), "goal", mean=True
    ),
    Case("cascade 4, mean to activated", 99_535, lambda: cascade(4), "activated", mean=True),
    Case(
        "cluster 128, short by 2000 h",
        597_012,
        lambda: family("cluster", n=128),
        "short",
        2000.0,
        True,
        most_s=100.0,
    ),
    # Many states, the fastest of which jumps some hundred to ten thousand times.
    *[
        Case(name, states, text, of, time, first, moderate=True)
        for name, states, text, of, time, first in [
            ("cluster 128, short by 20 h", 597_012, lambda: family("cluster", n=128), "short", 20.0, True),
            ("kanban 4, until 100", 454_475, lambda: family("kanban", n=4), "in_cell_1", 100.0, False),
            ("polling 13, until 50", 159_744, lambda: polling(13), "first_waits", 50.0, False),
            ("tandem 255, until 8", 130_816, lambda: family("tandem", c=255), "customers", 8.0, False),
            ("scattered 300000, until 500", 300_000, lambda: scattered(300_000), "down", 500.0, False),
        ]
    ],
]
