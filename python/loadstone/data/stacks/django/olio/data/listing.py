"""One page of a list."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.db.models import QuerySet

Row = dict[str, Any]

PEOPLE = 24
"""People on a page of a list."""


@dataclass(frozen=True)
class Listing:
    """Some rows; `more` tells whether another page follows."""

    items: list[Row]
    page: int
    more: bool

    @property
    def before(self) -> int:
        """Number of the page before."""
        return self.page - 1

    @property
    def after(self) -> int:
        """Number of the page after."""
        return self.page + 1


def listing(rows: QuerySet[Any, Row], page: int, size: int) -> Listing:
    """Page `page`, from 1, of an ordered query; one row too many tells of a next page."""
    start = (page - 1) * size
    return paged(rows[start : start + size + 1], page, size)


def paged(found: Iterable[Row], page: int, size: int) -> Listing:
    """A page of rows that were found with one too many."""
    rows = list(found)
    return Listing(list(islice(rows, size)), page, len(rows) > size)
