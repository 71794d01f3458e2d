"""How many servers there should be: policies, pure. Seconds and shares go in, a number comes out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from loadstone.scenario import Scaling

_TOLERANCE = 0.1
"""A utilisation this near its target changes nothing, as a share of it."""


@dataclass(frozen=True)
class Reading:
    """What a policy knows."""

    at_s: float
    """Since the run began."""
    servers: int
    """That serve."""
    since_s: float
    """Since when they are as many; the beginning of the run at first."""
    busy: float | None = None
    """Mean busy share of the servers' processors since the last reading; None while nobody has told."""


class Policy(Protocol):
    """Decides; who asks keeps to the bounds."""

    def wanted(self, reading: Reading) -> int:
        """How many servers there should be."""


@dataclass(frozen=True)
class Fixed:
    """Always as many."""

    servers: int

    def wanted(self, reading: Reading) -> int:
        """That many."""
        return self.servers


@dataclass(frozen=True)
class Schedule:
    """As many as the last step whose time has come says."""

    first: int
    steps: Sequence[tuple[float, int]]

    def wanted(self, reading: Reading) -> int:
        """By the time alone.

        >>> Schedule(1, [(10, 3), (20, 2)]).wanted(Reading(15, 1, 0))
        3
        """
        return next((count for at, count in reversed(self.steps) if at <= reading.at_s), self.first)


@dataclass(frozen=True)
class TargetUtilisation:
    """Servers in proportion to how busy they are, as Kubernetes' HorizontalPodAutoscaler has it:
    ⌈servers × busy ÷ target⌉, unless busy is within a tenth of the target. None goes before `cool_down_s`
    have passed since the last change.
    """

    target: float
    cool_down_s: float

    def wanted(self, reading: Reading) -> int:
        """By how busy the servers were.

        >>> policy = TargetUtilisation(0.5, 60)
        >>> [policy.wanted(Reading(99, 2, since_s=0, busy=busy)) for busy in (0.9, 0.52, 0.2)]
        [4, 2, 1]
        >>> policy.wanted(Reading(99, 2, since_s=50, busy=0.2))
        2
        """
        if reading.busy is None or abs(reading.busy / self.target - 1) <= _TOLERANCE:
            return reading.servers
        wanted = max(1, math.ceil(reading.servers * reading.busy / self.target - 1e-9))
        cooling = reading.at_s - reading.since_s < self.cool_down_s
        return reading.servers if wanted < reading.servers and cooling else wanted


COOL_DOWN_S = 60.0


def policy_of(scaling: Scaling) -> Policy:
    """The policy that a scenario names."""
    if scaling.policy == "schedule":
        return Schedule(scaling.first, [(step.at_s, step.servers) for step in scaling.step])
    if scaling.target is not None:
        cool_down_s = COOL_DOWN_S if scaling.cool_down_s is None else scaling.cool_down_s
        return TargetUtilisation(scaling.target, cool_down_s)
    return Fixed(scaling.first)
