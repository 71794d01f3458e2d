"""A study's own file: package data, checked like everything that people may write."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files as package_files
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from loadstone.errors import LoadstoneError
from loadstone.scenario.fields import Table
from loadstone.scenario.findings import Finding, Source
from loadstone.scenario.load import parse_toml
from loadstone.scenario.positions import Path as Keys
from loadstone.scenario.shape import explain

FORMAT = 1
FOLDER = Path(str(package_files("loadstone"))) / "data" / "studies"

Description = TypeVar("Description", bound=Table)


def load_study_file(
    path: Path,
    model: type[Description],
    known_keys: Callable[[Keys], list[str]],
    contradictions: Callable[[Description], list[Finding]] = lambda _: [],
) -> Description:
    """Reads and checks a study's file; `known_keys` are those of the table at a path, for suggestions.

    LoadstoneError `study-file` or `toml-syntax`; ScenarioError with everything that is wrong in it.
    """
    try:
        text = path.read_bytes()
    except OSError as error:
        raise LoadstoneError("study-file", f"cannot read `{path}`: {error.strerror}") from error
    raw, positions = parse_toml(text, path)
    source = Source(str(path), positions, raw, {})
    if raw.get("format") != FORMAT or isinstance(raw["format"], bool):
        found = f"format {raw['format']} is not known" if "format" in raw else "`format` is missing"
        hint = f"this version reads `format = {FORMAT}`"
        raise source.errors([Finding("format-version", found, ("format",), hint)])
    try:
        file = model.model_validate(raw)
    except ValidationError as error:
        raise source.errors(explain(error, raw, known_keys)) from error
    if findings := contradictions(file):
        raise source.errors(findings)
    return file
