"""Where a record of any stage comes from."""

from __future__ import annotations

from pydantic import Field

from loadstone.intake.shapes import Count, Known, Text, Word, Yes
from loadstone.stages.base import Piece, Stage


class Machine(Piece):
    """The machine that it was made on."""

    hostname: Word | None = None
    cpu: Word | None = None
    cores: Known = None
    memory_bytes: Known = None
    os: Word | None = None
    kernel: Word | None = None


class Node(Piece):
    """What the service ran on, where that was made for the run: an image's machine."""

    type: Word | None = None
    vcpu: Known = None
    memory_mib: Known = None
    machine: Word | None = None
    accelerator: Word | None = None
    disk_cache: Word | None = None
    image: Word | None = None
    image_bytes: Known = None
    start_s: Known = None
    """From QEMU's start to the first byte of an answer; of a search, the median of all runs."""
    start_s_range: list[Known] = Field(default_factory=list)
    """Least and greatest of a search."""


class Origin(Stage):
    """What was measured or reckoned, when, where, and how it ended."""

    name: Word | None = None
    outcome: Word = "complete"
    started_at: Word | None = None
    """ISO 8601, UTC."""
    ended_at: Word | None = None
    command: list[Text] = Field(default_factory=list)
    machine: Machine = Field(default_factory=Machine)
    versions: dict[str, Word | None] = Field(default_factory=dict)
    accounts: Count | None = None
    """Users that the service's data knows."""
    warnings: list[Text] = Field(default_factory=list)
    demonstration: Yes = False
    """It was made small, to show how it goes: no measurement by the rules."""
