"""The records of `loadstone nodes` and `loadstone cost`: what they warn of, and put beside what they start
from."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any


def warn(record: dict[str, Any]) -> None:
    """Says on stderr what the record warns of."""
    for warning in record["warnings"]:
        print(f"warning: {warning}", file=sys.stderr)


def write_beside(measured: Path, name: str, content: dict[str, Any]) -> None:
    """Writes `name` into the folder of the file `measured`, whole or not at all, and says so on stderr.

    Errors: `disk-full`, `cannot-write`.
    """
    # Imported here: typed numbers are answered without waiting for the database.
    from loadstone.record import write_json

    file = measured.parent / name
    write_json(file, content)
    print(f"wrote {file}", file=sys.stderr)
