"""The command line in this process: what it says and how it ends."""

from __future__ import annotations

import contextlib
import io
import sys
from dataclasses import dataclass

import pytest
import typer.main

from loadstone import cli

_COMMANDS = typer.main.get_command(cli.app)
"""Made once: making it takes longer than most commands do."""
CODES = frozenset(range(8)) - {4}
"""How a command may end: met, missed, bad input, unreachable, failed, open, invalid. 4 is our own fault."""


class _Text(io.TextIOWrapper):
    """Text kept in memory, as strict about encoding as a terminal is."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", newline="")

    def said(self) -> str:
        self.flush()
        raw = self.buffer
        assert isinstance(raw, io.BytesIO)
        return raw.getvalue().decode()


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str


def loadstone(*arguments: str) -> Ended:
    """Runs `loadstone` with `arguments` and catches what it prints."""
    out, err = _Text(), _Text()
    before = sys.argv
    sys.argv = ["loadstone", *arguments]
    code = 0
    try:
        with (
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            pytest.MonkeyPatch.context() as patch,
        ):
            patch.setattr(cli, "app", _COMMANDS)
            try:
                cli.main()
            except SystemExit as ended:
                code = ended.code if isinstance(ended.code, int) else 1
    finally:
        sys.argv = before
    return Ended(code, out.said(), err.said())
