"""`study.json`: what was ordered of a study, how far it came, and what was found."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import Field

from loadstone.intake.shapes import Count, Text, Word, Yes
from loadstone.stages.base import Piece
from loadstone.stages.origin import Origin

HINT = "make one with `loadstone study`"

Json = dict[str, Any]


class Failed(Piece):
    """A measurement that could not be made."""

    part: Word
    case: Json
    error: Text


class Tasks(Piece):
    """How far the study came."""

    planned: Count = 0
    done: Count = 0
    failed: list[Failed] = Field(default_factory=list)


class StudyRecord(Origin):
    """What every study writes; fields that are a study's own stand beside these.

    Studies made before all were alike lack some fields: a default says what held for them. So the format is
    still the first.
    """

    FILE: ClassVar[str] = "study.json"
    KIND: ClassVar[str] = "study"

    name: Word
    summary: Text = ""
    started_at: Word
    size: Literal["full", "quick"] = "full"
    only: list[Word] | None = None
    """Parts that were asked for; all when null."""
    only_variants: list[Word] | None = None
    resumed: Yes = False
    seed: Count | None = None
    """Of the order of measurements; null where there was none."""
    tasks: Tasks = Field(default_factory=Tasks)
    skipped: dict[str, Word] = Field(default_factory=dict)
    """Parts that there was nothing for, with the reason."""
    parts: Json = Field(default_factory=dict)
    """What was found, by part."""

    def filled(self) -> Json:
        """The content with every field that all studies have, for pages: also what the file left to its
        default.
        """
        own = {name: getattr(self, name) for name in ("size", "seed", "skipped", "parts")}
        return own | {"tasks": self.tasks.model_dump()} | self.content()


NAME = StudyRecord.FILE
