"""The command line: one module a command, imported when the command is named."""

from __future__ import annotations

import sys
import tempfile
import traceback
from typing import Annotated

import typer

from loadstone import leave
from loadstone.cli.catalogue import OnDemand
from loadstone.cli.options import Commands
from loadstone.cli.terminal import plain_output
from loadstone.errors import LoadstoneError

app = Commands(
    name="loadstone",
    cls=OnDemand,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from loadstone import _core

        typer.echo(f"loadstone {_core.__version__}")
        raise typer.Exit


@app.callback(
    help="How much load can this service carry, how many machines keep it up, and what does each user cost?"
)
def loadstone(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version and end.", callback=_print_version, is_eager=True),
    ] = False,
) -> None:
    """What comes before the command's name."""


def main() -> None:
    """Runs the command line; errors go to stderr, the exit code is the error's own.

    An unforeseen error is `internal`: without a code of its own it would read as "SLA not met".
    """
    with plain_output():
        try:
            app()
        except LoadstoneError as error:
            fault = error
        except (KeyboardInterrupt, SystemExit, GeneratorExit):
            raise
        except BaseException as error:  # a panic of the engine's is no Exception
            if leave.is_interrupt(error):
                raise KeyboardInterrupt from error
            fault = LoadstoneError("internal", _summed_up(error), hint=_reported(traceback.format_exc()))
        else:
            return
        print(fault, file=sys.stderr)
    sys.exit(fault.exit_code)


def _summed_up(error: BaseException) -> str:
    words = " ".join(str(error).split())
    return f"{type(error).__name__}: {words[:300]}{'…' if len(words) > 300 else ''}"


def _reported(trace: str) -> str:
    """Where the trace was written, as a hint; the trace itself where nothing can be written."""
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="loadstone-", suffix=".txt", delete=False, encoding="utf-8", errors="backslashreplace"
        ) as file:
            file.write(f"loadstone {' '.join(sys.argv[1:])}\n\n{trace}")
    except OSError:
        return f"report it with these lines\n{trace}"
    return f"this is a defect of Loadstone; report it with {file.name}"
