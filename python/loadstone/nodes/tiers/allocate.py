"""How many spares each tier gets: the cheapest allocation that keeps the whole service at its target.

Spares of one tier cannot stand in for another's, so equal nines for every tier would waste nodes: a tier
whose next spare buys many nines should buy them for the others. The search is exact. It looks at every
allocation that could be cheaper than one known to do, which are few: the known one comes from always buying
the most downtime for the money, and each tier has a least number below which no spares elsewhere help.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from loadstone.availability.search import smallest
from loadstone.availability.series import down_in_series


@dataclass(frozen=True)
class Spares:
    """One tier to the search: `down(extra)` is its share of time down, which no spare ever makes longer."""

    down: Callable[[int], float]
    least: float
    """What `down` stays above (or at) however many spares there are."""
    most: int
    """Spares tried."""
    price: Fraction = Fraction(1)
    """Of one spare: dollars, or 1 to count nodes."""
    guess: int = 0
    """About how many it takes: where the search begins."""


Extras = tuple[int, ...]
_Rank = tuple[Fraction, int, float, Extras]


def allocate(tiers: Sequence[Spares], allowed: float) -> Extras | None:
    """Spares of each tier with which the service is down at most `allowed` of the time; None: out of reach.

    The lowest price; among equals the fewest spares, then the least downtime, then the fewer spares in the
    tiers that come first.

    >>> each = Spares(lambda extra: 0.01 ** (extra + 1), 0.0, 9)
    >>> allocate([each, each], 0.011)
    (0, 1)
    """
    lowest = [_fewest(tiers, i, allowed) for i in range(len(tiers))]
    found = [extra for extra in lowest if extra is not None]
    if len(found) < len(tiers):
        return None
    known = _greedy(tiers, found, allowed)
    return _search(tiers, found, known, allowed) if known else None


def _fewest(tiers: Sequence[Spares], i: int, allowed: float) -> int | None:
    """Spares without which tier `i` keeps the service from its target, whatever the others have."""
    others = [tier.least for tier in (*tiers[:i], *tiers[i + 1 :])]
    if down_in_series([tiers[i].least, *others]) > allowed:
        return None
    return smallest(
        lambda extra: down_in_series([tiers[i].down(extra), *others]) <= allowed,
        tiers[i].most,
        tiers[i].guess,
    )


def _greedy(tiers: Sequence[Spares], lowest: Sequence[int], allowed: float) -> Extras | None:
    """An allocation that does: from the least numbers up, always the most downtime for the money."""
    extras = list(lowest)

    def gain(i: int) -> tuple[bool, Fraction]:
        saved = tiers[i].down(extras[i]) - tiers[i].down(extras[i] + 1)
        return (not tiers[i].price and saved > 0, Fraction(saved) / (tiers[i].price or 1))

    while down_in_series(tier.down(extra) for tier, extra in zip(tiers, extras, strict=True)) > allowed:
        open_ = [i for i, tier in enumerate(tiers) if extras[i] < tier.most and gain(i)[1] > 0]
        if not open_:
            return None
        extras[max(open_, key=gain)] += 1
    return tuple(extras)


def _search(tiers: Sequence[Spares], lowest: Sequence[int], known: Extras, allowed: float) -> Extras:
    """The best of all allocations of at least `lowest` that rank no worse than `known`."""
    best = _rank(tiers, known)
    rest = [_price(tiers[i:], lowest[i:]) for i in range(len(tiers) + 1)]

    def descend(extras: Extras, down: list[float]) -> None:
        """Every way to go on after the first tiers' `extras`."""
        nonlocal best
        i = len(extras)
        if i == len(tiers):
            best = min(best, _rank(tiers, extras))
            return
        least = [tier.least for tier in tiers[i + 1 :]]
        spent, count = _price(tiers, extras)
        extra = lowest[i]
        while extra <= tiers[i].most:
            price = spent + extra * tiers[i].price + rest[i + 1][0]
            if (price, count + extra + rest[i + 1][1]) > best[:2]:
                return
            here = [*down, tiers[i].down(extra)]
            if down_in_series([*here, *least]) <= allowed:
                descend((*extras, extra), here)
                if not least:
                    return  # more spares of the last tier only cost more
            extra += 1

    descend((), [])
    return best[3]


def _rank(tiers: Sequence[Spares], extras: Extras) -> _Rank:
    down = down_in_series(tier.down(extra) for tier, extra in zip(tiers, extras, strict=True))
    return (*_price(tiers, extras), down, extras)


def _price(tiers: Sequence[Spares], extras: Sequence[int]) -> tuple[Fraction, int]:
    """Of the first tiers, as many as there are `extras`."""
    paid = sum((tier.price * extra for tier, extra in zip(tiers, extras, strict=False)), Fraction(0))
    return paid, sum(extras)
