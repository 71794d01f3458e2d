"""A site whose servers came and went in a run, and what it saves beside one that keeps the most of them.

A server is paid from when it was asked for until it had ended, as `machine_h` of the run's record counts it.
The bill is of a month in which the run's load comes again and again.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING

from loadstone.cost.bill import HORIZONS, Dollars
from loadstone.cost.book import PriceBook
from loadstone.cost.plan import Bill, Case, Machines, Month, bill

if TYPE_CHECKING:
    from loadstone.stages.run_elasticity import Elasticity

_SECONDS = Decimal(3600)


def shares(elasticity: Elasticity) -> tuple[tuple[int, Decimal], ...]:
    """Servers that were paid, as (how many, for which share of the time); at most `most` of them.

    The first stands for those that were always there.
    """
    length_s = _exact(elasticity.fixed_machine_h) * _SECONDS / elasticity.most
    level, since = elasticity.servers[0].servers, Decimal(0)
    time_s: defaultdict[int, Decimal] = defaultdict(Decimal)
    for at_s, change in sorted(_changes(elasticity)):
        at = min(max(at_s, since), length_s)
        time_s[level] += at - since
        level, since = level + change, at
    time_s[level] += length_s - since
    paid = [
        sum((spent for servers, spent in time_s.items() if servers >= number), Decimal(0)) / length_s
        for number in range(1, elasticity.most + 1)
    ]
    return tuple((paid.count(share), share) for share in sorted(set(paid), reverse=True) if share)


def _changes(elasticity: Elasticity) -> list[tuple[Decimal, int]]:
    """When servers began and ceased to be paid."""
    told = elasticity.servers
    gone = [(one.at_s, one.servers - before.servers) for before, one in pairwise(told)]
    begun = [(_exact(one.asked_s), 1) for one in elasticity.started]
    return begun + [(_exact(at_s), change) for at_s, change in gone if change < 0]


def _exact(number: float) -> Decimal:
    return Decimal(repr(float(number)))


def fixed(case: Case, book: PriceBook, month: Month) -> Bill:
    """The same users on as many servers as there were at most, all the time. Errors as `bill`."""
    return bill(replace(case, machines=tuple(_kept(one) for one in case.machines)), book, month)


def _kept(machines: Machines) -> Machines:
    return replace(machines, ran=(), needed=None)


def saved(elastic: Dollars, kept: Dollars) -> Dollars:
    """Dollars a month, by horizon; below zero where one commits to servers that stay."""
    return {months: kept[months] - elastic[months] for months in HORIZONS}
