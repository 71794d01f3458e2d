"""`loadstone image check`, `export`, `backup`, `restore`: what is on a disk, and copies of it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from loadstone.cli.columns import columns
from loadstone.cli.image_disk import Mode, mib_of
from loadstone.errors import BAD_INPUT, LoadstoneError
from loadstone.image import back_up, back_up_running, check_disk, export_database, restore_disk

if TYPE_CHECKING:
    from loadstone.image import Checked

AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
_Disk = Annotated[Path, typer.Argument(metavar="DISK", help="Disk that no machine or process has.")]
_Name = Annotated[
    str | None, typer.Option("--name", metavar="NAME", help="Database on the disk, such as olio.db.")
]


def check(disk: _Disk, as_json: AsJson = False) -> None:
    """Read every page of every database on a disk: is it what was written, do the tables agree?

    Exit code: 0 all is well, 2 something is not, and a sentence says what.

    Example: loadstone image check olio.disk
    """
    _tell(check_disk(_there(disk)), as_json)


def export(
    disk: _Disk,
    to: Annotated[Path, typer.Argument(metavar="FILE", help="SQLite file to make.")],
    name: _Name = None,
) -> None:
    """Copy a database from a disk into an ordinary SQLite file.

    Example: loadstone image export olio.disk olio.sqlite
    """
    found = export_database(_there(disk), to, name)
    print(f"wrote {found} to {to}", file=sys.stderr)


def backup(
    disk: Annotated[Path, typer.Argument(metavar="DISK|SOCKET", help="Disk, or with --running a socket.")],
    to: Annotated[Path, typer.Argument(metavar="FILE", help="Copy to make.")],
    running: Annotated[
        bool,
        typer.Option(
            "--running", help="Copy the disk of the machine whose `image boot --monitor` made that socket."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Copy a disk, also while its image serves, and check the copy.

    Example: loadstone image backup --running olio.socket monday.disk
    """
    _tell(back_up_running(disk, to) if running else back_up(_there(disk), to), as_json)


def restore(
    source: Annotated[Path, typer.Argument(metavar="FILE", help="Backup, other disk, or SQLite file.")],
    disk: Annotated[Path, typer.Argument(metavar="DISK", help="Disk to make.")],
    size: Annotated[str, typer.Option(metavar="SIZE", help="Size of the disk, such as 64M or 2G.")] = "64M",
    mode: Annotated[
        Mode, typer.Option(help="How transactions are protected, as in `image disk`.")
    ] = Mode.LOG,
    name: _Name = None,
) -> None:
    """Make a new disk of the current format with the databases of a backup, or with a SQLite file.

    Example: loadstone image restore monday.disk olio.disk --size 128M
    """
    names = restore_disk(source, disk, mib_of(size), mode.value, name)
    print(f"wrote {', '.join(names)} to {disk}", file=sys.stderr)


def _there(disk: Path) -> Path:
    if not disk.is_file() and not disk.is_block_device():
        raise LoadstoneError("image-disk", f"there is no disk {disk}")
    return disk


def _tell(found: list[Checked], as_json: bool) -> None:
    if as_json:
        print(json.dumps([vars(one) for one in found], indent=2))
    else:
        rows = [[one.name, f"{one.bytes:,}", "sound" if not one.faults else "damaged"] for one in found]
        print(columns(["database", "bytes", "state"], rows, {"bytes"}))
    for one in found:
        for fault in one.faults:
            print(f"{one.name}: {fault}", file=sys.stderr)
    if any(one.faults for one in found):
        raise typer.Exit(BAD_INPUT)
