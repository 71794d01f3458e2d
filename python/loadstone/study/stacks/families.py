"""Configurations that differ in one thing: in the number of their servers, or in what they cache. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from loadstone.study.finding import finding
from loadstone.study.stacks.words import limit, per_month, users

Json = dict[str, Any]

_OF_ALL = ("role", "database", "trial", "link_mbit")
"""What configurations have in common that are compared with each other."""


def compared(every: Sequence[Json]) -> list[Json]:
    """Those that are told and drawn beside each other: trials only where there is nothing else, and a narrow
    link, which is no stack's own, only by itself.
    """
    stacks = [one for one in every if not one["link_mbit"]]
    return [one for one in stacks if not one["trial"]] or stacks or list(every)


def grown(every: Sequence[Json]) -> list[list[Json]]:
    """Each stack that was measured on several numbers of servers, the fewest first."""
    found = _alike(every, (*_OF_ALL, "machine", "quota_factor", "cache", "store"), lambda one: one["servers"])
    return [sorted(family, key=lambda one: int(one["servers"])) for family in found]


def cached(every: Sequence[Json]) -> list[list[Json]]:
    """Each stack that was measured with several caches, or with and without."""
    return _alike(every, (*_OF_ALL, "machine", "quota_factor", "servers", "balancer"), kept)


def on_machines(every: Sequence[Json]) -> list[list[Json]]:
    """Each stack that was measured on both machines of one price: with more processor, and with less."""
    found = _alike(every, (*_OF_ALL, "cache", "store", "servers", "balancer"), lambda one: one["machine"])
    return [sorted(family, key=lambda one: str(one["machine"])) for family in found]


def _alike(every: Sequence[Json], alike: Sequence[str], differ: Callable[[Json], Any]) -> list[list[Json]]:
    """Configurations that have this in common and differ in that, in the study's order."""
    found: dict[tuple[str, ...], list[Json]] = {}
    for one in every:
        found.setdefault(tuple(str(one[name]) for name in alike), []).append(one)
    return [family for family in found.values() if len(set(map(differ, family))) > 1]


def growth(every: Sequence[Json]) -> Json | None:
    """The same stack on more and more servers, until its database is at its limit."""
    families = grown(every)

    def told(one: Json) -> str:
        return f"{one['servers']} {users(one.get('SLA-1'))}, {limit(one)}"

    text = (
        "Users at SLA-1 by the number of application servers, and the limit that the record names where it "
        f"broke: {_each(families, lambda first: str(first['label']), told)}. The paper: the database is "
        "saturated by two to three servers of Rails, by one of PHP."
    )
    ended = all(limit(family[-1]).endswith("of the database") for family in families)
    return _of(families, "growth", text, ended)


def caches(every: Sequence[Json]) -> Json | None:
    """What a cache changes."""
    families = cached(every)

    def told(one: Json) -> str:
        return f"{kept(one)} {users(one.get('SLA-1'))}"

    each = _each(families, lambda first: f"{first['role']} on {first['database']}", told)
    return _of(families, "caches", f"Users at SLA-1 by what is cached: {each}.", _decided(families))


def machines(every: Sequence[Json], cpus: Json) -> Json | None:
    """Processor against memory, for the same price. Dollars are those of whole machines: where the quotas of
    one of two are larger than those of the other, only dollars compare.
    """
    families = on_machines(every)

    def told(one: Json) -> str:
        held = one.get("SLA-1")
        quota = cpus[one["machine"]] * one["quota_factor"]
        return f"{quota:g} of a core {users(held)}, {per_month(held, 'then')} each, {limit(one)}"

    each = _each(
        families, lambda first: f"{first['role']} on {first['database']}, {kept(first)} cached", told
    )
    text = (
        "Users at SLA-1, dollars a month each on whole machines at the paper's prices, and the limit that "
        "the record names, on a machine with more processor and on one with more memory that cost as much: "
        f"{each}. The paper: twice as many with more processor."
    )
    return _of(families, "machines", text, _decided(families))


def _decided(families: Sequence[Sequence[Json]]) -> bool:
    """Whether each search has found its number at SLA-1."""
    return all(one.get("SLA-1") and one["SLA-1"]["decided"] for family in families for one in family)


def _each(
    families: Sequence[Sequence[Json]], name: Callable[[Json], str], told: Callable[[Json], str]
) -> str:
    """Each family in words, under the name of its first configuration."""
    return "; ".join(f"{name(family[0])}: {', '.join(map(told, family))}" for family in families)


def _of(families: Sequence[Sequence[Json]], key: str, text: str, shown: bool) -> Json | None:
    """The finding of families; None without any."""
    rows = sum(map(len, families))
    return finding(key, text, "shown" if shown else "undecided", rows=rows) if rows else None


def kept(one: Json) -> str:
    """What a configuration caches, and where."""
    return f"{one['cache']} in {one['store']}" if one["store"] else str(one["cache"])
