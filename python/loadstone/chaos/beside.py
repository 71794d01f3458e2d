"""What was measured beside what the chain says: means over the lives, with their 95 % intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean, stdev
from typing import Any

from loadstone.availability.cluster import Cluster
from loadstone.availability.text import prism
from loadstone.chaos.machine import simulate
from loadstone.ctmc.solve import solve

Json = dict[str, Any]

_LEVEL = 0.95
_RUNS = 400
"""Drawn for the expected range: ten lie beyond each end."""


def mean_interval(values: Sequence[float], most: float = math.inf) -> Json:
    """Mean and Student's 95 % interval of independent values within 0 and `most`; the ends are null for
    fewer than two.
    """
    mean = fmean(values)
    if len(values) < 2:
        return {"value": mean, "low": None, "high": None, "count": len(values)}
    from scipy.special import stdtrit

    half = float(stdtrit(len(values) - 1, 0.5 + _LEVEL / 2)) * stdev(values) / math.sqrt(len(values))
    return {"value": mean, "low": max(0.0, mean - half), "high": min(most, mean + half), "count": len(values)}


def beside(cluster: Cluster, life_s: float, lives: Sequence[Json]) -> Json:
    """Share of time with enough nodes up, mean nodes up, and crashes in a life: measured and the chain's.

    The chain's failover is as long as asked for, and the mean time by which nodes were up later than drawn.
    """
    late = [up - meant for life in lives for meant, up, _ in life["starts"]]
    late_s = fmean(late) if late else 0.0
    failover_s = max(1e-3, 1 / cluster.failover + late_s)
    found = replace(cluster, failover=1 / failover_s)
    model = chain(found, life_s)
    measured = {
        "availability": mean_interval([life["availability"] for life in lives], 1.0),
        "nodes_up": mean_interval([life["nodes_up"] for life in lives], cluster.active),
        "crashes": mean_interval([len(life["crashes"]) for life in lives]),
    }
    return {
        "failover_s": {"asked": 1 / cluster.failover, "late": late_s, "modelled": failover_s},
        "measured": measured,
        "expected": expected(found, life_s, len(lives)),
        "model": model,
        "inside": {
            name: None if one["low"] is None else one["low"] <= model[name] <= one["high"]
            for name, one in measured.items()
        },
    }


def expected(cluster: Cluster, life_s: float, lives: int) -> dict[str, tuple[float, float]]:
    """Where the means of these lives lie in 95 % of runs if the model is right, by drawing runs from it."""
    runs = [
        [simulate(cluster, life_s, seed=run * lives + life) for life in range(lives)] for run in range(_RUNS)
    ]
    enough = [fmean(sum(spent[cluster.needed :]) / life_s for spent in run) for run in runs]
    up = [fmean(sum(n * t for n, t in enumerate(spent)) / life_s for spent in run) for run in runs]
    return {"availability": _middle(enough), "nodes_up": _middle(up)}


def _middle(values: Sequence[float]) -> tuple[float, float]:
    ordered = sorted(values)
    cut = round((1 - _LEVEL) / 2 * len(ordered))
    return ordered[cut], ordered[-1 - cut]


def chain(cluster: Cluster, life_s: float) -> dict[str, float]:
    """The chain's own answers for one life that begins with every node up."""
    counts = list(range(cluster.active + 1))
    questions = [{"ask": "until", "of": f"up = {count}", "time": life_s} for count in counts]
    model = {"prism": {"text": prism(cluster), "constants": {}}}
    answers = solve(model, questions, "cluster", precision=1e-6)["answers"]
    shares = [(one["low"] + one["high"]) / 2 / life_s for one in answers]
    up = sum(count * share for count, share in zip(counts, shares, strict=True))
    return {
        "availability": sum(shares[cluster.needed :]),
        "nodes_up": up,
        "crashes": cluster.crash * up * life_s,
    }
