"""What a cluster is made of and what happens to it. Rates are per second, of one node."""

from __future__ import annotations

import math
from dataclasses import dataclass

MOST_SHOCKED = 150
"""Active nodes up to which shocks are modelled: each number of nodes that one may take is a transition."""

MOST_PHASES = 8

DORMANCY = {"cold": 0.0, "warm": 0.25, "hot": 1.0}
"""How often a spare crashes, as a share of an active node's rate. Cold ones are off."""


@dataclass(frozen=True)
class Shock:
    """A common cause: it comes at `rate` and crashes each active node with probability `share`.

    The binomial failure rate model: the power of a rack, a faulty release.
    """

    rate: float
    share: float


@dataclass(frozen=True)
class Cluster:
    """`active` nodes of which `needed` carry the load, and a pool of spares.

    pool: spares at the start; None: without end, as a cloud provider's.
    crash: of a node that is up. failover: of each empty slot, while a spare is left.
    repair: of a crashed node, which joins the pool (without a pool: the active nodes); None: never.
    crews: machines that are mended at once, the rest waits; None: all.
    phases: the repair is Erlang with this number of phases, more regular than exponential (its mean stays).
    dormancy: a spare's crash rate as a share of an active node's.
    load_exponent: with u nodes up each crashes (active / u) ** load_exponent times as often.
    fewest: nodes up below which the chain does not go: a crash there is left out of it.
    """

    needed: int
    active: int
    pool: int | None
    crash: float
    failover: float
    repair: float | None = None
    crews: int | None = None
    phases: int = 1
    dormancy: float = 0.0
    shock: Shock | None = None
    load_exponent: float = 0.0
    fewest: int = 0

    def __post_init__(self) -> None:
        """Raises `ValueError` when the figures make no cluster."""
        if not 1 <= self.needed <= self.active:
            raise ValueError(f"{self.active} active nodes cannot hold {self.needed} that are needed")
        if not 0 <= self.fewest < self.needed:
            raise ValueError(f"a chain of at least {self.fewest} nodes up is never short of {self.needed}")
        if self.pool is not None and self.pool < 0:
            raise ValueError("a pool cannot hold fewer than 0 spares")
        if self.crash <= 0 or self.failover <= 0 or (self.repair is not None and self.repair <= 0):
            raise ValueError("rates must be above 0")
        if not 1 <= self.phases <= MOST_PHASES or (self.crews is not None and self.crews < 1):
            raise ValueError(f"there are 1 to {MOST_PHASES} phases and at least one crew")
        if self.shock and self.active > MOST_SHOCKED:
            raise ValueError(f"shocks are modelled for up to {MOST_SHOCKED} active nodes")

    @property
    def mended(self) -> bool:
        """Whether a crashed node is ever replaced or repaired, again and again."""
        return self.pool is None or self.repair is not None

    @property
    def independent(self) -> bool:
        """Whether nodes crash and are replaced independently of each other: a formula holds then."""
        alone = self.pool is None or (self.pool == 0 and self.repair is None)
        return alone and self.shock is None and self.load_exponent == 0

    @property
    def states(self) -> int:
        """Upper bound of the number of states of its chain."""
        nodes = self.active + (self.pool or 0)
        later = (
            math.comb(nodes + self.phases - 1, self.phases - 1)
            if self.repair and self.pool is not None
            else 1
        )
        return (self.active - self.fewest + 1) * ((self.pool or 0) + 1) * later


@dataclass(frozen=True)
class Crewed:
    """Clusters in series whose broken nodes wait for the same crews: the service is up while each of them is.

    names: of the clusters, as parts of names in a text. ranks: which are mended first; nodes of a lower rank
    take crews away from those of a higher one at once, nodes of the same rank share them.
    """

    names: tuple[str, ...]
    clusters: tuple[Cluster, ...]
    crews: int
    ranks: tuple[int, ...]

    def __post_init__(self) -> None:
        """Raises `ValueError` for clusters that have crews of their own or need none."""
        if not len(self.names) == len(self.clusters) == len(self.ranks) or len(self.names) < 1:
            raise ValueError("each cluster has a name and a rank")
        if self.crews < 1:
            raise ValueError("there is at least one crew")
        if any(one.pool is None or one.repair is None or one.crews is not None for one in self.clusters):
            raise ValueError("clusters that share crews are mended, by these crews only")

    @property
    def mended(self) -> bool:
        """Always: see `Cluster.mended`."""
        return True

    @property
    def states(self) -> int:
        """As `Cluster.states`."""
        return math.prod(one.states for one in self.clusters)
