"""Sums as rates. Standard library only: it is sent to hosts."""

from __future__ import annotations

from typing import Dict, Mapping

Figures = Dict[str, float]


class Rates:
    """Sums as rates since they were seen last."""

    def __init__(self) -> None:
        """Nothing was seen yet."""
        self._before: Figures = {}
        self._at = 0.0

    def since(self, sums: Mapping[str, float], at: float) -> Figures:
        """By name the growth a second; a sum that is new, or fell because a server restarted, has none."""
        elapsed, before = at - self._at, self._before
        self._before, self._at = dict(sums), at
        return {
            name: (value - before[name]) / elapsed
            for name, value in sums.items()
            if name in before and value >= before[name]
        }
