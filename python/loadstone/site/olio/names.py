"""`loadstone olio names`: user names as Olio's loader makes them."""

from __future__ import annotations

import json
from typing import Annotated, Literal

import typer


def names(
    first: Annotated[int, typer.Option(min=0, max=2**62, help="Id of the first account.")] = 1,
    count: Annotated[int, typer.Option(min=1, max=100_000, help="Number of accounts.")] = 10,
    kind: Annotated[
        Literal["release", "paper", "words"],
        typer.Option("--names", help="Which names the data set has; words under `serve olio` for people."),
    ] = "release",
    as_json: Annotated[bool, typer.Option("--json", help="Print the names as JSON.")] = False,
) -> None:
    """Print the user names of some ids, to check other implementations.

    Example: loadstone olio names --first 1 --count 5
    """
    from loadstone._core import usernames

    found = usernames(first, count, kind)
    if as_json:
        print(json.dumps({str(first + i): name for i, name in enumerate(found)}, indent=2))
        return
    print("\n".join(f"{first + i}\t{name}" for i, name in enumerate(found)))
