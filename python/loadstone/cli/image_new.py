"""`loadstone image new`: a crate for a service of one's own."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer


def new(
    name: Annotated[str, typer.Argument(help="Name of the crate, and of the folder that is made for it.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the files as JSON.")] = False,
) -> None:
    """Make a crate for a service of your own: a page, records on a disk, tests, a fuzz target.

    The same crate runs as a process (`cargo run`) and as an image (`loadstone image build NAME`).

    Example: loadstone image new guest-book
    """
    from loadstone.image import new_crate

    files = [str(file) for file in new_crate(name, Path())]
    print(json.dumps(files, indent=2) if as_json else "\n".join(files))
    print(f"try it: `cd {name}`, `cargo test`; `loadstone image build {name}`", file=sys.stderr)
