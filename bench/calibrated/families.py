"""Healthy runs drawn at random: users 1 to 10,000, 20 operations and more, mixes of 1 to 17."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from calibrated.world import Case, Floats

LEAST, MOST = 20, 20_000
"""Operations that a run leads to expect."""

_MOST_STEPS = 4_000
"""Operations of one user: more only cost time."""


def law(rng: np.random.Generator, mean_s: float) -> Mapping[str, Any]:
    """A law of pauses with about this mean."""
    match rng.integers(4):
        case 0:
            return {"kind": "fixed", "value_s": mean_s}
        case 1:
            return {"kind": "uniform", "low_s": 0.2 * mean_s, "high_s": 1.8 * mean_s}
        case 2:
            sigma = 0.7
            mu = math.log(mean_s) - sigma**2 / 2
            return {"kind": "log-normal", "mu": mu, "sigma": sigma, "max_s": 5 * mean_s}
        case _:
            return {"kind": "neg-exp", "mean_s": mean_s, "max_s": 5 * mean_s}


def matrix(rng: np.random.Generator, end: float, most: int = 17) -> Floats:
    """A walk through 1 to `most` operations, some of which cling to themselves; `end`: each step's share."""
    size = int(rng.integers(1, most + 1))
    rows = rng.dirichlet(np.full(size, rng.choice([0.5, 1.0, 5.0])), size)
    if rng.random() < 0.3:
        rows = 0.7 * np.eye(size) + 0.3 * rows
    return np.hstack([rows * (1 - end), np.full((size, 1), end)])


def closed(kind: str, sessions: bool) -> Callable[[np.random.Generator], Case]:
    """Users with cycle or think times; `sessions`: they begin anew after some operations."""

    def make(rng: np.random.Generator) -> Case:
        while True:
            users = round(10 ** rng.uniform(0, 4))
            wanted = 10 ** rng.uniform(math.log10(LEAST), math.log10(MOST))
            seconds = round(10 ** rng.uniform(math.log10(5), math.log10(1200)))
            cycle = users * seconds / wanted
            if 0.1 <= cycle <= 60 and wanted / users <= _MOST_STEPS:
                break
        end = rng.uniform(0.05, 0.3) if sessions else 0.0
        return Case(
            matrix=matrix(rng, end),
            law=law(rng, cycle),
            kind=kind,
            ramp_s=round(rng.uniform(0, 3) * min(cycle, seconds)),
            steady_s=seconds,
            users=users,
            most=int(rng.integers(2, 20)) if sessions and rng.random() < 0.5 else None,
            service_s=min(0.1, 0.02 * cycle),
        )

    return make


def opened(poisson: bool, single: bool = False) -> Callable[[np.random.Generator], Case]:
    """Sessions that arrive; `single`: each is one operation."""

    def make(rng: np.random.Generator) -> Case:
        end = rng.uniform(0.05, 0.5)
        wanted = 10 ** rng.uniform(math.log10(LEAST), math.log10(MOST))
        seconds = round(10 ** rng.uniform(math.log10(5), math.log10(600)))
        mean = 10 ** rng.uniform(-1, 0.7)
        life = 0.1 if single else mean / end
        return Case(
            matrix=matrix(rng, 1.0 if single else end, most=1 if single else 17),
            law=law(rng, mean),
            kind="think",
            ramp_s=round(rng.uniform(0, 8) * life),
            steady_s=seconds,
            rate=round(wanted / seconds * (1.0 if single else end), 3) or 0.1,
            poisson=poisson,
            most=1 if single else None,
            service_s=min(0.1, 0.1 * mean),
        )

    return make


FAMILIES: dict[str, Callable[[np.random.Generator], Case]] = {
    "closed, cycle times": closed("cycle", sessions=False),
    "closed, think times": closed("think", sessions=False),
    "closed, sessions": closed("cycle", sessions=True),
    "open, even": opened(poisson=False),
    "open, Poisson": opened(poisson=True),
    "open, one operation, even": opened(poisson=False, single=True),
    "open, one operation, Poisson": opened(poisson=True, single=True),
}
