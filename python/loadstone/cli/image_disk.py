"""`loadstone image disk`: disks for images."""

from __future__ import annotations

import json
import re
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from loadstone.cli.columns import columns
from loadstone.errors import LoadstoneError
from loadstone.site import SITES

_UNITS = {"": 1 / (1 << 20), "K": 1 / 1024, "M": 1.0, "G": 1024.0}
_AMOUNTS = [f"{site.name}:{site.data.amount.upper()}" for site in SITES.values() if site.has_loader]


class Mode(StrEnum):
    """How a transaction is made whole."""

    LOG = "log"
    JOURNAL = "journal"


def disk(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Disk to make. The file must not exist yet.")],
    size: Annotated[str, typer.Option(metavar="SIZE", help="Size of the disk, such as 64M or 2G.")] = "64M",
    mode: Annotated[
        Mode,
        typer.Option(
            help="How transactions are protected. log: by the disk's own log; journal: by SQLite's."
        ),
    ] = Mode.LOG,
    load: Annotated[
        str | None, typer.Option(metavar="APP:AMOUNT", help=f"Load a data set: {' or '.join(_AMOUNTS)}.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers of rows as JSON.")] = False,
) -> None:
    """Make a disk for an image: formatted, and with an application's data if asked for.

    Example: loadstone image disk olio.disk --size 128M --load olio:400
    """
    from loadstone.cli.progress import LoadingProgress
    from loadstone.image import blank, loaded_disk

    if file.exists():
        raise LoadstoneError(
            "image-disk", f"{file} is there already", hint="remove it first, or choose another"
        )
    mib = mib_of(size)
    app, amount = _data(load)
    if app is None:
        blank(file, mib, mode.value)
        rows: dict[str, int] = {}
    else:
        rows = loaded_disk(file, mib, mode.value, app, amount, LoadingProgress(app))
    if as_json:
        print(json.dumps({"file": str(file), "bytes": mib << 20, "mode": mode.value, "rows": rows}))
    elif rows:
        print(columns(["table", "rows"], [[name, f"{count:,}"] for name, count in rows.items()], {"rows"}))


def mib_of(size: str) -> int:
    """Mebibytes of a size as people type it. LoadstoneError `image-disk`."""
    found = re.fullmatch(r"(\d+)([KMG]?)(?:i?B)?", size, re.IGNORECASE)
    if not found:
        raise LoadstoneError("image-disk", f"`{size}` is not a size", hint="such as 64M or 2G")
    return round(int(found[1]) * _UNITS[found[2].upper()])


def _data(load: str | None) -> tuple[str | None, float]:
    if load is None:
        return None, 0.0
    app, _, amount = load.partition(":")
    try:
        return app, float(amount)
    except ValueError:
        raise LoadstoneError(
            "image-disk",
            f"`{load}` is not a data set",
            hint=" or ".join(_AMOUNTS),
        ) from None
