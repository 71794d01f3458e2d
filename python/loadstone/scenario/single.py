"""One scenario by itself, checked: what its file says, and what it draws from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadstone.scenario import app, checks, data, feeds, hooks, model, secrets, shape, values
from loadstone.scenario.findings import Finding, Source


@dataclass(frozen=True)
class Single:
    """A checked scenario. `data` are its names with their values; `folder` is where its files are."""

    file: model.ScenarioFile
    data: Mapping[str, int | float | str]
    columns: Columns
    folder: Path
    source: Source


def single(raw: Mapping[str, Any], source: Source, folder: Path) -> Single:
    """The scenario of the tables `raw`. ScenarioError with everything that is wrong in it."""
    known, findings = data.resolve(raw.get("data", {}))
    file, more = shape.parse(raw, known)
    options, wrong = app.options(raw, known)
    if file is None or findings or wrong:
        raise source.errors([*findings, *more, *wrong])
    file = file.with_options(options)
    findings = list(checks.errors(file, known))
    columns = Columns(folder)
    findings.extend(columns.check(file))
    findings.extend(secrets.errors(file.secrets, folder))
    findings.extend(_hooks(file, folder))
    if findings:
        raise source.errors(findings)
    return Single(file, known, columns, folder, source)


def _hooks(file: model.ScenarioFile, folder: Path) -> Iterator[Finding]:
    """What is wrong with the functions that steps call."""
    for number, operation in enumerate(file.operation):
        for index, step in enumerate(operation.step):
            if step.call is not None:
                at = ("operation", number, "step", index)
                yield from hooks.errors(step.call, step.arguments, step.returns, folder, at)


class Columns:
    """The files that a scenario draws from, each column read once."""

    def __init__(self, folder: Path) -> None:
        """The folder that their paths are relative to."""
        self._folder = folder
        self._read: dict[tuple[str, str], list[str]] = {}
        self._rows: dict[str, int] = {}

    def cells(self, file: str, column: str) -> list[str]:
        """All cells of a column. ColumnError."""
        if (file, column) not in self._read:
            self._read[file, column] = feeds.column(self._folder, file, column)
        return self._read[file, column]

    def rows(self, file: str) -> int:
        """How many rows a file has. ColumnError."""
        if file not in self._rows:
            self._rows[file] = feeds.rows(self._folder, file)
        return self._rows[file]

    def check(self, file: model.ScenarioFile) -> list[Finding]:
        """What is wrong with the files, and where they are drawn from."""
        findings = []
        for number, operation in enumerate(file.operation):
            for name, value in operation.draw.items():
                for drawn in _drawn_from_files(value):
                    try:
                        if isinstance(drawn, values.Row):
                            self.rows(drawn.file)
                        else:
                            self.cells(drawn.file, drawn.column)
                    except data.ColumnError as error:
                        path = ("operation", number, "draw", name)
                        findings.append(Finding(error.slug, str(error), path, error.hint))
        return findings


def _drawn_from_files(value: values.Value) -> list[values.Column | values.Row]:
    match value:
        case values.Column() | values.Row():
            return [value]
        case values.Username(id=inner) | values.Several(item=inner):
            return _drawn_from_files(inner)
    return []
