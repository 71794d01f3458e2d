"""How long a deployment is down in a year: by a formula where one holds, else by its chain."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache

from scipy.special import gammainc

from loadstone.availability import chain, closed, spent
from loadstone.availability.chain import Model
from loadstone.availability.cluster import Cluster
from loadstone.availability.criterion import LONG_RUN, Criterion, judged

_watcher: ContextVar[Callable[[Model], None] | None] = ContextVar("watcher", default=None)


@contextmanager
def watched(watcher: Callable[[Model], None]) -> Iterator[None]:
    """Tells `watcher` of every model before it is evaluated, in this thread."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


@lru_cache(maxsize=65_536)
def down_s(model: Model, year_s: float, criterion: Criterion = LONG_RUN) -> float:
    """Seconds of a year with fewer than `needed` nodes up: by a formula, or the upper bound of the chain.

    >>> round(down_s(Cluster(1, 1, None, crash=1e-7, failover=1 / 15), 1e7), 4)
    15.0
    """
    if watcher := _watcher.get():
        watcher(model)
    criterion = judged(model.mended, criterion)
    if isinstance(model, Cluster):
        found = _by_formula(model, year_s, criterion)
        if found is not None:
            return found
    if criterion == LONG_RUN:
        return chain.share_down(model) * year_s
    return chain.down_bounds(model, year_s).high


def _by_formula(cluster: Cluster, year_s: float, criterion: Criterion) -> float | None:
    """None where none holds: `tests/theory/test_availability.py` holds each to the chain."""
    if cluster.shock or cluster.load_exponent or cluster.fewest:
        return None
    needed, extra, crash = cluster.needed, cluster.active - cluster.needed, cluster.crash
    if (mend := _mended_alone(cluster)) is not None:
        if criterion == LONG_RUN:
            return closed.ara_cloud_settled(needed, extra, crash, mend) * year_s
        # A repair in phases has the same long run, not the same first year.
        return closed.ara_cloud(needed, extra, crash, mend, year_s) if cluster.phases == 1 else None
    if cluster.repair is not None or (extra and cluster.pool) or cluster.dormancy:
        return None
    if not cluster.pool:
        return closed.ara_on_premises(needed, extra, crash, year_s)
    return spent.downtime(needed, cluster.pool, crash, cluster.failover, year_s)


def _mended_alone(cluster: Cluster) -> float | None:
    """Rate at which each crashed node comes back whatever the others do; None when it does not."""
    if cluster.pool is None:
        return cluster.failover
    plenty = cluster.crews is None or cluster.crews >= cluster.active
    return cluster.repair if cluster.pool == 0 and plenty else None


def spares_guess(cluster: Cluster, allowed_s: float, year_s: float) -> int:
    """About how large a pool has to be, to begin a search at: as if each failover took no time.

    Without repair crashes are a Poisson process and the pool's last spare is used at some time; with repair
    the number of broken nodes is Poisson.
    """
    crashes = cluster.active * cluster.crash
    waiting = closed.ara_cloud_settled(
        cluster.needed, cluster.active - cluster.needed, cluster.crash, cluster.failover
    )
    left_s = allowed_s - waiting * year_s
    if left_s <= 0:
        return 0
    low, high = 0, 1
    while _spares_lack_s(high, crashes, cluster.repair, year_s) > left_s:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        lacks = _spares_lack_s(middle, crashes, cluster.repair, year_s) > left_s
        low, high = (middle, high) if lacks else (low, middle)
    return high


def _spares_lack_s(pool: int, crashes: float, repair: float | None, year_s: float) -> float:
    if repair is not None:
        return float(gammainc(pool + 1, crashes / repair)) * year_s
    mean = crashes * year_s
    return max(
        0.0, year_s * float(gammainc(pool + 1, mean)) - (pool + 1) / crashes * float(gammainc(pool + 2, mean))
    )


def mends_sooner(cluster: Cluster) -> bool:
    """Whether a mended node is back before a spare would be up: then a pool makes nothing better."""
    return cluster.repair is not None and cluster.repair >= cluster.failover
