"""One tier built in one way: nodes and spares, their chain, their bill."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from loadstone.availability.cluster import MOST_SHOCKED, Cluster, Shock
from loadstone.availability.down import down_s
from loadstone.cost.bill import Line, total
from loadstone.cost.plan import Machines, machine_lines
from loadstone.nodes.integrity import ranges, shares
from loadstone.plan.inputs import Inputs, Tier, Way

DECIDED_OVER = 12
"""Months of operation over which the cheapest is the cheapest."""


HAIR = 1e-9
"""Of a node, that rounding must not cost: 10 / 1 is 10."""


@dataclass(frozen=True)
class Values:
    """The inputs of one evaluation, as numbers: what uncertainty and what-ifs vary."""

    users: float
    per_node: tuple[float, ...]
    """Users that a native node of each tier holds."""
    crash_z: tuple[float, ...]
    """Of the crash rate of each tier's ways: see `Estimate.at`."""
    failover_factor: float = 1.0
    repair_factor: float = 1.0
    """Against the mean times."""


def base(inputs: Inputs) -> Values:
    """The stated values."""
    tiers = inputs.tiers
    return Values(inputs.users.value, tuple(tier.per_node.value for tier in tiers), (0.0,) * len(tiers))


@dataclass(frozen=True)
class Part:
    """A number of nodes of one way of the tier `at`. `pool` is None where the provider's is endless."""

    at: int
    way: Way
    needed: int
    active: int
    pool: int | None

    @property
    def nodes(self) -> int:
        """All that are paid for."""
        return self.active + (self.pool or 0)

    @property
    def images(self) -> int | None:
        """Images that run on them; None when they are not appliances."""
        image, machine = self.way.node.image, self.way.machine
        if image is None or machine is None:
            return None
        return self.nodes * image.on(machine.row.sku, machine.row.vcpu, machine.row.memory_gib)

    @property
    def usd_per_month(self) -> float:
        """Dollars a month over `DECIDED_OVER` months; nodes where those are counted. Raises `cost-input`."""
        return dollars(self.way, self.active, self.pool)


def cluster_of(inputs: Inputs, values: Values, part: Part) -> Cluster:
    """The chain of a part, with all crews to itself."""
    way = part.way
    mends = way.repair_s is not None and (part.pool or (part.pool == 0 and way.without_spares == "returns"))
    return Cluster(
        needed=part.needed,
        active=part.active,
        pool=part.pool,
        crash=crash_rate(way, values, part.at),
        failover=1 / (float(way.failover_s) * values.failover_factor),
        repair=1 / (float(way.repair_s) * values.repair_factor) if mends and way.repair_s else None,
        crews=inputs.crews,
        phases=inputs.phases if mends else 1,
        dormancy=way.dormancy,
        shock=Shock(*inputs.shock) if inputs.shock else None,
        load_exponent=inputs.load_exponent,
    )


def crash_rate(way: Way, values: Values, at: int) -> float:
    """Crashes a second of one node of the tier `at`."""
    return way.crash.at(values.crash_z[at])


def alone_s(inputs: Inputs, values: Values, part: Part) -> float:
    """Seconds of a year that the tier is short of nodes when no other one takes its crews."""
    return down_s(cluster_of(inputs, values, part), inputs.year_s, inputs.criterion)


def needed_nodes(inputs: Inputs, values: Values, at: int, way: Way) -> int | None:
    """Num: the fewest nodes that hold the users, by the measured curve where there is one. None: no number
    does, for a second node of this tier carries no more.
    """
    tier, users, per_node = inputs.tiers[at], values.users, values.per_node[at]
    alone = users / (per_node * float(way.node.throughput)) - HAIR
    if not tier.scales:
        return 1 if alone <= 1 else None
    if len(tier.curve) == 1:
        return max(1, math.ceil(alone))
    enough = users * (1 - 1e-12)
    measured = math.floor(tier.curve[-1][0])
    for count in range(1, measured + 1):
        if holds(tier, way, per_node, count) >= enough:
            return count
    # Beyond the last measured point each node brings that point's mean.
    return max(measured + 1, math.ceil(enough / (holds(tier, way, per_node, 10**6) / 10**6)))


def holds(tier: Tier, way: Way, per_node: float, nodes: int) -> float:
    """Users that a number of nodes of this way hold, when a native one holds `per_node`."""
    factor = float(way.node.throughput) * per_node / tier.per_node.value
    return held(nodes if tier.scales else min(nodes, 1), tier.curve) * factor


def held(nodes: int, curve: tuple[tuple[float, float], ...]) -> float:
    """Users that a number of native nodes hold.

    Linear between measured points; beyond the last one, each node holds the mean of that point, which a
    service that scales worse does not reach.

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


def refused(inputs: Inputs, values: Values, at: int, way: Way) -> str:
    """Why no number of nodes of this way will do; empty when that is not known beforehand."""
    if why := _corrupt(inputs, way):
        return why
    needed = needed_nodes(inputs, values, at, way)
    if needed is None:
        tier = inputs.tiers[at]
        return tier.said(
            f"one node carries {holds(tier, way, values.per_node[at], 1):,.6g} users and a second adds no "
            f"throughput; for {values.users:,.6g} take a faster machine, or split its data, which is not "
            "planned here"
        )
    if inputs.shock and needed > MOST_SHOCKED:
        return f"it needs {needed:,} nodes; common causes are modelled for up to {MOST_SHOCKED}"
    return ""


def _corrupt(inputs: Inputs, way: Way) -> str:
    if inputs.corrupt is None or inputs.faults is None:
        return ""
    found = shares(way.node, inputs.faults).corrupt
    if found <= float(inputs.corrupt):
        return ""
    ends = ranges(way.node, inputs.faults)
    over = f" ({100 * ends['corrupt'][0]:.3g}–{100 * ends['corrupt'][1]:.3g})" if ends else ""
    return (
        f"its nodes are corrupt {100 * found:.3g} %{over} of the time, more than "
        f"{100 * float(inputs.corrupt):g} % ({way.node.source})"
    )


def work(inputs: Inputs, values: Values, part: Part) -> float:
    """Crews that mending the nodes of a part keeps busy on average, at least."""
    way = part.way
    if inputs.crews is None or way.endless or way.repair_s is None:
        return 0.0
    return part.needed * crash_rate(way, values, part.at) * float(way.repair_s) * values.repair_factor


def overworked(inputs: Inputs, busy: float) -> str:
    """Why the crews can never keep up; empty when they can. Then another node would hurt."""
    if inputs.crews is None or busy < inputs.crews:
        return ""
    return f"{inputs.crews} crews would have to mend {busy:.3g} nodes at once, always"


def machines(way: Way, active: int, pool: int | None, tier: str = "") -> Machines:
    """What runs so many nodes, as a bill takes it: cold spares draw no power."""
    assert way.machine
    spares = pool or 0
    return Machines(way.machine.row, active + spares, active + (spares if way.dormancy else 0), tier)


def lines(way: Way, active: int, pool: int | None) -> list[Line]:
    """The bill of the machines; empty where nodes are counted. Raises `cost-input`."""
    if way.machine is None:
        return []
    return machine_lines(machines(way, active, pool), way.machine.power, way.machine.hours)


@lru_cache(maxsize=16_384)
def dollars(way: Way, active: int, pool: int | None) -> float:
    """Dollars a month over `DECIDED_OVER` months; nodes where those are counted. Raises `cost-input`."""
    if way.machine is None:
        return float(active + (pool or 0))
    return float(total(lines(way, active, pool), with_transfer=False)[DECIDED_OVER])
