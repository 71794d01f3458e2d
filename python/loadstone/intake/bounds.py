"""How deep a file may nest and how large its numbers may be, so that later code can handle them."""

from __future__ import annotations

import math
from typing import Any

DEEPEST = 64
"""Tables and lists in one another. Recursions over what was read stay far from Python's limit."""
MOST_DIGITS = 64
"""Of a number. One of a thousand takes no space, and squares of time and memory wherever it is printed."""
_LARGEST = 10**30
"""Of a whole number in a record: dollars of a bill may be many, and a double still holds them."""


class Unbounded(ValueError):
    """A sentence on what is too deep or too large, and the keys and indices that lead there."""

    def __init__(self, message: str, path: tuple[str | int, ...] = ()) -> None:
        """`path` may be empty."""
        super().__init__(message)
        self.path = path


def check_bounds(content: Any, *, largest: int = _LARGEST, finite: bool = True) -> None:
    """Raises Unbounded when something in tables and lists is too deep or too large; does not recurse."""
    left: list[tuple[Any, tuple[str | int, ...]]] = [([content], ())]
    while left:
        whole, path = left.pop()
        if len(path) > DEEPEST + 1:
            raise Unbounded(f"tables or lists are nested deeper than {DEEPEST}", path[1:])
        for key, value in whole.items() if isinstance(whole, dict) else enumerate(whole):
            if isinstance(value, dict | list):
                left.append((value, (*path, key)))
            elif isinstance(value, int) and not -largest <= value <= largest:
                raise Unbounded("a whole number is larger than any that is meant", (*path, key)[1:])
            elif finite and isinstance(value, float) and not math.isfinite(value):
                raise Unbounded("a number is not finite", (*path, key)[1:])


def spelled(path: tuple[str | int, ...]) -> str:
    """Keys and indices as one reads them, the first few.

    >>> spelled(("runs", 0, "users"))
    'runs.1.users'
    """
    words = [str(key + 1) if isinstance(key, int) else key for key in path[:8]]
    return ".".join(words)[:200] + ("…" if len(path) > 8 else "")
