"""Parquet tables of a run folder: read by DuckDB, whose complaints become ours."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import duckdb

from loadstone.errors import LoadstoneError


@contextlib.contextmanager
def reading_tables(slug: str, folder: Path, hint: str) -> Iterator[None]:
    """Surrounds queries over tables of `folder`: turns DuckDB's errors into `slug`."""
    try:
        yield
    except duckdb.Error as error:
        reason = str(error).strip().split("\n")[0][:300]
        raise LoadstoneError(
            slug, f"a table cannot be read: {reason}", place=str(folder), hint=hint
        ) from error
