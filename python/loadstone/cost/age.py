"""How old prices are: a list price changes, and a row says only what it was on its date."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime

from loadstone.cost.row import PriceRow

MOST_DAYS = 365
"""Age up to which a price is used without a warning: lists change about once a year."""


def today() -> date:
    """Today in UTC: the same on every machine."""
    return datetime.now(UTC).date()


def stale(rows: Iterable[PriceRow], most_days: int, on: date) -> list[PriceRow]:
    """Those that are older than `most_days` on that day. A date known to the year counts from its start.

    >>> from loadstone.cost.book import shipped
    >>> rows = shipped().named("aws-2008").rows[:1]
    >>> [len(stale(rows, 365, date(year, 9, 1))) for year in (2009, 2010)]
    [0, 1]
    """
    return [row for row in rows if (on - row.dated).days > most_days]


def warned(rows: Iterable[PriceRow], most_days: int, on: date) -> list[str]:
    """One warning for each book with old rows."""
    by_book: dict[str, list[PriceRow]] = {}
    for row in stale(rows, most_days, on):
        by_book.setdefault(row.book, []).append(row)
    return [_warning(book, old, most_days) for book, old in by_book.items()]


def _warning(book: str, old: list[PriceRow], most_days: int) -> str:
    named = ", ".join(dict.fromkeys(f"{row.sku} {row.as_of}" for row in old))
    return (
        f"prices of {book} are older than {most_days} days ({named}): compare them with the provider's list, "
        "and update your book with `loadstone prices update`"
    )
