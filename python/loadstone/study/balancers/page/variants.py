"""Colours and names of variants: the same in every chart of a study."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from loadstone.report.folder import Json

_COLOURS = ("@s1", "@s2", "@s4", "@s3", "@s5", "@s6")
_BASELINE = "@muted"


@dataclass(frozen=True)
class Variants:
    """The variants of a study in its order, the baseline first."""

    labels: dict[str, str]
    colours: dict[str, str]

    @staticmethod
    def of(study: Json) -> Variants:
        """As `study.json` lists them."""
        names = [one["name"] for one in study["variants"]]
        others = [name for name in names if name != "none"]
        colours = {name: _COLOURS[index % len(_COLOURS)] for index, name in enumerate(others)}
        labels = {one["name"]: str(one["label"]) for one in study["variants"]}
        return Variants(labels, {"none": _BASELINE} | colours)

    def sorted(self, rows: Iterable[Json]) -> list[Json]:
        """Rows in the order of their variants, else as they are."""
        return sorted(rows, key=lambda row: self.order(row["balancer"]))

    def order(self, name: str) -> int:
        """Place among all."""
        return list(self.labels).index(name)


def inverse(ratio: Json) -> Json:
    """second ÷ first.

    >>> inverse({"value": 0.5, "low": 0.4, "high": 0.625})
    {'value': 2.0, 'low': 1.6, 'high': 2.5}
    """
    return {"value": 1 / ratio["value"], "low": 1 / ratio["high"], "high": 1 / ratio["low"]}
