"""The page of all commands and their options, made from the command line itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer

from loadstone.cli import app

HEAD = """# All commands

Every command and every option, as `--help` prints them. This page is made from the code.
The other pages of the reference explain them.
"""


def page() -> str:
    """The page in Markdown."""
    return "\n".join([HEAD, *_sections("loadstone", typer.main.get_command(app))])


def _sections(name: str, command: Any) -> Iterator[str]:
    """One section for each command below this one; a group of commands has none itself."""
    for each, below in sorted(getattr(command, "commands", {}).items()):
        yield from _sections(f"{name} {each}", below)
    if hasattr(command, "commands"):
        return
    yield f"## {name}\n"
    yield (command.help or "").replace("\f", "").strip() + "\n"
    rows = [_row(parameter) for parameter in command.params if parameter.name != "help"]
    if rows:
        yield "| argument or option | default | meaning |\n|---|---|---|"
        yield from rows
        yield ""


def _row(parameter: Any) -> str:
    value = parameter.metavar or parameter.name.upper()
    if parameter.param_type_name == "argument":
        name = f"`{value}`"
    else:
        taken = "" if parameter.is_flag else f" {value}"
        name = ", ".join(f"`{option}{taken}`" for option in parameter.opts)
    shown = parameter.default
    told = not callable(shown) and shown not in (None, False, (), [], "")
    return (
        "| "
        + " | ".join(_cell(text) for text in (name, f"`{shown}`" if told else "", parameter.help or ""))
        + " |"
    )


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
