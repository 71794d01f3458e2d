"""Moments of the plan's laws of times, and of the walks through its mix."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import stats

from loadstone.judge.histogram import Floats

_STEPS = 20_000
"""Points of a law's quantile function: moments to some 0.1 %, as the laws are clamped."""


def moments(law: Mapping[str, Any]) -> tuple[float, float, float]:
    """Mean, mean square and mean cube of a law of a plan, in powers of seconds.

    >>> [round(moment, 2) for moment in moments({"kind": "uniform", "low_s": 0, "high_s": 3})]
    [1.5, 3.0, 6.75]
    """
    times = _quantiles(law, (np.arange(_STEPS) + 0.5) / _STEPS)
    first, second, third = (float((times**power).mean()) for power in (1, 2, 3))
    return first, second, third


def variation(law: Mapping[str, Any]) -> float:
    """The law's variance by its squared mean: 0 of a fixed time, 1 of negative exponential ones."""
    first, second, _ = moments(law)
    return max(0.0, second / first**2 - 1) if first else 0.0


def pacing_law(plan: Mapping[str, Any], operation: str) -> Mapping[str, Any]:
    """The law of the cycle or think time before an operation."""
    own = next(o.get("pacing") for o in plan["operations"] if o["name"] == operation)
    law: Mapping[str, Any] = (own or plan["pacing"])["law"]
    return law


def _quantiles(law: Mapping[str, Any], share: Floats) -> Floats:
    match law["kind"]:
        case "fixed":
            return np.full_like(share, float(law["value_s"]))
        case "uniform":
            return np.asarray(law["low_s"] + (law["high_s"] - law["low_s"]) * share)
        case "neg-exp":
            least = law.get("min_s") or 0.0
            times = least - (law["mean_s"] - least) * np.log1p(-share)
        case "log-normal":
            times = np.exp(law["mu"] + law["sigma"] * stats.norm.ppf(share))
        case "pareto":
            times = law["k_s"] * (1 - share) ** (-1 / law["alpha"])
        case _:
            times = law["scale_s"] * (-np.log1p(-share)) ** (1 / law["shape"])
    return np.asarray(np.minimum(times, law["max_s"]))


class Walk:
    """The walk of users through the mix as a Markov chain: after `end` comes the first operation."""

    def __init__(self, plan: Mapping[str, Any]) -> None:
        """Of a plan whose next operation depends on the last one only."""
        self.names: Sequence[str] = [operation["name"] for operation in plan["operations"]]
        self._first = self.names.index(plan["session"]["first"])
        index = {name: number for number, name in enumerate(self.names)} | {"end": self._first}
        self._matrix = np.zeros((len(index) - 1, len(index) - 1))
        for name, row in plan["mix"].items():
            for to, share in row.items():
                self._matrix[index[name], index[to]] += share

    @staticmethod
    def of(plan: Mapping[str, Any]) -> Walk | None:
        """None where the next operation depends on more than the last one."""
        remembers = any("back" in row for row in plan["mix"].values()) or plan["session"].get(
            "max_operations"
        )
        return None if remembers else Walk(plan)

    def clumping(self, shares: Mapping[str, float]) -> dict[str, float]:
        """By operation: how many steps of one walk say as much of its share as one independent draw.

        Variance of a share in a long walk by the binomial one, from the fundamental matrix (Kemeny and Snell,
        Finite Markov Chains, theorem 4.6.1); at least 1, as many short walks are independent draws.
        """
        stationary = np.array([shares[name] for name in self.names])
        size = len(stationary)
        fundamental = np.linalg.pinv(np.eye(size) - self._matrix + np.outer(np.ones(size), stationary))
        found = {}
        for number, name in enumerate(self.names):
            rest = 1 - stationary[number]
            factor = (2 * fundamental[number, number] - 1 - stationary[number]) / rest if rest > 1e-9 else 1.0
            found[name] = max(1.0, float(factor))
        return found

    def unsettled(self, shares: Mapping[str, float], begin: float, end: float) -> dict[str, float]:
        """By operation: how far its share among steps `begin` to `end` of a walk is from the long-run one."""
        steps = range(min(500, math.floor(begin)), min(500, math.ceil(end)) + 1)
        state = np.zeros(len(self.names))
        state[self._first] = 1.0
        summed = np.zeros(len(self.names))
        for step in range(steps.stop):
            summed += state if step in steps else 0.0
            state = state @ self._matrix
        mean = summed / max(1, len(steps))
        return {name: abs(float(mean[i]) - shares[name]) for i, name in enumerate(self.names)}
