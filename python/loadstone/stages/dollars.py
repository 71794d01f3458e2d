"""Dollars by months of operation, as parts of records (docs/reference/cost.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from loadstone.intake.shapes import Figure, Known
from loadstone.stages.base import Piece

Ends = Annotated[list[Known], Field(min_length=2, max_length=2)]
"""At the cheap and at the dear end of the measured capacity's interval; None where that is open."""


def _months(count: int) -> Any:
    return Field(validation_alias=str(count), serialization_alias=str(count))


class ByMonths(Piece):
    """Dollars by months of operation."""

    over_1: Figure = _months(1)
    over_12: Figure = _months(12)
    over_36: Figure = _months(36)

    def named(self) -> dict[str, float]:
        """The same by the number of months."""
        return {"1": self.over_1, "12": self.over_12, "36": self.over_36}


class EndsByMonths(Piece):
    """The interval of dollars by months of operation."""

    over_1: Ends = _months(1)
    over_12: Ends = _months(12)
    over_36: Ends = _months(36)

    def named(self) -> dict[str, Sequence[float | None]]:
        """The same by the number of months."""
        return {"1": self.over_1, "12": self.over_12, "36": self.over_36}
