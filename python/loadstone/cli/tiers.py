"""`loadstone nodes --tiers`: a service in tiers, read and asked for as by `loadstone cost --tiers`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from loadstone.availability.criterion import parse_criterion
from loadstone.availability.deployments import parse_without_spares
from loadstone.cli.count import models_counted
from loadstone.cli.written import show, warn, write_beside
from loadstone.errors import LoadstoneError
from loadstone.nodes.load import above_zero
from loadstone.nodes.quantities import parse_target

if TYPE_CHECKING:
    from loadstone.plan.inputs import Inputs

SHARED = ("scenario", "tiers", "users", "sla", "target", "criterion", "without_spares", "as_json")
"""Options that mean the same with and without tiers."""


def in_tiers(context: typer.Context, file: Path, *, as_json: bool) -> None:
    """Plans, reports, writes nodes.json beside the file; exit code 1 when nothing meets the target."""
    # Imported here: what is not in tiers need not wait for the models.
    from loadstone.cli.tiers_tables import plan_text
    from loadstone.plan.tiers_outlook import outlook
    from loadstone.plan.tiers_read import counted
    from loadstone.plan.tiers_record import tiers_record

    refuse_others(context, SHARED, "nodes-input")
    inputs = read_service(context, file)
    typed = {"tiers": str(file), "sla": inputs.sla, "target": target_of(context, inputs)}
    with models_counted():
        record = tiers_record(outlook(counted(inputs)), typed)
    write_beside(file, record)
    show(record, as_json, plan_text)
    warn(record)
    if record.service is None or record.service.total is None:
        raise typer.Exit(1)


def read_service(context: typer.Context, file: Path) -> Inputs:
    """The checked file, with what was typed instead of what it says.

    Raises what `read_tiers` raises, `nodes-input`, `target`.
    """
    # Imported here: as above.
    from loadstone.plan.asked import Asked
    from loadstone.plan.tiers_read import read_tiers

    given = context.params
    users = above_zero(given["users"], "--users")
    if users is not None and users < 1:
        raise LoadstoneError("nodes-input", "there must be at least one user", place="--users")
    asked = Asked(
        users,
        given["sla"] if is_typed(context, "sla") else None,
        parse_target(given["target"], place="--target") if is_typed(context, "target") else None,
        parse_criterion(given["criterion"]),
        parse_without_spares(given.get("without_spares", "returns")),
    )
    return read_tiers(file, asked)


def target_of(context: typer.Context, inputs: Inputs) -> str:
    """As it was typed, else as a number."""
    if is_typed(context, "target"):
        return str(context.params["target"])
    return f"{float(inputs.availability):.10g}"


def is_typed(context: typer.Context, name: str) -> bool:
    """Whether an option was given, on the command line or in the scenario's table."""
    source = context.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"


def refuse_others(
    context: typer.Context, allowed: tuple[str, ...], slug: str, beside: str = "--tiers",
    hint: str = "write limits, rates and deployments into the tiers file",
) -> None:  # fmt: skip
    """Refuses options that `beside` has no use for. Raises `slug`."""
    for parameter in context.command.params:
        if str(parameter.name) not in allowed and is_typed(context, str(parameter.name)):
            raise LoadstoneError(
                slug, f"`{parameter.opts[0]}` cannot be used with {beside}", place=parameter.opts[0],
                hint=hint,
            )  # fmt: skip
