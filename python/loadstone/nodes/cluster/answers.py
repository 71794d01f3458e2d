"""What the solver says of a cluster, each number as two bounds or the upper of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from loadstone.nodes import models
from loadstone.nodes.cluster.terms import Cluster, Crewed
from loadstone.nodes.cluster.text import prism
from loadstone.nodes.solve import Question, solve

PRECISION = 1e-7
MOST_STATES = 6_000
"""A chain of clusters that share crews has rarely met states left out when it would have more than this."""
_STEP = 2
"""Nodes by which it goes deeper when those states are met too often."""
_SELDOM = 1e-5
"""How often that is: of the time down."""

Model = Cluster | Crewed


@dataclass(frozen=True)
class Bounds:
    """The truth lies between them, rounding included. `high` may be infinite."""

    low: float
    high: float


@lru_cache(maxsize=65_536)
def down_s(cluster: Model, year_s: float) -> float:
    """Seconds of a year with fewer than `needed` nodes up: a closed form where there is one, else the upper
    bound of the chain.

    A cluster whose nodes are mended is judged in the long run: that is milliseconds where a year takes
    seconds, and never flatters, for a year that starts with every node up has less downtime than later ones.

    >>> round(down_s(Cluster(1, 1, None, crash=1e-7, failover=1 / 15), 1e7), 4)
    15.0
    """
    if isinstance(cluster, Crewed):
        return _down_crewed(cluster) * year_s
    extra = cluster.active - cluster.needed
    if cluster.independent and cluster.pool is None:
        return models.ara_cloud(cluster.needed, extra, cluster.crash, cluster.failover, year_s)
    if cluster.independent:
        return models.ara_on_premises(cluster.needed, extra, cluster.crash, year_s)
    if cluster.mended:
        [share] = _ask(cluster, [{"ask": "long-run", "of": "down"}])
        return share.high * year_s
    return down_bounds(cluster, year_s).high


def _down_crewed(model: Crewed) -> float:
    """Share of time down in the long run, upper bound of the chain that `within_reach` makes of it."""
    [share] = _ask(within_reach(model), [{"ask": "long-run", "of": "down"}])
    return share.high


@lru_cache(maxsize=4_096)
def within_reach(model: Crewed) -> Crewed:
    """The same clusters without the states with so few nodes up that they hardly ever occur; as it is when
    its chain is small. Nodes are left out of less than `_SELDOM` of the time down.
    """
    if model.states <= MOST_STATES:
        return model
    deeper = 2
    while True:
        shallow = [replace(one, fewest=max(0, one.needed - 1 - deeper)) for one in model.clusters]
        cut = replace(model, clusters=tuple(shallow))
        edges = [
            f"{name}_up = {one.fewest}" for name, one in zip(cut.names, shallow, strict=True) if one.fewest
        ]
        if not edges:
            return model
        edge, down = _ask(cut, [{"ask": "long-run", "of": of} for of in (" | ".join(edges), "down")])
        if edge.high <= _SELDOM * down.low:
            return cut
        deeper += _STEP


def down_bounds(cluster: Model, year_s: float) -> Bounds:
    """Expected seconds down in a year that starts with every node up, by the chain itself."""
    [answer] = _ask(cluster, [{"ask": "until", "of": "down", "time": year_s}])
    return answer


def time_up(cluster: Cluster, year_s: float, counts: Sequence[int]) -> list[Bounds]:
    """Seconds of a year with exactly so many nodes up, for each of `counts`; in the long run as `down_s`."""
    return time_in(cluster, year_s, [f"up = {count}" for count in counts])


def time_in(model: Model, year_s: float, conditions: Sequence[str]) -> list[Bounds]:
    """Seconds of a year in which each of the conditions holds; in the long run as `down_s`."""
    if model.mended:
        shares = _ask(model, [{"ask": "long-run", "of": condition} for condition in conditions])
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
        for one in _solved(cluster, [{"ask": "cycle", "of": "down"}])
        if one["ask"] in ("cycle-frequency", "cycle-mean")
    }
    return Outages(first, answers["cycle-frequency"], answers["cycle-mean"])


def _ask(cluster: Model, questions: list[Question]) -> list[Bounds]:
    return [_bounds(one) for one in _solved(cluster, questions)]


def _solved(cluster: Model, questions: list[Question]) -> list[dict[str, Any]]:
    model = {"prism": {"text": prism(cluster), "constants": {}}}
    answers: list[dict[str, Any]] = solve(model, questions, "cluster", precision=PRECISION)["answers"]
    return answers


def _bounds(answer: dict[str, Any]) -> Bounds:
    high = answer["high"]
    return Bounds(answer["low"], float("inf") if high is None else high)
