"""`loadstone import`: a scenario from a recording of a browser, or from the description of an interface."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from loadstone.errors import LoadstoneError
from loadstone.intake import Kind, json_of, read_text

if TYPE_CHECKING:
    from loadstone.learn.openapi import Described
    from loadstone.stages.learn import Learned

EXAMPLES = """
Make a scenario from a recording of a browser (HAR), or from a description of an interface (OpenAPI 3).

The scenario goes to standard output, to be edited. What it cannot express, or must not hold (cookies, tokens,
passwords), is said on standard error and in its comments.

Examples:

  loadstone import shop.har > shop.toml

  loadstone import openapi.yaml --log access.log --url http://127.0.0.1:8080 > api.toml
"""
_KIND = Kind("import-file", "a recording (HAR) or a description of an interface (OpenAPI 3)", 256 << 20)
_MOST_YAML = 4 << 20
"""Bytes: its reader takes a second for a hundred thousand."""
_NOWHERE = "http://127.0.0.1:8080"


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("import", help=EXAMPLES, no_args_is_help=True)(import_)


def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A .har file, or OpenAPI 3 as JSON or YAML.")],
    log: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LOG", help="With OpenAPI: access log from which mix and pauses come. Repeatable."
        ),
    ] = None,
    name: Annotated[str | None, typer.Option(help="Name of the scenario. Default: the file's.")] = None,
    url: Annotated[
        str | None, typer.Option(help="Address of the site. Default: the one of the file.")
    ] = None,
) -> None:
    """Reads, makes, prints; the help text is `EXAMPLES`."""
    content = _content(file)
    called = name or file.name.partition(".")[0] or "imported"
    if "log" in content and "openapi" not in content:
        if log:
            message = "a recording has a mix of its own"
            raise LoadstoneError("bad-option", message, place="--log", hint="`loadstone learn` reads logs")
        from loadstone.learn import har, recorded

        found = recorded.imported(har.recording(content, str(file)), called, url)
    else:
        from loadstone.learn import openapi

        notes: list[str] = []
        operations = openapi.described(content, notes, str(file))
        address = url or openapi.address(content)
        if address is None:
            notes.append(f"the description names no server: {_NOWHERE} stands in its place")
        learned = _learned(log, operations) if log else None
        found = openapi.imported(content, operations, notes, called, address or _NOWHERE, learned)
    for note in found.notes:
        print(f"note: {note}", file=sys.stderr)
    sys.stdout.write(found.text)


def _content(file: Path) -> dict[str, Any]:
    text = read_text(file, _KIND)
    if text.lstrip()[:1] in ("{", "["):
        try:
            content = json_of(text)
        except ValueError as error:
            raise LoadstoneError("import-file", f"not JSON: {error}", place=str(file)) from error
        if not isinstance(content, dict):
            raise LoadstoneError("import-file", f"it is not {_KIND.noun}", place=str(file))
        return content
    if len(text) > _MOST_YAML:
        hint = "convert it to JSON"
        raise LoadstoneError("import-file", "YAML over 4 MiB is not read", place=str(file), hint=hint)
    from loadstone.intake.yaml import yaml_object

    return yaml_object(text, _KIND, str(file))


def _learned(logs: list[str], operations: list[Described]) -> Learned:
    """What the logs say of the operations of the description."""
    from loadstone.cli.learn_told import Told
    from loadstone.learn import Named, Options, learn
    from loadstone.scratch import scratch

    named = [Named(one.name, one.pattern, one.method) for one in operations]
    options = Options(
        operations=named, only_named=True, most_classes=1, most_operations=len(named), least_share=0
    )
    with scratch("learn") as place, Told(logs) as told:
        return learn(logs, options, place, {}, told).record
