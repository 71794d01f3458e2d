"""Moments of the plan's laws of times, and of the walks through its mix."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from scipy import special

from loadstone.judge.histogram import Floats

_REST = 0.01
"""Share of the sessions that may be longer than what a settled run has seen of them."""

_LONGEST = 10_000
"""Operations after which a session is taken to have no end."""

_STEPS_SEEN = 500
"""Steps of a walk that are followed: by then it is in the long run."""

_STEPS = 20_000
"""Points of a law's quantile function: moments to some 0.1 %, as the laws are clamped."""


def moments(law: Mapping[str, Any]) -> tuple[float, float, float]:
    """Mean, mean square and mean cube of a law of a plan, in powers of seconds.

    >>> [round(moment, 2) for moment in moments({"kind": "uniform", "low_s": 0, "high_s": 3})]
    [1.5, 3.0, 6.75]
    """
    return _moments(tuple(sorted(law.items())))


@cache
def _moments(law: tuple[tuple[str, Any], ...]) -> tuple[float, float, float]:
    times = _quantiles(dict(law), (np.arange(_STEPS) + 0.5) / _STEPS)
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


def longest_life_s(plan: Mapping[str, Any]) -> float:
    """Time that the pauses of all but 1 % of the sessions take: so old must a stream of sessions be before
    it shows long ones. A run that is younger has completed short ones only, and its own quantile is theirs.

    `back` is taken to lead to the first operation.

    >>> longest_life_s({"pacing": {"law": {"kind": "fixed", "value_s": 2}}, "session": {"first": "A"},
    ...                 "operations": [{"name": "A"}], "mix": {"A": {"A": 0.9, "end": 0.1}}})
    86.0
    """
    first, matrix = _transitions(plan)
    paces = np.array([moments(pacing_law(plan, one["name"]))[0] for one in plan["operations"]])
    state, waited = np.eye(len(paces))[first], 0.0
    for _ in range(1, plan["session"].get("max_operations") or _LONGEST):
        state = state @ matrix
        if state.sum() <= _REST:
            break
        waited += float(state @ paces) / float(state.sum())
    return round(waited, 6)


def _transitions(plan: Mapping[str, Any]) -> tuple[int, Floats]:
    """The first operation's number, and the shares from each operation to each; what rows lack is the end."""
    names = [operation["name"] for operation in plan["operations"]]
    first = names.index(plan["session"]["first"])
    index = {name: number for number, name in enumerate(names)} | {"back": first}
    matrix = np.zeros((len(names), len(names)))
    for name, row in plan["mix"].items():
        for to, share in row.items():
            if to != "end":
                matrix[index[name], index[to]] += share
    return first, matrix


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
            times = np.exp(law["mu"] + law["sigma"] * special.ndtri(share))
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
        first, self._matrix = _transitions(plan)
        self._matrix[:, first] += 1 - self._matrix.sum(axis=1)

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


def unsettled(
    plan: Mapping[str, Any], shares: Mapping[str, float], begin: float, end: float
) -> dict[str, float]:
    """By operation: how far its share among steps `begin` to `end` of walks may be from the long run's.

    Users that begin together and wait alike are at the same step: the steps at the two ends weigh anything
    between nothing and a whole one. 0 where walks can lead back, as their law is not known.
    """
    names = [operation["name"] for operation in plan["operations"]]
    if any("back" in row for row in plan["mix"].values()):
        return dict.fromkeys(names, 0.0)
    first, matrix = _transitions(plan)
    steps = range(min(_STEPS_SEEN, math.floor(begin)), min(_STEPS_SEEN, math.ceil(end)) + 1)
    stationary = np.array([shares[name] for name in names])
    # By the number of operations that the session has made, where that is bounded.
    bounded = plan["session"].get("max_operations")
    state = np.zeros((min(_STEPS_SEEN + 1, bounded or 1), len(names)))
    state[0, first] = 1.0
    away = [np.zeros(len(names))]
    for step in range(steps.stop):
        if step in steps:
            away.append(np.abs(state.sum(axis=0) - stationary))
        state = state @ matrix
        if bounded:
            state = np.vstack([np.zeros(len(names)), state[:-1]])
        # Whoever is at the end begins anew.
        state[0, first] += 1 - state.sum()
    mean = np.sum(away, axis=0) / max(1e-9, end - begin)
    return dict(zip(names, np.minimum(np.max(away, axis=0), mean).tolist(), strict=True))
