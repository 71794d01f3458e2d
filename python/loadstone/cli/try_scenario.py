"""`loadstone try`: one user, every request and answer."""

from __future__ import annotations

import dataclasses
import json
from typing import Annotated

import typer

from loadstone.cli.measuring import load, loading
from loadstone.cli.run_options import Url
from loadstone.cli.scenario import Overrides
from loadstone.cli.scenario_name import Name
from loadstone.errors import RUN_FAILED


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("try")(try_)


def try_(
    scenario: Name,
    operations: Annotated[
        int,
        typer.Option(
            min=1, max=100_000, help="Operations of the walk; a session that ends is followed by another."
        ),
    ] = 20,
    only: Annotated[
        str | None,
        typer.Option(
            "--only", metavar="NAME", help="Of several scenarios walk this one, not one after the other."
        ),
    ] = None,
    url: Url = None,
    seed: Annotated[
        int, typer.Option(min=0, help="Seed of every random choice: another one, another walk.")
    ] = 1,
    settings: Overrides = None,
    think: Annotated[bool, typer.Option("--think", help="Wait between operations as users do.")] = False,
    whole: Annotated[
        bool, typer.Option("--whole", help="Show every request and answer whole, not only those that failed.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one line of JSON an exchange.")] = False,
) -> None:
    """Walk one user through a scenario and show each request, its answer, and what was taken from it.

    Nothing is measured or written. Exit code: 0 every operation went well, 2 bad input, 3 service
    unreachable, 5 an operation failed.

    Example: loadstone try shop.toml --url http://127.0.0.1:8080 --operations 5
    """
    from loadstone.cli.try_text import Walk
    from loadstone.measure import sut_of, trial

    loaded = load(scenario, settings, url=url)
    loaded.require_sources()
    sut = sut_of(loaded, loading=loading(loaded))
    walk = Walk(whole=whole)
    for exchange in trial(loaded, sut, operations=operations, seed=seed, waits=think, only=only):
        lines = list(walk.told(exchange))
        for line in [json.dumps(dataclasses.asdict(exchange))] if as_json else lines:
            print(line, flush=True)
    if not as_json:
        print("\n".join([*walk.rest(), walk.summed_up()]))
    raise typer.Exit(RUN_FAILED if walk.failed else 0)
