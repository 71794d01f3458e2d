"""TOML files of tables other than scenarios: read, checked, refused with everything that is wrong in them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from loadstone.intake import Kind, read_bytes
from loadstone.scenario.fields import Table
from loadstone.scenario.findings import Finding, Source
from loadstone.scenario.load import parse_toml
from loadstone.scenario.positions import Path as Keys
from loadstone.scenario.shape import explain

FORMAT = 1

Model = TypeVar("Model", bound=Table)


def read_table_file(
    path: Path, model: type[Model], missing: str, known_keys: Callable[[Keys], list[str]]
) -> tuple[Model, Source]:
    """The file as its model, and where everything in it stands, for what the caller finds wrong later.

    `missing` is the slug when it cannot be read; `known_keys` are those of the table at a path, for
    suggestions. LoadstoneError `missing` or `toml-syntax`; ScenarioError with everything wrong in its shape.
    """
    raw, positions = parse_toml(read_bytes(path, Kind(missing, "a file of this kind")), path)
    source = Source(str(path), positions, raw, {})
    if raw.get("format") != FORMAT or isinstance(raw["format"], bool):
        found = f"format {raw['format']} is not known" if "format" in raw else "`format` is missing"
        hint = f"this version reads `format = {FORMAT}`"
        raise source.errors([Finding("format-version", found, ("format",), hint)])
    try:
        return model.model_validate(raw), source
    except ValidationError as error:
        raise source.errors(explain(error, raw, known_keys)) from error
