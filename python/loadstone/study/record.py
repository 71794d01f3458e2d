"""`study.json`: what was ordered of a study, how far it came, and what was found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from loadstone.intake.shapes import Count, Text, Word, Yes
from loadstone.stages.base import Piece
from loadstone.stages.origin import Origin
from loadstone.study.finding import Finding

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


class Definition(Piece):
    """The study's file by which it was measured: what its figures and targets mean."""

    sha256: Word
    """First digits of the file's."""
    file: Json
    source: Text = ""
    """Where it comes from, if the study did not write it itself."""


class Recomputed(Piece):
    """When findings were drawn anew from rows that had been measured before."""

    at: Word
    version: Word


def _before_findings(content: Json) -> Json:
    """Format 1: findings were bare sentences, verdicts of targets truth values, and a search that had not
    ended gave a number of users.
    """
    words = {True: "met", False: "missed", None: None}
    made = dict(content)
    if isinstance(told := content.get("findings"), list):
        made["findings"] = [
            {"key": f"sentence-{number}", "text": text, "status": "undecided"}
            for number, text in enumerate(told, 1)
            if isinstance(text, str)
        ]
    if isinstance(targets := content.get("targets"), list):
        made["targets"] = [
            {"verdict": words.get(one.get("met")), **one} for one in targets if isinstance(one, dict)
        ]
    return made


class StudyRecord(Origin):
    """What every study writes; fields that are a study's own stand beside these.

    Studies made before all were alike lack some fields: a default says what held for them.
    """

    FILE: ClassVar[str] = "study.json"
    KIND: ClassVar[str] = "study"
    FORMAT: ClassVar[int] = 2
    BEFORE: ClassVar[Mapping[int, Callable[[Json], Json]]] = {1: _before_findings}

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
    findings: list[Finding] = Field(default_factory=list)
    """Sentences, the main one first."""
    definition: Definition | None = None
    """None in studies that were measured before it was kept."""
    recomputed: Recomputed | None = None
    """None where findings are those of the run itself."""

    def filled(self) -> Json:
        """The content with every field that all studies have, for pages: also what the file left to its
        default.
        """
        own = {name: getattr(self, name) for name in ("size", "seed", "skipped", "parts", "recomputed")}
        told = [one.model_dump() for one in self.findings]
        return own | {"tasks": self.tasks.model_dump()} | self.content() | {"findings": told}


NAME = StudyRecord.FILE
