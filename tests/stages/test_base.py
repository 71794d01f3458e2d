"""Formats of records: the present one, one before, one of a later version, and what is none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar

import pytest
from pydantic import Field

from loadstone.errors import LoadstoneError
from loadstone.intake import Kind
from loadstone.intake.shapes import Count, Known
from loadstone.stages.base import Piece, Stage, spelled

KIND = Kind("run-folder", "a record", 1 << 20, "measure again")


class Spot(Piece):
    users: Known = None
    least: Known = spelled("at-least")


class Made(Stage):
    """A record whose length had no unit in format 1."""

    FILE: ClassVar[str] = "made.json"
    KIND: ClassVar[str] = "made"
    FORMAT: ClassVar[int] = 2
    BEFORE: ClassVar[Any] = {1: lambda old: {"length_s" if k == "length" else k: v for k, v in old.items()}}

    length_s: Known
    rounds: Count = 0
    spots: list[Spot] = Field(default_factory=list)


def read(tmp_path: Path, content: Any) -> Made:
    file = tmp_path / "made.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    return Made.read(file, KIND)


def test_the_format_before_is_read_and_written_as_the_present_one(tmp_path: Path) -> None:
    found = read(tmp_path, {"format": 1, "kind": "made", "length": 3})
    assert found.length_s == 3
    assert found.content() == {"format": 2, "kind": "made", "length_s": 3}


def test_what_was_read_is_written_again(tmp_path: Path) -> None:
    """Whole numbers stay whole, unknown fields stay, absent ones stay absent."""
    content = {
        "format": 2,
        "kind": "made",
        "length_s": 20,
        "spots": [{"users": 1.0, "at-least": 2}],
        "new": 1,
    }
    found = read(tmp_path, content)
    assert found.spots[0].least == 2
    assert json.dumps(found.content(), sort_keys=True) == json.dumps(content, sort_keys=True)


def test_a_record_made_here_says_what_it_was_given() -> None:
    made = Made(length_s=None, spots=[Spot(users=1, least=2)])
    spots = [{"users": 1, "at-least": 2}]
    assert made.content() == {"format": 2, "kind": "made", "length_s": None, "spots": spots}


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("{", r"not JSON"),
        ({"kind": "made", "length_s": 1}, r'"format": 2'),
        ({"format": 3, "kind": "made", "length_s": 1}, r'"format": 2'),
        ({"format": True, "kind": "made", "length_s": 1}, r'"format": 2'),
        ({"format": "2", "kind": "made", "length_s": 1}, r'"format": 2'),
        ({"format": 2.0, "kind": "made", "length_s": 1}, r'"format": 2'),
        ({"format": [], "kind": "made", "length_s": 1}, r'"format": 2'),
        ({"format": 2, "kind": "run", "length_s": 1}, r'"kind": "made"'),
        ({"format": 2, "kind": "made"}, r"`length_s` is missing"),
        ({"format": 2, "length_s": "1"}, r"`length_s` should be a valid number"),
        ({"format": 2, "length_s": 1, "spots": [{"at-least": True}]}, r"`spots\.1\.at-least`"),
        ({"format": 2, "length_s": 1, "rounds": -1}, r"`rounds`"),
    ],
)
def test_what_is_no_such_record_is_refused(tmp_path: Path, content: Any, told: str) -> None:
    with pytest.raises(LoadstoneError, match=told) as caught:
        read(tmp_path, content)
    assert caught.value.slug == "run-folder"
    assert str(tmp_path / "made.json") in str(caught.value)
    assert "measure again" in str(caught.value)
