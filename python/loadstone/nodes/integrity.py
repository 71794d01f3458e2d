"""Node types and what a transient fault does to each: the shares of time correct, corrupt and down.

A fault is masked, corrupts the node silently, crashes it, or (TX) is undone by retrying a transaction.
Source: PCRAFT, table I, figure 2 and section V; fault-injection shares as printed there.
"""

from __future__ import annotations

from dataclasses import dataclass
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


@dataclass(frozen=True)
class NodeType:
    """One build of the service: its throughput against native, the shares of faults by their effect, and what
    an image of it takes (None: it runs on an operating system).
    """

    name: str
    throughput: Fraction
    corrupts: float
    crashes: float
    retries: float
    image: Image | None = None


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
