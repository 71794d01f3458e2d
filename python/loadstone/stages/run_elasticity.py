"""What a run's record says of servers that came and went: how many, the SLA meanwhile, machine-hours."""

from __future__ import annotations

from loadstone.intake.shapes import Count, Figure, Known, Seconds, Word, Yes
from loadstone.stages.base import Piece


class Serving(Piece):
    """How many servers there were from a time on."""

    at_s: Seconds
    servers: Count


class Started(Piece):
    """A server that was added."""

    host: Word
    asked_s: Seconds
    """When the policy wanted it, from the beginning of the run."""
    serving_s: Seconds
    """When the balancers sent it users."""
    start_s: Known = None
    """How long its program took from its start until it was well; the rest is the balancers'."""


class Judged(Piece):
    """One window of the steady state; they follow each other and do not overlap."""

    start_s: Seconds
    end_s: Seconds
    users: Known = None
    """Mean of the window, as `servers`."""
    servers: Figure
    within: dict[str, Known]
    """Share of each operation within its limit; None without one."""
    kept: dict[str, Yes | None]
    """Whether each SLA was kept; None without any operation."""


class Elasticity(Piece):
    """Servers over time."""

    service: Word
    policy: Word
    least: Count
    most: Count
    servers: list[Serving]
    started: list[Started]
    removed: Count
    windows: list[Judged]
    machine_h: Figure
    """Hours of servers, from when each was asked for until it had ended."""
    fixed_machine_h: Figure
    """Of a site with `most` servers all the time."""
    saved_share: Figure
    """Of these."""
