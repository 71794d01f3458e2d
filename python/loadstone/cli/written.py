"""The records of `loadstone nodes` and `loadstone cost`: what they warn of, and put beside what they start
from."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from loadstone.stages.origin import Origin

Shown = TypeVar("Shown", bound="Origin")


def warn(record: Origin) -> None:
    """Says on stderr what the record warns of."""
    for warning in record.warnings:
        print(f"warning: {warning}", file=sys.stderr)


def write_beside(measured: Path, record: Origin) -> None:
    """Writes the record into the folder of the file `measured`, whole or not at all, and says so on stderr.

    Errors: `disk-full`, `cannot-write`.
    """
    # Imported here: typed numbers are answered without waiting for the database.
    from loadstone.record import write_json

    file = measured.parent / record.FILE
    write_json(file, record.content())
    print(f"wrote {file}", file=sys.stderr)


def show(record: Shown, as_json: bool, told: Callable[[Shown], str]) -> None:
    """Prints the record as JSON, or as it is told to people."""
    print(json.dumps(record.content(), indent=2, ensure_ascii=False) if as_json else told(record))
