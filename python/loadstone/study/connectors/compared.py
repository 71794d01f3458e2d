"""One cell of the connectors' study beside another. Pure."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from loadstone.judge.estimates import Estimate, median

Json = dict[str, Any]


def ratio(first: Json, second: Json, figure: str) -> Json | None:
    """Of the medians, with an interval of the ratios of both in the same repetition, which were measured
    close together; without one where fewer than two repetitions have both.

    None where one of them has no such figure, or the other one's is zero: then there is no ratio.
    """
    mine, other = first["figures"][figure], second["figures"][figure]
    if mine is None or other is None or not other["value"]:
        return None
    both = [
        one[figure] / beside_it[figure]
        for number, one in first["by_repetition"].items()
        if one[figure] is not None and (beside_it := second["by_repetition"].get(number, {})).get(figure)
    ]
    spread = median(both) if both else Estimate(0.0, None, None, 1)
    return asdict(Estimate(mine["value"] / other["value"], spread.low, spread.high, spread.count))
