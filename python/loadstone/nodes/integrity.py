"""Node types and what a transient fault does to each: the shares of time correct, corrupt and down.

A fault is masked, corrupts the node silently, crashes it, or (TX) is undone by retrying a transaction.
Source: PCRAFT, table I, figure 2 and section V; fault-injection shares as printed there, or measured here by
`loadstone inject` (`loadstone.nodes.injected`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from loadstone.nodes.chain import time_in
from loadstone.nodes.image import Image

CORRUPT_REPAIR_S = 6 * 3600.0
"""Mean time until silent corruption is noticed and the node restored."""
CRASH_REPAIR_S = 15.0
"""Mean time until a crashed node is replaced."""
RETRY_S = 2.5e-6
"""Mean time of one retried transaction."""
MONTH_S = 30 * 86_400.0


PAPER = "PCRAFT, table I"


@dataclass(frozen=True)
class Spread:
    """The 95 % intervals of the shares of a node type, where they were measured: (low, high) each."""

    corrupts: tuple[float, float]
    crashes: tuple[float, float]
    retries: tuple[float, float]


@dataclass(frozen=True)
class NodeType:
    """One build of the service: its throughput against native, the shares of faults by their effect, and what
    an image of it takes (None: it runs on an operating system).

    source: where the shares are from. throughput_range: the interval of a throughput that was measured.
    """

    name: str
    throughput: Fraction
    corrupts: float
    crashes: float
    retries: float
    image: Image | None = None
    source: str = PAPER
    spread: Spread | None = None
    throughput_range: tuple[Fraction, Fraction] | None = None


NODE_TYPES = {
    kind.name: kind
    for kind in (
        NodeType("native", Fraction(1), 0.2619, 0.1249, 0.0),
        NodeType("ilr", Fraction(92, 100), 0.008, 0.75, 0.0),
        NodeType("tx", Fraction(71, 100), 0.0117, 0.0772, 0.6699),
    )
}


@dataclass(frozen=True)
class Shares:
    """Shares of a period; they sum to 1. `down` counts crashed and retrying."""

    correct: float
    corrupt: float
    down: float


def shares(node: NodeType, faults_per_s: float, period_s: float = MONTH_S) -> Shares:
    """Mean shares of `period_s` for one node that starts correct, under `faults_per_s` transient faults.

    >>> round(shares(NODE_TYPES["native"], 1 / MONTH_S).corrupt, 5)
    0.00216
    """
    rates = np.zeros((4, 4))
    rates[0, 1:] = np.array([node.corrupts, node.crashes, node.retries]) * faults_per_s
    rates[1, 0] = 1.0 / CORRUPT_REPAIR_S
    rates[2, 0] = 1.0 / CRASH_REPAIR_S
    if node.retries:
        rates[3, 0] = 1.0 / RETRY_S
    spent = time_in(rates, np.eye(4), period_s)[0] / period_s
    return Shares(correct=float(spent[0]), corrupt=float(spent[1]), down=float(spent[2] + spent[3]))


def ranges(
    node: NodeType, faults_per_s: float, period_s: float = MONTH_S
) -> dict[str, tuple[float, float]] | None:
    """The same at the ends of the measured shares: (low, high) for `correct`, `corrupt` and `down`.

    None for shares without intervals. The more of one kind of fault, the more time goes to it and the less to
    all else, so each end is one where all shares are at ends of theirs.
    """
    if node.spread is None:
        return None
    spread = node.spread

    def at(corrupts: int, others: int) -> Shares:
        given = replace(
            node, corrupts=spread.corrupts[corrupts], crashes=spread.crashes[others],
            retries=spread.retries[others],
        )  # fmt: skip
        return shares(given, faults_per_s, period_s)

    return {
        "correct": (at(1, 1).correct, at(0, 0).correct),
        "corrupt": (at(0, 1).corrupt, at(1, 0).corrupt),
        "down": (at(1, 0).down, at(0, 1).down),
    }
