"""What a record says of many times."""

from __future__ import annotations

from loadstone.intake.shapes import Known
from loadstone.stages.base import Piece


class Quantiles(Piece):
    """Of times, in the unit that the field's name says."""

    mean: Known = None
    p50: Known = None
    p90: Known = None
    p95: Known = None
    p99: Known = None
    p999: Known = None
    max: Known = None
