"""The whole walk: first everything that can be read, then every change."""

from __future__ import annotations

from changing import change
from reading import read
from visitor import Visitor

from loadstone._core import usernames

ACCOUNTS = 120
"""Accounts of the data set that the walk knows."""


def walk(url: str) -> Visitor:
    """Walks through the fresh site at `url`; what was wrong is in `faults`.

    Raises `OSError` or `http.client.HTTPException` when the site cannot be reached or breaks off.
    """
    visitor = Visitor(url)
    names = usernames(1, ACCOUNTS)
    read(visitor, names)
    change(visitor, names)
    return visitor
