"""How much load can this service carry, how many machines keep it up, and what does each user cost?

    import loadstone

    results = loadstone.open("runs/olio")
    print(results.verdicts, results.run.throughput_ops_per_s)

docs/reference/library.md has the rest. Nothing is imported before it is used.
"""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from loadstone.errors import LoadstoneError as LoadstoneError
    from loadstone.library import Results as Results
    from loadstone.library import Scenario as Scenario

__all__ = ["LoadstoneError", "Results", "Scenario", "open"]


def open(folder: str | PathLike[str]) -> Results:
    """What a folder of `run`, `capacity`, `nodes`, `cost` or `ab` holds. LoadstoneError `results-folder`."""
    from pathlib import Path

    from loadstone.library import Results

    return Results(Path(folder))


def __getattr__(name: str) -> Any:
    if name == "LoadstoneError":
        from loadstone.errors import LoadstoneError

        return LoadstoneError
    if name in ("Results", "Scenario"):
        from loadstone import library

        return getattr(library, name)
    if name == "__version__":
        from loadstone._core import __version__

        return __version__
    raise AttributeError(f"module `loadstone` has no attribute `{name}`")
