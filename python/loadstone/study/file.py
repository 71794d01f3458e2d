"""A study's own file: package data, checked like everything that people may write."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files as package_files
from pathlib import Path

from loadstone.scenario.findings import Finding
from loadstone.scenario.table_file import Model, read_table_file

FOLDER = Path(str(package_files("loadstone"))) / "data" / "studies"


def load_study_file(
    path: Path,
    model: type[Model],
    contradictions: Callable[[Model], list[Finding]] = lambda _: [],
) -> Model:
    """Reads and checks a study's file. LoadstoneError `study-file`, else as `read_table_file`."""
    file, source = read_table_file(path, model, "study-file")
    if findings := contradictions(file):
        raise source.errors(findings)
    return file
