"""What the solver says of a cluster, each number as two bounds or the upper of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from loadstone.availability.cluster import Cluster, Crewed
from loadstone.availability.criterion import LONG_RUN, Criterion, judged
from loadstone.availability.text import prism
from loadstone.ctmc.solve import Question, solve

PRECISION = 1e-7
MOST_STATES = 6_000
"""A chain that would have more than this has rarely met states left out."""
_SELDOM = {Cluster: 1e-8, Crewed: 1e-5}
"""States that hold less than this part of the time down may be left out."""
_ROUGH = 1e-2
"""Precision at which that is asked."""

Model = Cluster | Crewed


@dataclass(frozen=True)
class Bounds:
    """The truth lies between them, rounding included. `high` may be infinite."""

    low: float
    high: float


def share_down(model: Model) -> float:
    """Share of time down in the long run, upper bound of the chain that `within_reach` makes of it."""
    [share] = _ask(within_reach(model), [{"ask": "long-run", "of": "down"}])
    return share.high


@lru_cache(maxsize=4_096)
def within_reach(model: Model) -> Model:
    """The same without the states with so few nodes up that they hardly ever occur, in the long run; as it is
    when its chain is small. They hold less than `_SELDOM` of the time down.
    """
    if model.states <= MOST_STATES:
        return model
    deeper = 2
    while True:
        cut, edges = _cut(model, deeper)
        if not edges:
            return model
        edge, down = _ask(cut, [{"ask": "long-run", "of": of} for of in (edges, "down")], _ROUGH)
        if edge.high <= _SELDOM[type(model)] * down.low:
            return cut
        deeper *= 2


def _cut(model: Model, deeper: int) -> tuple[Model, str]:
    """Cut at this many missing nodes beyond the first that count as down; says where states are left out."""

    def fewest(one: Cluster) -> Cluster:
        return replace(one, fewest=max(0, one.needed - 1 - deeper))

    if isinstance(model, Cluster):
        cut = fewest(model)
        return cut, f"up = {cut.fewest}" if cut.fewest else ""
    shallow = tuple(fewest(one) for one in model.clusters)
    edges = [
        f"{name}_up = {one.fewest}" for name, one in zip(model.names, shallow, strict=True) if one.fewest
    ]
    return replace(model, clusters=shallow), " | ".join(edges)


def down_bounds(cluster: Model, year_s: float) -> Bounds:
    """Expected seconds down in a year that starts with every node up, by the chain itself."""
    [answer] = _ask(cluster, [{"ask": "until", "of": "down", "time": year_s}])
    return answer


def time_up(cluster: Cluster, year_s: float, counts: Sequence[int]) -> list[Bounds]:
    """Seconds of a year with exactly that many nodes up, for each of `counts`; as `time_in`."""
    return time_in(cluster, year_s, [f"up = {count}" for count in counts])


def time_in(
    model: Model, year_s: float, conditions: Sequence[str], criterion: Criterion = LONG_RUN
) -> list[Bounds]:
    """Seconds of a year in which each of the conditions holds, by the criterion that it is `judged` by."""
    if judged(model.mended, criterion) == LONG_RUN:
        shares = _ask(within_reach(model), [{"ask": "long-run", "of": condition} for condition in conditions])
        return [Bounds(share.low * year_s, share.high * year_s) for share in shares]
    return _ask(model, [{"ask": "until", "of": condition, "time": year_s} for condition in conditions])


@dataclass(frozen=True)
class Outages:
    """The first outage with everything up at the start, and those of the long run (None: nobody mends)."""

    first_s: Bounds
    per_s: Bounds | None
    length_s: Bounds | None


def outages(cluster: Model) -> Outages:
    """MTTF, and how often and for how long the cluster is short of nodes."""
    [first] = _ask(cluster, [{"ask": "first-mean", "of": "down"}])
    if not cluster.mended:
        return Outages(first, None, None)
    answers = {
        one["ask"]: _bounds(one)
        for one in _solved(within_reach(cluster), [{"ask": "cycle", "of": "down"}])
        if one["ask"] in ("cycle-frequency", "cycle-mean")
    }
    return Outages(first, answers["cycle-frequency"], answers["cycle-mean"])


def _ask(cluster: Model, questions: list[Question], precision: float = PRECISION) -> list[Bounds]:
    return [_bounds(one) for one in _solved(cluster, questions, precision)]


def _solved(cluster: Model, questions: list[Question], precision: float = PRECISION) -> list[dict[str, Any]]:
    model = {"prism": {"text": prism(cluster), "constants": {}}}
    answers: list[dict[str, Any]] = solve(model, questions, "cluster", precision=precision)["answers"]
    return answers


def _bounds(answer: dict[str, Any]) -> Bounds:
    high = answer["high"]
    return Bounds(answer["low"], float("inf") if high is None else high)
