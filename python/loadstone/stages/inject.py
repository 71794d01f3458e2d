"""`inject.json`: what became of programs or servers with a flipped bit (docs/reference/inject.md)."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field

from loadstone.intake.shapes import Count, Figure, Known, Text, Word, Yes
from loadstone.stages.base import Piece, Stage

OUTCOMES = ("masked", "corrupt", "crash", "detected", "recovered", "hang")
"""The classes that share an injection; `missed` ones hit nothing and are none of them."""


class Share(Piece):
    """One class: how many of the injections, and their share with its 95 % interval (Wilson)."""

    outcome: Word
    count: Count
    share: Figure
    low: Figure
    high: Figure


class Golden(Piece):
    """The unharmed runs; of a server, its answers."""

    code: Known = None
    output_bytes: Count | None = None
    output: Word
    """SHA-256."""
    took_s: Figure
    runs: Count


class Traced(Piece):
    """Where the program can be hit; of a server, what was seen of it."""

    instructions: Count
    can_be_hit: Count
    addresses: Count
    order: Word | None = None
    """SHA-256 of the order of instructions; None: a server has none."""
    took_s: Figure


class Inject(Stage):
    """A campaign."""

    FILE: ClassVar[str] = "inject.json"
    KIND: ClassVar[str] = "inject"

    name: Word
    command: list[Text]
    program: list[Text]
    """The program and its arguments."""
    digest: Word
    """SHA-256 of its file."""
    variant: Word
    """`native`, or what the program says of its hardening, such as `ilr cmp`."""
    counts_corrections: Yes = False
    """Whether the program counts what it puts right: without, nothing can be called recovered."""
    server: Yes = False
    only: list[Text]
    seed: Count
    runs: Count
    """Injections that were asked for."""
    injected: Count
    """Those that hit something: what shares are of."""
    missed: Count
    status: Word
    """`complete` or `interrupted`."""
    shares: list[Share]
    golden: Golden
    traced: Traced
    throughput: Known = None
    """Against native, where somebody said so."""
    restart_s: Known = None
    """Of a server: mean time from its start to its first answer."""
    took_s: Figure
    injections_per_s: Known = None
    started_at: Word
    ended_at: Word
    machine: dict[str, Any] = Field(default_factory=dict)
    versions: dict[str, Any] = Field(default_factory=dict)
    warnings: list[Text] = Field(default_factory=list)

    def share(self, outcome: str) -> Share:
        """That of one class. KeyError for a class that is none."""
        return {each.outcome: each for each in self.shares}[outcome]
