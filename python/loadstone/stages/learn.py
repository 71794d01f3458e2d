"""`learn.json`: what a log says of the users of a site (docs/reference/learn.md)."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from loadstone.intake.shapes import Count, Figure, Known, Seconds, Text, Word, Yes
from loadstone.stages.base import Piece
from loadstone.stages.origin import Origin


class Between(Piece):
    """A figure with its 95 % interval."""

    value: Figure
    low: Known
    high: Known


class BadLine(Piece):
    """A line that could not be read, up to its 80th byte."""

    place: Word
    text: Word


class Lines(Piece):
    """The lines of the log."""

    files: list[Text]
    format: Word
    lines: Count
    bad: Count
    bad_first: list[BadLine]
    requests: Count
    files_of_pages: Count
    other_methods: Count
    first_at: Word
    """ISO 8601, UTC."""
    last_at: Word
    whole_seconds: Yes
    request_times: Yes
    """Requests say how long they took: pauses are think times, else cycle times."""


class LeftOut(Piece):
    """What was left out, by reason."""

    clients: dict[str, Count]
    requests: dict[str, Count]


class Tried(Piece):
    """What another cut-off would make of the same log."""

    cutoff_s: Seconds
    sessions: Count
    operations_per_session: Figure


class CutOff(Piece):
    """The idle time that ends a session."""

    seconds: Seconds
    how: Word
    """`fitted`, `given`, or `custom`: the log shows none."""
    median_within_s: Known
    median_between_s: Known
    sensitivity: list[Tried]


class Law(Piece):
    """A law of the scenario format."""

    kind: Word
    parameters: dict[str, Figure]
    errors: dict[str, Known]
    """Standard errors; None where the times do not tell."""
    aic: Figure


class Pauses(Piece):
    """Think or cycle times."""

    kind: Word
    """`think` or `cycle`."""
    count: Count
    mean_s: Seconds
    laws: list[Law]
    """The best first."""


class Operation(Piece):
    """An operation, and what the log says of it."""

    name: Word
    method: Word
    path: Text
    count: Count
    share: Figure
    files_per_visit: Figure
    p95_s: Known
    """Of its own request."""
    pauses: Pauses | None
    """Where a law of its own fits better than the common one."""


class Class(Piece):
    """A class of users: what they begin with, and what follows what."""

    share: Figure
    sessions_of: Count
    operations_per_session: Figure
    enter: dict[str, Figure]
    mix: dict[str, dict[str, Figure]]
    """Rows sum to 1; `end` ends the session."""


class Classes(Piece):
    """How many classes there are."""

    tried: dict[str, Figure]
    """BIC by number of classes: the least is taken."""
    sampled_sessions: Count
    classes: list[Class]


class Rate(Piece):
    """An operation in the clients that were held out, and in a replay."""

    operation: Word
    share: Figure
    share_replayed: Figure
    per_session: Between
    per_session_replayed: Figure


class HeldOut(Piece):
    """A replay beside the clients that were held out."""

    sessions: Count
    operations: Count
    mix_distance: Between
    """Total variation, 0 to 1."""
    mix_distance_by_chance: Figure
    session_length: Between
    session_length_replayed: Figure
    length_distance: Figure
    """Kolmogorov-Smirnov."""
    length_distance_by_chance: Figure
    """What 5 % of samples of this size exceed though the law is right."""
    rates: list[Rate]


class Arrivals(Piece):
    """When sessions begin."""

    sessions: Count
    clients: Count
    by_hour: list[Figure] = Field(min_length=24, max_length=24)
    """Mean sessions that begin in each hour of the day, UTC."""
    busiest_hour: Word
    busiest_sessions: Count
    mean_duration_s: Seconds
    users_busiest: Figure
    """Users at once in the busiest hour, by Little's law."""


class Learned(Origin):
    """What a log says of the users of a site."""

    FILE: ClassVar[str] = "learn.json"
    KIND: ClassVar[str] = "learn"

    log: Lines
    left_out: LeftOut
    cutoff: CutOff
    operations: list[Operation]
    pauses: Pauses | None
    classes: Classes
    arrivals: Arrivals
    held_out: HeldOut
