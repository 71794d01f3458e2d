"""`loadstone plan`: the cheapest nodes that carry the load, stay up and answer right."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from loadstone.cli.count import Count
from loadstone.cli.written import show, warn
from loadstone.errors import SLA_NOT_MET

if TYPE_CHECKING:
    from loadstone.plan.conduct import Planned
    from loadstone.stages.plan import Plan

EXAMPLES = """
Find the cheapest nodes, spares, node type and price that carry a load, stay up and answer right.

Also says what better availability would cost, which input matters most, and how sure the answer is.

Examples:

  loadstone plan examples/plan/shop.toml

  loadstone plan shop.toml --out runs/plan --draws 2000

The exit code is 1 if nothing meets the targets.
"""


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("plan", help=EXAMPLES, no_args_is_help=True)(plan_command)


def plan_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Plan file.")],
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="New folder for plan.json, report.html and the chain.")
    ] = None,
    draws: Annotated[
        int,
        typer.Option(
            min=0, max=100_000, help="Number of draws of the uncertain inputs. 0 leaves this part out."
        ),
    ] = 400,
    criterion: Annotated[
        str,
        typer.Option(help="Judge the `long-run`, or the `first-year` from a start with every node up."),
    ] = "long-run",
    seed: Annotated[int, typer.Option(min=0, help="Seed of the draws.")] = 1,
    anyway: Annotated[
        bool,
        typer.Option("--anyway", help="Also use a measurement that shows nothing, and mark the record."),
    ] = False,
    ray: Annotated[bool, typer.Option("--ray", help="Share the draws out over a Ray cluster.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the record instead of the tables.")] = False,
) -> None:
    """Reads, plans, reports; the help text is `EXAMPLES`."""
    from loadstone import record
    from loadstone.availability.criterion import parse_criterion
    from loadstone.cli.plan_tables import tables
    from loadstone.parallel import OverRay, Threads
    from loadstone.plan.conduct import plan
    from loadstone.plan.read import read_plan
    from loadstone.plan.record import plan_record

    inputs = replace(read_plan(file, anyway=anyway), criterion=parse_criterion(criterion))
    if out:
        record.require_unused(out)
    with Count("plans") as count:
        found = plan(inputs, draws, seed, OverRay(count.add) if ray else Threads(count.add))
    typed = {"draws": draws, "seed": seed, "command": ["loadstone", *sys.argv[1:]]}
    written = plan_record(found, typed)
    if out:
        _keep(found, written, out)
    warn(written)
    show(written, as_json, tables)
    raise typer.Exit(0 if written.chosen else SLA_NOT_MET)


def _keep(found: Planned, written: Plan, out: Path) -> None:
    """The folder: the record, the page, and the chosen plan's chain for other solvers."""
    from loadstone import record
    from loadstone.plan.text import text
    from loadstone.report.plan import plan_page

    record.make_folder(out)
    record.write_json(out / written.FILE, written.content())
    if chosen := found.outcome.chosen:
        record.write_text(out / "chosen.prism", text(found.inputs, found.values, chosen))
    record.write_text(out / "report.html", plan_page(out))
    print(str(out / "report.html"), file=sys.stderr)
