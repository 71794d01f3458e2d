"""Commands whose options are bounded before anything uses them."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand

from loadstone.errors import LoadstoneError

_LONGEST_NAME = 255
"""Bytes of one part of a path: no file system here takes more."""
_LONGEST_PATH = 4095
"""Bytes of a path."""
_LARGEST = 1e18
"""Of a number of the command line: squares and sums of such are still numbers."""
_SMALLEST = 1e-18
"""Of one that is not 0: a million divided by such is still a number."""


class Bounded(TyperCommand):
    """A command that refuses impossible numbers and paths before anything uses them."""

    def invoke(self, ctx: Any) -> Any:
        """Checks every option and argument, then runs the command. LoadstoneError `bad-option`."""
        self.require_bounded(ctx)
        return super().invoke(ctx)

    def require_bounded(self, ctx: Any) -> None:
        """Refuses impossible numbers and paths. LoadstoneError `bad-option`."""
        for parameter in self.params:
            value = ctx.params.get(parameter.name or "")
            for one in value if isinstance(value, list | tuple) else (value,):
                _check(parameter, one)


class Commands(typer.Typer):
    """A Typer whose commands are `Bounded`."""

    def command(self, name: str | None = None, **options: Any) -> Callable[..., Any]:
        """As Typer's."""
        return super().command(name, **{"cls": Bounded} | options)


def _check(parameter: Any, value: Any) -> None:
    is_option = parameter.param_type_name == "option"
    place = max(parameter.opts, key=len) if is_option else str(parameter.name).upper()
    if isinstance(value, float) and value and not _SMALLEST <= abs(value) <= _LARGEST:
        message = f"`{value:g}` is not a number from {_SMALLEST:g} to {_LARGEST:g}"
        if not math.isfinite(value):
            message = f"`{value:g}` is not a number"
        raise LoadstoneError("bad-option", message, place=place)
    if isinstance(value, Path):
        raw = os.fsencode(value)
        longest = max((len(part) for part in raw.split(b"/")), default=0)
        if longest > _LONGEST_NAME or len(raw) > _LONGEST_PATH:
            message = f"a name of {longest:,} bytes is longer than any file's: at most {_LONGEST_NAME}"
            if longest <= _LONGEST_NAME:
                message = f"a path of {len(raw):,} bytes is longer than any file's: at most {_LONGEST_PATH}"
            raise LoadstoneError("bad-option", message, place=place, hint="give a shorter one")
