"""Passive failover on-premises with repair: a Markov chain, kept to the states that matter.

A state is (missing, used): slots waiting for a spare, spares in use. A crash adds a missing slot; a failover,
while a spare is left, turns a missing slot into a used spare; a repair gives a used spare back. States with
many missing slots or many used spares are rare: the chain is cut there, into two sinks. The time spent in the
sinks bounds what was cut away, from both sides, and the cut is moved until that bound is below a billionth of
the downtime.
"""

from __future__ import annotations

import numpy as np

from loadstone.nodes.chain import MOST_STATES, Matrix, TooLarge, time_in

_SLACK = 1e-9
"""Relative width of the bounds."""


def downtime(num: int, pool: int, crash: float, failover: float, repair: float, year_s: float) -> float:
    """Expected seconds down in `year_s`, an upper bound within a billionth. Raises `TooLarge`."""
    missing, used = min(num, 3), min(pool, 4)
    while True:
        if (missing + 1) * (used + 1) + 2 > MOST_STATES:
            raise TooLarge(f"more than {MOST_STATES:,} states matter when so many nodes wait for repair")
        rates = _rates(num, pool, missing, used, crash, failover, repair)
        marked = np.zeros((len(rates), 3))
        marked[used + 1 : -2, 0] = 1.0
        marked[-2, 1] = marked[-1, 2] = 1.0
        down, beyond_missing, beyond_used = (float(t) for t in time_in(rates, marked, year_s)[0])
        if beyond_missing + beyond_used <= _SLACK * down:
            return down + beyond_missing + beyond_used
        if beyond_missing > beyond_used:
            missing = min(num, missing + max(2, missing // 2))
        else:
            used = min(pool, used + max(3, used // 2))


def _rates(
    num: int, pool: int, most_missing: int, most_used: int, crash: float, failover: float, repair: float
) -> Matrix:
    """States (missing, used) in row-major order, then the sinks "more missing" and "more used"."""
    width = most_used + 1
    states = (most_missing + 1) * width
    rates = np.zeros((states + 2, states + 2))
    for missing in range(most_missing + 1):
        for used in range(width):
            here = missing * width + used
            if missing < num:
                rates[here, here + width if missing < most_missing else states] = (num - missing) * crash
            if missing and used < pool:
                rates[here, here - width + 1 if used < most_used else states + 1] = missing * failover
            if used:
                # Every crashed node is being repaired, those not yet replaced too; the pool takes back what
                # it lent.
                rates[here, here - 1] = (missing + used) * repair
    return rates
