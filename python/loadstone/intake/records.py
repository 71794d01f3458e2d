"""JSON within bounds: the records that stages write and read. Anybody may have changed them in between."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.intake.bounds import DEEPEST, MOST_DIGITS, Unbounded, check_bounds, spelled
from loadstone.intake.files import Kind, read_text


def json_of(text: str | bytes) -> Any:
    """The value of a JSON text: no deeper, longer or larger than the limits, every number finite.

    ValueError with a sentence otherwise.

    >>> json_of('{"users": 20}')
    {'users': 20}
    """
    try:
        found = json.loads(text, parse_int=_whole, parse_constant=_not_finite)
        check_bounds(found)
    except RecursionError as error:
        raise ValueError(f"lists or objects are nested deeper than {DEEPEST}") from error
    except Unbounded as error:
        raise ValueError(f"`{spelled(error.path)}`: {error}") from error
    return found


def read_object(path: Path, kind: Kind, *, place: str | None = None) -> dict[str, Any]:
    """The JSON object in a file. LoadstoneError with the kind's slug, naming file and line."""
    text = read_text(path, kind)
    try:
        content = json_of(text)
    except json.JSONDecodeError as error:
        at = f"{path}:{error.lineno}"
        raise LoadstoneError(kind.slug, f"not JSON: {error.msg}", place=at, hint=kind.hint) from error
    except ValueError as error:
        raise LoadstoneError(kind.slug, str(error), place=place or str(path), hint=kind.hint) from error
    if not isinstance(content, dict):
        raise LoadstoneError(
            kind.slug, f"it is not {kind.noun}: the JSON must be an object", place=str(path), hint=kind.hint
        )
    return content


def json_lines(path: Path, kind: Kind, content: bytes) -> Iterator[dict[str, Any]]:
    """The objects of a file with one a line. A last line without its end was cut off, and is left out.

    LoadstoneError with the kind's slug and the line.
    """
    lines = content.split(b"\n")
    for number, line in enumerate(lines[:-1], 1):
        if not line:
            continue
        try:
            found = json_of(line)
            if not isinstance(found, dict):
                raise ValueError("the line is not an object")
        except ValueError as error:
            message = f"cannot read it: {error}"
            raise LoadstoneError(kind.slug, message, place=f"{path}:{number}", hint=kind.hint) from error
        yield found


def _whole(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"a number has {len(digits):,} digits, more than {MOST_DIGITS}")
    return int(digits)


def _not_finite(word: str) -> float:
    raise ValueError(f"{word} is not a JSON number")
