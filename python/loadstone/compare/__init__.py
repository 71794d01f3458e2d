"""Runs beside each other: what differs beyond chance, in pairs, in sides, and over a history."""

from loadstone.compare.alike import require_same_workload
from loadstone.compare.over_time import history
from loadstone.compare.pairs import SIDES, measure_pairs
from loadstone.compare.sides import Side, in_pairs, read_sides
from loadstone.compare.verdicts import compared

__all__ = [
    "SIDES",
    "Side",
    "compared",
    "history",
    "in_pairs",
    "measure_pairs",
    "read_sides",
    "require_same_workload",
]
