"""The command line: one module a command, each adding itself with `register`."""

from __future__ import annotations

import sys
import traceback

import typer

from loadstone.cli import (
    capacity,
    chaos,
    cost,
    demo,
    deploy,
    image,
    lab,
    nodes,
    olio,
    plan,
    probe,
    report,
    rubis,
    run,
    scenario,
    serve,
    solve,
    study,
    sweep,
)
from loadstone.errors import LoadstoneError

app = typer.Typer(
    name="loadstone",
    help="How much load can this service carry, how many machines keep it up, and what does each user cost?",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
capacity.register(app)
chaos.register(app)
cost.register(app)
demo.register(app)
deploy.register(app)
image.register(app)
lab.register(app)
nodes.register(app)
olio.register(app)
plan.register(app)
probe.register(app)
report.register(app)
rubis.register(app)
run.register(app)
scenario.register(app)
serve.register(app)
solve.register(app)
sweep.register(app)
study.register(app)


def main() -> None:
    """Runs the command line; errors go to stderr, the exit code is the error's own.

    What nobody foresaw is `internal`: without a code of its own it would read as "SLA not met".
    """
    try:
        app()
    except LoadstoneError as error:
        fault = error
    except Exception as error:
        traceback.print_exc()
        fault = LoadstoneError(
            "internal", f"{type(error).__name__}: {error}", hint="report it with the lines above"
        )
    else:
        return
    print(fault, file=sys.stderr)
    sys.exit(fault.exit_code)
