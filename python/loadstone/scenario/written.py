"""A scenario as it is written: found by path or name, its tables, and where each key of them stands."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.intake import Kind, decoded, read_bytes, toml_of
from loadstone.scenario import builtin, python_file
from loadstone.scenario.built import Built
from loadstone.scenario.findings import suggest
from loadstone.scenario.positions import Positions

_KIND = Kind("scenario-missing", "a scenario")


@dataclass(frozen=True)
class Written:
    """What a file says. What it draws from is beside `path`; `text` says the same as TOML."""

    raw: Mapping[str, Any]
    positions: Positions
    path: Path
    text: bytes


def written(path_or_name: str | Path) -> Written:
    """The file, or the built-in scenario, of that name.

    Errors: `scenario-missing`, `toml-syntax` with the line, those of `python_file.built`.
    """
    path = _find(path_or_name)
    if path.suffix == python_file.ENDING:
        return of_built(python_file.built(path, _KIND))
    text = read_bytes(path, _KIND)
    raw, positions = parse_toml(text, path)
    return Written(raw, positions, path, text)


def of_built(built: Built) -> Written:
    """What was built in Python."""
    text = built.to_toml()
    return Written(toml_of(text, str(built.file)), built.places, built.file, text.encode())


def parse_toml(text: bytes, path: Path) -> tuple[dict[str, Any], Positions]:
    """The tables of a file and where its keys stand. LoadstoneError `toml-syntax` with the line."""
    words = decoded(text, "toml-syntax", path)
    return toml_of(words, str(path)), Positions(words)


def _find(path_or_name: str | Path) -> Path:
    path = Path(path_or_name)
    names = builtin.builtin_names()
    # `os.path`: a name longer than any file's is not a file; `Path` would raise.
    if str(path_or_name) in names and not os.path.isfile(path):
        return builtin.builtin_path(str(path_or_name))
    if not os.path.isfile(path):
        problem = "is not a file" if os.path.exists(path) else "does not exist"
        hint = suggest(str(path_or_name), names, f"a path, or one of the built-in {', '.join(names)}")
        raise LoadstoneError("scenario-missing", f"the scenario `{path_or_name}` {problem}", hint=hint)
    return path
