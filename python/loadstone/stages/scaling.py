"""The scaling law of a search or of several machine counts, with what it rests on; or why there is none."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from loadstone.intake.shapes import Figure, Known, Text, Yes
from loadstone.stages.base import Piece

Counted = Literal["users", "machines"]


class Estimated(Piece):
    """A figure of the law with its interval; without `high` it is open above."""

    value: Figure
    low: Figure
    high: Known = None


class ScalingPoint(Piece):
    """One measurement that the law is fitted to."""

    load: Figure
    """Users or machines."""
    per_s: Figure
    """Operations that ended well, or users where machines are counted and users were searched."""
    short: Yes = False
    """Of a probe."""


class CurvePoint(Estimated):
    """The law at one load; `value` is a throughput."""

    load: Figure
    extrapolated: Yes
    """More than the most that was measured: the law says so, and no measurement."""


class Farthest(Piece):
    """The point that the law misses most."""

    load: Figure
    error: Figure
    """measured ÷ the law's - 1."""


class Scaling(Piece):
    """X(N) = λ N / (1 + σ (N - 1) + κ N (N - 1)), Gunther's universal scalability law.

    λ is `alone`, σ `contention`, κ `coherency`; none is negative. All are None where `refused` says why.
    """

    counted: Counted
    """What N is."""
    unit: Text
    """Of X."""
    points: list[ScalingPoint]
    confidence: Figure
    """Of each interval by itself, if the law holds."""
    refused: Text | None = None
    alone: Estimated | None = None
    contention: Estimated | None = None
    coherency: Estimated | None = None
    peak: Estimated | None = None
    """N of the greatest throughput; None where none is shown. Its `high` is None where none can be told."""
    peak_extrapolated: Yes = False
    """Whether it lies beyond what was measured."""
    straight: Yes = False
    """The measured users show no bend, so that the law says nothing of more: the curve ends with them."""
    farthest: Farthest | None = None
    curve: list[CurvePoint] = Field(default_factory=list)

    @property
    def most(self) -> float:
        """The greatest N that was measured; 0 without points."""
        return max((point.load for point in self.points), default=0.0)
