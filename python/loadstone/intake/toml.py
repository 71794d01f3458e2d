"""TOML within bounds: what would cost `tomllib` more than a linear time is refused before it sees it."""

from __future__ import annotations

import re
import tomllib
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.intake.bounds import DEEPEST, MOST_DIGITS, Unbounded, check_bounds, spelled

MOST_PARTS = 32
"""Of a dotted key: `tomllib` takes the square of their number in time and memory."""

_TOKEN = re.compile(
    r'"""(?:[^\\"]+|\\.|"(?!""))*+"{3,5}'
    r"|'''(?:[^']+|'(?!''))*+'{3,5}"
    r'|"(?:[^"\\\n]+|\\[^\n])*+"'
    r"|'[^'\n]*'"
    r"|#[^\n]*|[ \t\r]+"
    r"""|[^\s"'#\[\]{}=.,]+"""
    r"|.|\n",
    re.DOTALL,
)
_DIGITS = re.compile(r"[+-]?[0-9][0-9A-Fa-f_xo]*")
_AT = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def toml_of(text: str, place: str) -> dict[str, Any]:
    """The tables of a text. LoadstoneError `toml-syntax` with `place` and the line."""
    _scan(text, place)
    try:
        found = tomllib.loads(text)
        check_bounds(found, largest=1 << 63, finite=False)
    except tomllib.TOMLDecodeError as error:
        at = _AT.search(str(error))
        line = int(at[1]) if at and at[1] else text.count("\n") + 1
        column = f" in column {at[2]}" if at and at[2] else ""
        reason = f"{str(error)[: at.start()]}{column}" if at else str(error)
        raise LoadstoneError("toml-syntax", reason, place=f"{place}:{line}") from error
    except Unbounded as error:
        raise LoadstoneError("toml-syntax", f"`{spelled(error.path)}`: {error}", place=place) from error
    except (ValueError, RecursionError, OverflowError) as error:  # dates that are none
        raise LoadstoneError("toml-syntax", str(error), place=place) from error
    return found


def _scan(text: str, place: str) -> None:
    """Refuses depth, parts of a key and digits beyond the limits; ends where the text is no TOML."""
    depth = parts = 0
    for token in _TOKEN.finditer(text):
        word = token.group()
        if word in ("'", '"') or (word in ("''", '""') and text[token.end() : token.end() + 1] == word[0]):
            return  # a text without an end: tomllib says so
        if word in ("[", "{"):
            depth, parts = depth + 1, 0
            if depth > DEEPEST:
                raise _refused(f"tables or lists are nested deeper than {DEEPEST}", text, token, place)
        elif word in ("]", "}"):
            depth, parts = depth - 1, 0
        elif word == ".":
            parts += 1
            if parts >= MOST_PARTS:
                raise _refused(f"a key has more than {MOST_PARTS} parts", text, token, place)
        elif word in ("=", ",", "\n"):
            parts = 0
        elif len(word) > MOST_DIGITS and _DIGITS.fullmatch(word):
            message = f"a number has {len(word):,} digits, more than {MOST_DIGITS}"
            raise _refused(message, text, token, place)


def _refused(message: str, text: str, token: re.Match[str], place: str) -> LoadstoneError:
    line = text.count("\n", 0, token.start()) + 1
    return LoadstoneError("toml-syntax", message, place=f"{place}:{line}")
