"""`probe.json` of format 1, whose rates and boxes had no whole unit in their names."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from loadstone.stages.base import Json

_RATES = ("mbit", "steady_mbit", "offered_mbit", "alone_mbit", "fastest_alone_mbit", "at_once_mbit")
_NAMES = {
    **{name: f"{name}_per_s" for name in (*_RATES, "tcp_steady_mbit", "udp_mbit")},
    "mbit_by_round": "mbit_per_s_by_round",
    "box": "box_ms",
}
_PLACES = [
    *([whole, "*", key, "*"] for whole in ("groups", "pairs") for key in ("bandwidth", "udp", "udp_beneath")),
    ["together", "*"],
    ["sentences", "*", "evidence"],
    ["sentences", "*", "evidence", "udp_beneath_to"],
    ["sentences", "*", "evidence", "udp_beneath_back"],
    *(["pictures", picture, "groups", "*", "*"] for picture in ("round_trips", "load")),
]
"""Where such names are fields; elsewhere a host or a group may bear one."""


def from_format_1(old: Json) -> Json:
    """The same figures under the names of format 2."""
    content = copy.deepcopy(old)
    for place in _PLACES:
        for part in _reached(content, place):
            renamed = {_NAMES.get(name, name): value for name, value in part.items()}
            part.clear()
            part.update(renamed)
    return content


def _reached(part: Any, place: list[str]) -> Iterator[Json]:
    """The objects there; `*` is each of a list or of an object."""
    if not place:
        if isinstance(part, dict):
            yield part
        return
    key, *rest = place
    if key == "*":
        inner = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    else:
        inner = [part[key]] if isinstance(part, dict) and key in part else ()
    for one in list(inner):
        yield from _reached(one, rest)
