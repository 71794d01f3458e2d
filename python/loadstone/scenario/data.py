"""The `[data]` table: named numbers and texts, formulas over those above them, columns of CSV files."""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.intake import Kind, read_text
from loadstone.scenario.findings import Finding, listed, suggest
from loadstone.scenario.formula import FormulaError, evaluate

_KIND = Kind("csv-missing", "a table of values", 64 << 20)


def resolve(written: Any) -> tuple[dict[str, int | float | str], list[Finding]]:
    """Every valid name with its value, and what is wrong with the others.

    >>> resolve({"accounts": 100, "pages": {"formula": "ceil(accounts / 30)"}})[0]
    {'accounts': 100, 'pages': 4}
    """
    known: dict[str, int | float | str] = {}
    findings: list[Finding] = []
    for name, value in written.items() if isinstance(written, Mapping) else ():
        if isinstance(value, datetime.date):
            known[name] = value.isoformat()
        elif isinstance(value, int | float | str) and not isinstance(value, bool):
            known[name] = value
        elif isinstance(value, Mapping) and list(value) == ["formula"] and isinstance(value["formula"], str):
            try:
                known[name] = evaluate(value["formula"], known)
            except FormulaError as error:
                findings.append(Finding("formula", str(error), ("data", name), error.hint))
        else:
            hint = 'a number, a text, a date or { formula = "2 * accounts" }'
            findings.append(Finding("wrong-type", f"`{name}` is not a value", ("data", name), hint))
    return known, findings


class ColumnError(ValueError):
    """Why a column of a CSV file cannot be read: slug, sentence, hint."""

    def __init__(self, slug: str, message: str, hint: str = "") -> None:
        """`slug` is one of the error table's."""
        super().__init__(message)
        self.slug = slug
        self.hint = hint


def column(folder: Path, file: str, name: str) -> list[str]:
    """All cells of a column of a CSV file with a header line. ColumnError when it cannot be had."""
    try:
        text = read_text(folder / file, _KIND)
    except LoadstoneError as error:
        message = error.message.replace(f"`{folder / file}`", f"`{file}`")
        raise ColumnError(error.slug, message, "the path is relative to the scenario file") from error
    try:
        reader = csv.DictReader(io.StringIO(text, newline=""))
        header = list(reader.fieldnames or [])
        if name not in header:
            hint = suggest(name, header, f"it has {listed(header)}")
            raise ColumnError("csv-column", f"`{file}` has no column `{name}`", hint)
        cells = [row[name] for row in reader]
    except csv.Error as error:
        raise ColumnError("csv-column", f"`{file}` is not CSV: {error}") from error
    if not cells or None in cells:
        problem = "a row without" if cells else "no row below the header of"
        raise ColumnError("csv-column", f"`{file}` has {problem} column `{name}`")
    return cells
