"""New prices into a price book of one's own: what is added, what changes, and what is refused."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass, fields
from decimal import Decimal

from loadstone.cost.book import COLUMNS, OPTIONAL_COLUMNS, PriceBook
from loadstone.cost.row import PriceRow
from loadstone.errors import LoadstoneError

Key = tuple[str, str, str, str, Decimal | None, int | None]


@dataclass(frozen=True)
class Merged:
    """The book with the new prices in it, and what they did."""

    book: PriceBook
    added: tuple[PriceRow, ...]
    changed: tuple[tuple[PriceRow, PriceRow], ...]
    """As it was, as it is."""
    same: int


def merged(own: PriceBook, new: PriceBook) -> Merged:
    """`own` with the rows of `new`, each in the place of the row that it replaces.

    Raises `price-book` when a new row is older than the one that it would replace.
    """
    before = {key(row): row for row in own.rows}
    after = dict(before)
    added, changed, same = [], [], 0
    for row in new.rows:
        old = before.get(key(row))
        if old is None:
            added.append(row)
        elif old == row:
            same += 1
        elif row.dated < old.dated:
            raise LoadstoneError(
                "price-book", f"`{row.label()}` is older than what the book has: `{old.label()}`",
                hint="leave that row out, or give the older price a book of its own",
            )  # fmt: skip
        else:
            changed.append((old, row))
        after[key(row)] = row
    book = PriceBook(tuple(after.values()), {**own.sources, **new.sources})
    return Merged(book, tuple(added), tuple(changed), same)


def key(row: PriceRow) -> Key:
    """What a price is of: two rows with the same key cannot stand in one book."""
    return (row.book, row.region, row.kind, row.sku, row.from_gb, row.term_months)


def as_csv(book: PriceBook) -> str:
    """The file of a price book, with what its source keys stand for."""
    known = {field.name for field in fields(PriceRow)}
    columns = [column for column in (*COLUMNS, *OPTIONAL_COLUMNS) if column in known]
    used = [column for column in columns if column in COLUMNS or _any(book.rows, column)]
    text = io.StringIO()
    text.writelines(f"# source {name}: {said}\n" for name, said in book.sources.items())
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(used)
    writer.writerows([_cell(getattr(row, column)) for column in used] for row in book.rows)
    return text.getvalue()


def _any(rows: Iterable[PriceRow], column: str) -> bool:
    return any(getattr(row, column) is not None for row in rows)


def _cell(value: object) -> str:
    return "" if value is None else f"{value:f}" if isinstance(value, Decimal) else str(value)
