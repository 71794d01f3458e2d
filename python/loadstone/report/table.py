"""A table: rows of raw values, and columns that know how a person reads them."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from loadstone.report import format

Row = dict[str, Any]


@dataclass(frozen=True)
class Column:
    """One column: `key` names it in the rows and in CSV, unit last."""

    key: str
    label: str
    form: Callable[[Any], str] = format.whole
    numeric: bool = True
    """Whether it is aligned at the right."""
    said: str = ""
    """Where the row has the words for a person, if they do not follow from the value alone."""


def words(key: str, label: str, form: Callable[[Any], str] = format.text) -> Column:
    """A column of words."""
    return Column(key, label, form, numeric=False)


@dataclass(frozen=True)
class Table:
    """A table of the report."""

    slug: str
    title: str
    columns: list[Column]
    rows: list[Row]
    note: str = ""
    highlight: Callable[[Row], str] = field(default=lambda row: "")
    """The class of a row: "", "good", "bad" or "chosen"."""

    def cells(self, row: Row) -> list[tuple[Column, str]]:
        """The row as a person reads it."""
        return [
            (column, format.text(row[column.said]) if column.said else column.form(row.get(column.key)))
            for column in self.columns
        ]

    def csv(self) -> str:
        """Raw values under the columns' keys; an unknown one is empty."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([column.key for column in self.columns])
        for row in self.rows:
            writer.writerow([_raw(row.get(column.key)) for column in self.columns])
        return text.getvalue()

    def markdown(self) -> str:
        """A GitHub table."""
        head = [column.label for column in self.columns]
        rule = ["---:" if column.numeric else "---" for column in self.columns]
        body = [[escaped(words) for _, words in self.cells(row)] for row in self.rows]
        return "\n".join("| " + " | ".join(cells) + " |" for cells in [head, rule, *body])


VERDICTS = {
    None: format.UNKNOWN,
    "met": "✓ met",
    "missed": "✗ missed",
    "open": "? open",
    "noted": "! noted",
}


def mark(value: Any) -> str:
    """A verdict as a sign and a word: the colour alone must not carry it."""
    return VERDICTS.get(value, f"? {value}")


def _raw(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value)
    # A spreadsheet would run a cell that begins so as a formula.
    return "'" + text if isinstance(value, str) and text[:1] in ("=", "+", "-", "@") else text


def escaped(words: str) -> str:
    """Text that cannot end a table's cell or become markup."""
    for sign in ("\\", "|", "<", "`", "*", "_", "[", "]"):
        words = words.replace(sign, "\\" + sign if sign != "<" else "&lt;")
    return " ".join(words.split())
