"""Where two workloads differ: what runs have to have in common before they say something together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_MOST = 4
"""Differences that a message lists."""
_LIST = (list, tuple)
_MAY_DIFFER = {"seed", "target", "slice", "name"}
"""The seed makes runs independent; where the service is, and how its load is shared out, is no load."""


def workload(plan: Mapping[str, Any]) -> dict[str, Any]:
    """What of a plan is the load itself."""
    return {name: part for name, part in plan.items() if name not in _MAY_DIFFER}


def apart(one: Any, other: Any, path: str = "") -> Iterator[tuple[str, str, str]]:
    """Where two pieces of JSON differ, and both as they are shown; a tuple is a list."""
    if isinstance(one, dict) and isinstance(other, dict):
        for name in dict.fromkeys([*one, *other]):
            yield from apart(one.get(name), other.get(name), f"{path}.{name}" if path else name)
    elif isinstance(one, _LIST) and isinstance(other, _LIST) and len(one) == len(other):
        for index, (left, right) in enumerate(zip(one, other, strict=True)):
            named = left.get("name", index) if isinstance(left, dict) else index
            yield from apart(left, right, f"{path}[{named}]")
    elif one != other:
        yield path, _shown(one), _shown(other)


def listed(found: Sequence[str]) -> str:
    """Differences as a message has them: the first few, and how many more there are."""
    more = f"; and {len(found) - _MOST} more" if len(found) > _MOST else ""
    return f"{'; '.join(found[:_MOST])}{more}"


def _shown(value: Any) -> str:
    text = "nothing" if value is None else str(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
