"""Whether short runs should also narrow the region by bisection: time and coverage, simulated.

    python bench/bracketing.py SEED SEARCHES SIGMA SECONDS SATURATES

Services are those of `tests/fakes/noisy.py`, with capacities from 100 to 1,000 users; with SATURATES 1, users
beyond 1.1 knees bring no more operations. Prints a line for the probes of Loadstone, and one for probes that
bisect to a factor of 1.25.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "fakes"))

import noisy

from loadstone.capacity.evidence import Sample, Trial, verdicts
from loadstone.capacity.probing import SATURATED, Probe, Probing
from loadstone.capacity.search import Limits, Search
from loadstone.judge import Histogram
from loadstone.judge.goals import sla_goals
from loadstone.judge.sla import SLAS

FIRST, MOST = 25, 100_000
PROBE_S, PROBE_REST_S, RUN_REST_S = 10, 7, 42
"""A probe, and what ramps and starts add to it and to a run."""
WIDTH = 1.25


class Bisecting(Probing):
    """Probes that go on, once one has broken, until the region is a factor of `WIDTH` wide."""

    def __init__(self) -> None:
        """As all probes begin."""
        super().__init__(FIRST, MOST)
        self._ends: tuple[int, int | None] = (0, None)

    def next(self) -> int | None:
        """Doubles, then bisects by ratio."""
        low, high = self._ends
        if self._done or high is None:
            return super().next()
        return round(math.sqrt(low * high))

    def record(self, probe: Probe) -> None:
        """Moves one of the ends."""
        light = [one for one in self.probes if one.load <= self._ends[0]]
        rate = sum(one.per_s for one in light) / sum(one.load for one in light) if light else 0.0
        self.probes.append(probe)
        low, high = self._ends
        if probe.held and probe.per_s >= SATURATED * rate * probe.load:
            low = probe.load
        else:
            high = probe.load
        self._ends = low, high
        narrow = high is not None and (not low or high <= max(low + 1, WIDTH * low))
        self._done = narrow or (high is None and probe.load >= MOST)

    def expected(self) -> int:
        """The middle of the region."""
        low, high = self._ends
        return round(math.sqrt((low or high or FIRST) * (high or low)))


def run(rng: np.random.Generator, users: int, knee: float, sigma: float, seconds: int, full: bool) -> Trial:
    """One run of the service."""
    most = round(1.1 * knee) if full else users
    if users <= most:
        return noisy.run(rng, users, knee, sigma, seconds)
    slower = (users / most) ** 6
    samples = []
    for one in noisy.run(rng, most, knee, sigma, seconds).samples["SLA-1"]:
        times = one.response.values_us * slower
        within = rng.binomial(one.count.astype(int), float((times <= one.limit_s * 1e6).mean()))
        spread = Histogram(times, one.response.counts)
        samples.append(Sample(one.operation, one.limit_s, one.count, within.astype(float), spread))
    return Trial(dict.fromkeys(("SLA-1", "SLA-2"), samples))


def probed(rng: np.random.Generator, users: int, knee: float, sigma: float, full: bool) -> Probe:
    """One short run."""
    samples = run(rng, users, knee, sigma, PROBE_S, full).samples["SLA-1"]
    held = min(one.good.sum() / one.count.sum() for one in samples) >= SLAS[0].share
    return Probe(users, float(sum(one.count.sum() for one in samples)) / PROBE_S, bool(held))


def searched(
    rng: np.random.Generator, probing: Probing, knee: float, sigma: float, seconds: int, full: bool
) -> tuple[Search, int, int]:
    """A search to its end, its probes and its runs."""
    while (users := probing.next()) is not None:
        probing.record(probed(rng, users, knee, sigma, full))
    limits = Limits(FIRST, MOST).near(probing.expected())
    search, trials, runs = Search([sla.name for sla in SLAS], limits), dict[int, list[Trial]](), 0
    while (users := search.next()) is not None:
        trials.setdefault(users, []).append(run(rng, users, knee, sigma, seconds, full))
        search.record(users, verdicts(trials[users], sla_goals(seconds), 1 - 0.05 / limits.repeats))
        runs += 1
    return search, len(probing.probes), runs


def main() -> None:
    """Both ways on the same services."""
    seed, searches, sigma, seconds, full = (float(text) for text in sys.argv[1:6])
    for name in ("doubling", "bisecting"):
        rng, knees = np.random.default_rng(int(seed)), np.random.default_rng(int(seed) + 1)
        held, took, probes, runs = dict.fromkeys(SLAS, 0), [], 0, 0
        for _ in range(int(searches)):
            knee = math.exp(knees.uniform(math.log(100), math.log(1000)))
            probing = Probing(FIRST, MOST) if name == "doubling" else Bisecting()
            search, some, more = searched(rng, probing, knee, sigma, int(seconds), bool(full))
            probes, runs = probes + some, runs + more
            took.append(some * (PROBE_S + PROBE_REST_S) + more * (seconds + RUN_REST_S))
            for sla in SLAS:
                bracket, truth = search.brackets[sla.name], noisy.capacity(knee, sigma, sla.share)
                held[sla] += (bracket.low or 0) <= truth < (bracket.high or math.inf)
        cover = ", ".join(f"{sla.name} {100 * count / searches:.1f} %" for sla, count in held.items())
        print(
            f"{name}: {probes / searches:.1f} probes, {runs / searches:.1f} runs, {np.mean(took):.0f} s in "
            f"the mean, {np.median(took):.0f} s in the median; holds the truth: {cover}"
        )


if __name__ == "__main__":
    main()
