"""The cases of the study."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from loadstone.study.appliance.description import GUESTS, PARTS, Amounts, Served, Stored
from loadstone.study.schedule import Case, StudyPart

_SECONDS = {
    "size": 40.0,
    "boot": 2.5,
    "memory": 45.0,
    "idle": 10.0,
    "alloc": 5.0,
    "counted": 20.0,
    "http": 7.0,
    "bulk": 9.0,
    "sql": 7.0,
}
"""About how long one measurement takes, by experience on two emulating cores."""


def parts(amounts: Amounts, only: Sequence[str] | None) -> list[StudyPart]:
    """What to measure, in order; `only` names parts."""
    found = {
        "size": ([{"app": app} for app in amounts.images], 1),
        "boot": _served(amounts.boot),
        "memory": _served(amounts.memory),
        "idle": _served(amounts.idle),
        "sql": _stored(amounts.sql),
        "bulk": _stored(amounts.bulk),
        **_counted(amounts),
        "http": _asked(amounts),
    }
    return [
        StudyPart(name, *found[name], _SECONDS[name])
        for name in PARTS
        if found[name][0] and (only is None or name in only)
    ]


Cases = tuple[Sequence[Case], int]
"""Cases and repetitions."""


def _served(served: Served | None) -> Cases:
    if served is None:
        return [], 0
    rows = product(served.apps, served.boards, GUESTS)
    return [{"app": app, "board": board, "guest": guest} for app, board, guest in rows], served.repetitions


def _stored(stored: Stored | None) -> Cases:
    if stored is None:
        return [], 0
    rows = product(stored.storages, stored.caches, stored.records)
    cases = [{"storage": storage, "cache": cache, "record": record} for storage, cache, record in rows]
    return cases, stored.repetitions


def _counted(amounts: Amounts) -> dict[str, Cases]:
    counted = amounts.counted
    if counted is None:
        return {"alloc": ([], 0), "counted": ([], 0)}
    sizes = [{"size": size, "guest": guest} for size, guest in product(counted.sizes, GUESTS)]
    return {
        "alloc": (sizes, counted.repetitions),
        "counted": ([{"guest": guest} for guest in GUESTS], counted.repetitions),
    }


def _asked(amounts: Amounts) -> Cases:
    asked = amounts.http
    if asked is None:
        return [], 0
    rows = product(asked.pages, asked.connections, GUESTS)
    cases = [{"page": page, "connections": users, "guest": guest} for page, users, guest in rows]
    return cases, asked.repetitions
