"""Files of values that scenarios draw from: CSV with a header line, and JSON Lines with nested values."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from loadstone.errors import LoadstoneError
from loadstone.intake import Kind, read_text
from loadstone.scenario.data import ColumnError
from loadstone.scenario.findings import listed, suggest

CSV = Kind("csv-missing", "a table of values", 64 << 20)
JSON_LINES = Kind("feed", "a feed of JSON Lines", 256 << 20)
ENDINGS = (".jsonl", ".ndjson")
MOST_ROWS = 1 << 24


def column(folder: Path, file: str, name: str) -> list[str]:
    """All cells of a column, or what a JSON path leads to on each line. ColumnError when it cannot be had."""
    if Path(file).suffix in ENDINGS:
        return json_column(_text(folder, file, JSON_LINES), file, name)
    return csv_column(_text(folder, file, CSV), file, name)


def rows(folder: Path, file: str) -> int:
    """How many rows a file has. ColumnError when it has none, or cannot be read."""
    if Path(file).suffix in ENDINGS:
        found = sum(1 for _ in _lines(_text(folder, file, JSON_LINES)))
    else:
        try:
            text = _text(folder, file, CSV)
            found = sum(1 for _ in csv.DictReader(io.StringIO(text, newline="")))
        except csv.Error as error:
            raise ColumnError("csv-column", f"`{file}` is not CSV: {error}") from error
    if found == 0:
        raise ColumnError("feed", f"`{file}` has no row")
    return found


def _text(folder: Path, file: str, kind: Kind) -> str:
    try:
        return read_text(folder / file, kind)
    except LoadstoneError as error:
        message = error.message.replace(f"`{folder / file}`", f"`{file}`")
        raise ColumnError(error.slug, message, "the path is relative to the scenario file") from error


def csv_column(text: str, file: str, name: str) -> list[str]:
    """The cells of a column of CSV with a header line; `file` is what it is called in a ColumnError."""
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


def json_column(text: str, file: str, name: str) -> list[str]:
    """What `name` leads to on each line: a path such as `$.user.id`, or the name of a member.

    Texts as they are, everything else as its JSON. Every line must be a value of JSON that has it, and not
    `null`; empty lines are passed over. ColumnError with the line, `file` being what the text is called.
    """
    from loadstone._core import json_texts

    path = name if name.startswith("$") else f"$['{_escaped(name)}']"
    numbers, lines = [], []
    for number, line in _lines(text):
        numbers.append(number)
        lines.append(line)
    if not lines:
        raise ColumnError("feed", f"`{file}` has no row")
    try:
        found, wrong = json_texts(path, lines)
    except ValueError as error:
        raise ColumnError("bad-json-path", str(error), "a name, or a path such as `$.user.id`") from error
    if wrong is not None:
        raise ColumnError("feed", f"{file}:{numbers[len(found)]}: {wrong}", "each line is a value of JSON")
    return found


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Numbers and texts of the lines that are not empty."""
    for number, line in enumerate(text.split("\n"), 1):
        if number > MOST_ROWS:
            raise ColumnError("feed", f"more than {MOST_ROWS:,} lines")
        if line.strip():
            yield number, line


def _escaped(name: str) -> str:
    return name.replace("\\", "\\\\").replace("'", "\\'")
