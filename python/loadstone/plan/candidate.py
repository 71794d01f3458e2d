"""One way to build the service: nodes and spares, what they cost, how long they are down."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal

from loadstone.cost.bill import Line, owned, rented, total
from loadstone.nodes.cluster.answers import down_s
from loadstone.nodes.cluster.terms import Cluster, Shock
from loadstone.nodes.integrity import shares
from loadstone.nodes.search import smallest
from loadstone.plan.read import Inputs, Way

DECIDED_OVER = 12
"""Months of operation over which the cheapest is the cheapest."""

HOURS_PER_MONTH = Decimal(720)
MOST_EXTRA = 400
MOST_POOL = 120
MOST_MIXED = 8
"""Extra active nodes tried beside a pool: beyond a few, a spare does the same for less."""


@dataclass(frozen=True)
class Values:
    """The inputs of one evaluation, as numbers: what uncertainty and what-ifs vary."""

    users: float
    per_node: float
    crash_z: float = 0.0
    """Of each way's crash rate: see `Estimate.at`."""
    crash_factor: float = 1.0
    failover_factor: float = 1.0
    repair_factor: float = 1.0
    """Against the mean times."""


@dataclass(frozen=True)
class Candidate:
    """So many nodes of one way. `pool` is None where the provider's has no end."""

    way: Way
    needed: int
    active: int
    pool: int | None
    down_s: float
    usd_per_month: float

    @property
    def nodes(self) -> int:
        """All that are paid for."""
        return self.active + (self.pool or 0)


@dataclass(frozen=True)
class Refused:
    """Why a way cannot meet the targets."""

    way: Way
    why: str


@dataclass(frozen=True)
class Outcome:
    """The choice (None: nothing meets the targets), the best of each way, and the ways that cannot."""

    chosen: Candidate | None
    met: list[Candidate]
    refused: list[Refused]


def base(inputs: Inputs) -> Values:
    """The stated values."""
    return Values(inputs.users.value, inputs.per_node.value)


def cheapest(inputs: Inputs, values: Values) -> Outcome:
    """The cheapest of all ways that meet the targets, and the best of each."""
    found = [best_of(inputs, way, values) for way in inputs.ways]
    met = [one for one in found if isinstance(one, Candidate)]
    chosen = min(met, key=_rank, default=None)
    return Outcome(chosen, met, [one for one in found if isinstance(one, Refused)])


def cheapest_only(inputs: Inputs, values: Values) -> Candidate | None:
    """The choice of `cheapest`, without the best of the ways that cannot be it."""
    chosen: Candidate | None = None
    for way in inputs.ways:
        found = best_of(inputs, way, values, chosen.usd_per_month if chosen else math.inf)
        if isinstance(found, Candidate) and (chosen is None or _rank(found) < _rank(chosen)):
            chosen = found
    return chosen


def _rank(one: Candidate) -> tuple[float, int]:
    return (one.usd_per_month, one.nodes)


def best_of(inputs: Inputs, way: Way, values: Values, most_usd: float = math.inf) -> Candidate | Refused:
    """The cheapest of one way that meets the targets for at most `most_usd` a month. Assumes that another
    node never hurts.
    """
    if why := corrupt_why(inputs, way):
        return Refused(way, why)
    needed = needed_nodes(values.users, values.per_node, way, inputs)
    if why := overworked(inputs, way, values, needed):
        return Refused(way, why)
    best: Candidate | None = None
    for extra, most_pool in _shapes(way):
        # Before a spare is bought this much is spent already: no need to solve what cannot be the cheapest.
        if dollars(way, needed + (extra or 0), 0) > min(most_usd, best.usd_per_month if best else math.inf):
            break
        one = _smallest(inputs, way, values, needed, extra, most_pool)
        if one and (best is None or _rank(one) < _rank(best)):
            best = one
    return best or Refused(way, "no number of extra nodes or spares within reach meets the target")


def _shapes(way: Way) -> list[tuple[int | None, int | None]]:
    """(extra, most spares): None is what the search varies; a pool of None has no end."""
    if way.endless:
        return [(None, None)]
    if way.deployment == "active":
        return [(None, 0)]
    if way.deployment == "passive":
        return [(0, MOST_POOL)]
    return [(extra, MOST_POOL) for extra in range(MOST_MIXED + 1)]


def _smallest(
    inputs: Inputs, way: Way, values: Values, needed: int, extra: int | None, most_pool: int | None
) -> Candidate | None:
    def built(count: int) -> Candidate:
        if extra is None:
            return candidate(inputs, way, values, needed, needed + count, most_pool)
        return candidate(inputs, way, values, needed, needed + extra, count)

    most = MOST_EXTRA if extra is None else most_pool or 0
    count = smallest(lambda n: built(n).down_s <= inputs.allowed_s, most)
    return None if count is None else built(count)


def candidate(
    inputs: Inputs, way: Way, values: Values, needed: int, active: int, pool: int | None
) -> Candidate:
    """So many nodes, priced and solved. Errors as the solver's."""
    cluster = cluster_of(inputs, way, values, needed, active, pool)
    return Candidate(way, needed, active, pool, down_s(cluster, inputs.year_s), dollars(way, active, pool))


def cluster_of(
    inputs: Inputs, way: Way, values: Values, needed: int, active: int, pool: int | None
) -> Cluster:
    """The chain of a candidate."""
    mends = way.repair_s is not None and pool is not None
    return Cluster(
        needed=needed,
        active=active,
        pool=pool,
        crash=crash_rate(way, values),
        failover=1 / (float(way.failover_s) * values.failover_factor),
        repair=1 / (float(way.repair_s) * values.repair_factor) if mends and way.repair_s else None,
        crews=inputs.crews,
        phases=inputs.phases if mends else 1,
        dormancy=way.dormancy,
        shock=Shock(*inputs.shock) if inputs.shock else None,
        load_exponent=inputs.load_exponent,
    )


def crash_rate(way: Way, values: Values) -> float:
    """Crashes a second of one node."""
    return way.crash.at(values.crash_z) * values.crash_factor


def needed_nodes(users: float, per_node: float, way: Way, inputs: Inputs) -> int:
    """Num: the fewest nodes that hold the users, by the measured curve where there is one."""
    factor = float(way.node.throughput) * per_node / inputs.per_node.value
    if len(inputs.curve) == 1:
        # A hair of rounding must not cost a node: 10 / 1 is 10.
        return max(1, math.ceil(users / (per_node * float(way.node.throughput)) - 1e-9))
    count = 1
    while held(count, inputs.curve) * factor < users * (1 - 1e-12):
        count += 1
    return count


def held(nodes: int, curve: tuple[tuple[float, float], ...]) -> float:
    """Users that so many native nodes hold: linear between measured points, and beyond the last by the mean
    of that point for each node, which a service that scales worse than that does not reach.

    >>> held(3, ((1, 100.0), (2, 190.0), (4, 360.0))), held(8, ((1, 100.0), (4, 360.0)))
    (275.0, 720.0)
    """
    if nodes <= 0:
        return 0.0
    before = (0.0, 0.0)
    for point in curve:
        if nodes <= point[0]:
            share = (nodes - before[0]) / (point[0] - before[0])
            return before[1] + share * (point[1] - before[1])
        before = point
    return before[1] / before[0] * nodes


def corrupt_why(inputs: Inputs, way: Way) -> str:
    """Why the node type is corrupt for too long; empty when it is not."""
    if inputs.corrupt is None or inputs.faults is None:
        return ""
    found = shares(way.node, inputs.faults).corrupt
    if found <= float(inputs.corrupt):
        return ""
    return (
        f"its nodes are corrupt {100 * found:.3g} % of the time, more than {100 * float(inputs.corrupt):g} %"
    )


def overworked(inputs: Inputs, way: Way, values: Values, needed: int) -> str:
    """Why the crews can never keep up; empty when they can. Then another node would hurt."""
    if inputs.crews is None or way.endless or way.repair_s is None:
        return ""
    work = needed * crash_rate(way, values) * float(way.repair_s) * values.repair_factor
    if work < inputs.crews:
        return ""
    return f"{inputs.crews} crews would have to mend {work:.3g} nodes at once, always"


def lines(way: Way, active: int, pool: int | None) -> list[Line]:
    """The bill of the machines. Cold spares draw no power."""
    count = active + (pool or 0)
    if way.row.kind == "instance":
        return [rented(way.row, count, HOURS_PER_MONTH)]
    powered = active + (0 if way.dormancy == 0 else pool or 0)
    return owned(way.row, count, powered, HOURS_PER_MONTH, way.power)


def dollars(way: Way, active: int, pool: int | None) -> float:
    """Dollars a month over `DECIDED_OVER` months. Raises `cost-input`."""
    return float(total(lines(way, active, pool), with_transfer=False)[DECIDED_OVER])
