"""`study.json`: what was ordered of a study, how far it came, and what was found."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from loadstone.intake import Kind, read_object
from loadstone.intake.shapes import Count, Word, Yes, require_shape

NAME = "study.json"
HINT = "make one with `loadstone study`"

Json = dict[str, Any]


class Failed(BaseModel):
    """A measurement that could not be made."""

    part: Word
    case: dict[str, Any]
    error: str


class Tasks(BaseModel):
    """How far the study came."""

    planned: Count = 0
    done: Count = 0
    failed: list[Failed] = Field(default_factory=list)


class StudyRecord(BaseModel):
    """What every study writes; fields that are a study's own stand beside these.

    Studies made before all were alike lack some fields: a default says what held for them. So the format is
    still the first; raise it when a field changes its name or its meaning.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    format: Literal[1] = 1
    kind: Literal["study"] = "study"
    name: Word
    summary: str = ""
    outcome: Word = "begun"
    """`complete`, `interrupted`, `failing`; `begun` while it goes on."""
    size: Literal["full", "quick"] = "full"
    only: list[Word] | None = None
    """Parts that were asked for; all when null."""
    only_variants: list[Word] | None = None
    resumed: Yes = False
    seed: Count | None = None
    """Of the order of measurements; null where there was none."""
    machine: Json = Field(default_factory=dict)
    versions: Json = Field(default_factory=dict)
    command: list[Word] = Field(default_factory=list)
    started_at: Word
    """ISO 8601, UTC."""
    ended_at: Word | None = None
    tasks: Tasks = Field(default_factory=Tasks)
    skipped: dict[str, Word] = Field(default_factory=dict)
    """Parts that there was nothing for, with the reason."""
    parts: Json = Field(default_factory=dict)
    """What was found, by part."""

    @classmethod
    def of(cls, content: Json, slug: str, place: Path, hint: str = HINT) -> Self:
        """The record that `content` is. LoadstoneError `slug` when it is none."""
        require_shape(content, cls, slug, str(place), hint)
        return cls.model_validate(content)

    @classmethod
    def read(cls, path: Path, kind: Kind) -> Self:
        """The record in a file. LoadstoneError with the kind's slug."""
        return cls.of(read_object(path, kind), kind.slug, path, kind.hint or HINT)

    def content(self) -> Json:
        """As JSON has it, every field there."""
        return self.model_dump()
