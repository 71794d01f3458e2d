"""A study's own file: package data, checked like everything that people may write."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.resources import files as package_files
from pathlib import Path

from pydantic import BaseModel

from loadstone.scenario.findings import Finding
from loadstone.scenario.positions import Path as Keys
from loadstone.scenario.table_file import Model, read_table_file

FOLDER = Path(str(package_files("loadstone"))) / "data" / "studies"


def load_study_file(
    path: Path,
    model: type[Model],
    known_keys: Callable[[Keys], list[str]],
    contradictions: Callable[[Model], list[Finding]] = lambda _: [],
) -> Model:
    """Reads and checks a study's file. LoadstoneError `study-file`, else as `read_table_file`."""
    file, source = read_table_file(path, model, "study-file", known_keys)
    if findings := contradictions(file):
        raise source.errors(findings)
    return file


def keys_by_name(
    model: type[BaseModel], tables: Mapping[str, type[BaseModel]]
) -> Callable[[Keys], list[str]]:
    """The keys that a table of the file may have, for hints: a table is known by the last name on the way to
    it, the file itself is a `model`."""

    def known(table: Keys) -> list[str]:
        names = [key for key in table if isinstance(key, str)]
        found = tables.get(names[-1]) if names else model
        return list(found.model_fields) if found else []

    return known
