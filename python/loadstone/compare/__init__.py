"""Runs beside each other: what differs beyond chance, in pairs, in sides, and over a history."""

from loadstone.compare.sides import Side, in_pairs, read_sides, run_folders
from loadstone.compare.verdicts import compared

__all__ = ["Side", "compared", "in_pairs", "read_sides", "run_folders"]
