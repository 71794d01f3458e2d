"""`study.json` as `nodes` and `plan` read it. A study is a later stage: they name the fields they need."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.intake import Kind, read_object

_KIND = Kind("measured", "a record", 64 << 20, "measure again")
_FORMATS = (1, 2)
"""What is read here has not changed between them."""


def read_study(file: Path) -> Fields:
    """The record of a study. Raises `measured`."""
    content = read_object(file, _KIND)
    if type(content.get("format")) is not int or content["format"] not in _FORMATS:
        raise LoadstoneError(
            "measured", "is not a study of format 1 or 2", place=str(file), hint="measure again"
        )
    return Fields(content, file)


@dataclass(frozen=True)
class Fields:
    """A JSON object that knows where it stands, so that a wrong field is named in full."""

    content: dict[str, Any]
    file: Path
    path: str = ""

    def table(self, key: str) -> Fields | None:
        """The object at `key`; None when absent."""
        value = self.content.get(key)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise self._wrong(key, "an object", value)
        return Fields(value, self.file, f"{self.path}{key}.")

    def number(self, key: str) -> Fraction | None:
        """A number above zero as it stands in the file (40.2 is 201/5, not the nearest double); None when
        absent.
        """
        value = self.content.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e18:
            raise self._wrong(key, "a number, zero or more", value)
        return Fraction(repr(value)) or None

    def tables(self, key: str) -> list[Fields]:
        """The list of objects at `key`; [] when absent."""
        value = self.content.get(key) or []
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise self._wrong(key, "a list of objects", value)
        return [Fields(item, self.file, f"{self.path}{key}.{i}.") for i, item in enumerate(value, 1)]

    def text(self, key: str) -> str:
        """The text at `key`; empty when absent."""
        value = self.content.get(key, "")
        if not isinstance(value, str):
            raise self._wrong(key, "text", value)
        return value

    def _wrong(self, key: str, expected: str, value: object) -> LoadstoneError:
        return LoadstoneError(
            "measured",
            f"`{self.path}{key}` is {json.dumps(value)[:60]}, expected {expected}",
            place=str(self.file),
        )
