"""The argument SCENARIO, and what a shell completes it with."""

from __future__ import annotations

import glob
from pathlib import Path
from typing import Annotated

import typer


def completed(incomplete: str) -> list[str]:
    """What a shell offers for the beginning of a scenario: built-in names, scenario files, folders."""
    # Imported here: only completion needs it before the command runs.
    from loadstone.scenario.builtin import builtin_names

    found = sorted(Path(incomplete).parent.glob(f"{glob.escape(Path(incomplete).name)}*"))
    if incomplete.endswith("/"):
        found = sorted(Path(incomplete).glob("*"))
    files = [str(path) for path in found if path.suffix in (".toml", ".py")]
    folders = [f"{path}/" for path in found if path.is_dir()]
    return [*(name for name in builtin_names() if name.startswith(incomplete)), *files, *folders]


Name = Annotated[
    str,
    typer.Argument(
        metavar="SCENARIO",
        help="A scenario file, or the name of a built-in one.",
        autocompletion=completed,
    ),
]
