"""Formulas for nodes that crash, and are replaced or not, independently of each other.

`num` nodes are needed for performance; each node that is up crashes at `crash` per second; the service is
down while fewer than `num` are up; every node is up at the start. Results are expected seconds down during
`year_s`, or the share of time down in the long run, computed as such (never as 1 - availability), so that
many nines keep their digits. Source: PCRAFT, section IV and figure 1; derived in
docs/background/availability.md.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import betainc

from loadstone.availability.quadrature import octaves


def ara_on_premises(num: int, extra: int, crash: float, year_s: float) -> float:
    """Active route anywhere, nobody replaces a crashed node: a pure death chain from `num + extra` nodes.

    The flow out of "m nodes up" is m·crash, and it is crossed exactly when the year ends with fewer than m
    up. Hence the expected time with m up is P[fewer than m up at the end] / (m·crash): a sum of incomplete
    beta functions, no integral.
    """
    nodes = num + extra
    gone = -np.expm1(-crash * year_s)
    up = np.arange(1, num, dtype=np.float64)
    some_up = float(np.sum(betainc(nodes - up + 1.0, up, gone) / up)) / crash
    return some_up + _time_with_none(nodes, crash, year_s)


def _time_with_none(nodes: int, crash: float, year_s: float) -> float:
    """Expected seconds with every node crashed: the integral of (1 - exp(-crash·t)) ** nodes."""
    # Past 45 crash times the slowest of all the nodes is gone, to more digits than a double has.
    rising = min(year_s, (45.0 + math.log(nodes)) / crash)
    down = year_s - rising
    for times, weights in octaves(1.0 / (crash * nodes), rising, order=48):
        down += float(weights @ (-np.expm1(-crash * times)) ** nodes)
    return down


def ara_cloud(num: int, extra: int, crash: float, failover: float, year_s: float) -> float:
    """Active route anywhere in the cloud: each crashed node is replaced at `failover` per second.

    Nodes are independent, so the number down at t is binomial with q(t) = crash/(crash+failover)·(1 -
    exp(-(crash+failover)t)), and P[more than `extra` down] is an incomplete beta function of q. It is
    integrated until q has settled; the rest of the year is stationary.
    """
    both = crash + failover
    settled = min(year_s, 45.0 / both)
    down = 0.0
    for times, weights in octaves(1.0 / (both * 1024.0), settled, order=24):
        q = crash / both * -np.expm1(-both * times)
        down += float(weights @ betainc(extra + 1.0, num, q))
    return down + (year_s - settled) * float(betainc(extra + 1.0, num, crash / both))


def ara_cloud_settled(num: int, extra: int, crash: float, failover: float) -> float:
    """The same in the long run, as a share of time.

    >>> f"{ara_cloud_settled(1, 0, 1.0, 3.0):.3f}"
    '0.250'
    """
    return float(betainc(extra + 1.0, num, crash / (crash + failover)))


def pf_cloud(num: int, crash: float, failover: float, year_s: float) -> float:
    """Passive failover in the cloud: a pool without end, so active route anywhere without an extra node."""
    return ara_cloud(num, 0, crash, failover, year_s)
