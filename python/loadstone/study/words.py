"""Words and tables for people: what studies say on the terminal and what their pages share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
Say = Callable[[str], None]


@dataclass(frozen=True)
class Columns:
    """A table of the terminal; `right` names the columns that are set to the right."""

    head: list[str]
    rows: list[list[str]]
    right: frozenset[str]
    title: str = ""


Block = str | Columns
"""A paragraph or a table."""


def interval(one: Json | None, digits: int = 0) -> str:
    """A figure with its interval, if it has one that is wider than nothing.

    >>> interval({"value": 2361.6, "low": 2269.1, "high": 2454.2})
    '2,362 (2,269–2,454)'
    """
    if one is None:
        return "–"
    if one["low"] is None or one["low"] == one["high"]:
        return f"{one['value']:,.{digits}f}"
    return f"{one['value']:,.{digits}f} ({one['low']:,.{digits}f}–{one['high']:,.{digits}f})"
