"""`loadstone rubis`: the data of the built-in auction site; `loadstone serve rubis`: the site."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from loadstone.cli.container import in_container
from loadstone.cli.olio import Database, place_of, print_counts, require_database
from loadstone.cli.options import Commands
from loadstone.cli.people import Hsts, PublicUrl, Rules, RulesOption, people, tell
from loadstone.cli.serve import data_folder, serve
from loadstone.errors import LoadstoneError

rubis = Commands(no_args_is_help=True, help="The data of RUBiS, the built-in auction site.")

Scale = Annotated[
    float,
    typer.Option(
        min=0.001,
        max=10,
        help="Size of the data set. 1 means a million users and half a million old auctions.",
    ),
]


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    app.add_typer(rubis, name="rubis")


@rubis.callback()
def _rubis() -> None:
    """The data of RUBiS, the built-in auction site."""


@rubis.command()
def load(
    scale: Scale = 0.02,
    out: Annotated[Path | None, typer.Option(help="Folder of the data set. Default: rubis-data.")] = None,
    database: Database = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Remove RUBiS's tables from the database first.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Seed of every random choice.")] = 1,
    base_day: Annotated[
        str, typer.Option(metavar="DATE", help="First day in the site's own calendar.")
    ] = "2008-10-22",
    as_json: Annotated[bool, typer.Option("--json", help="Print the counts as JSON.")] = False,
) -> None:
    """Create a data set, always the same for the same options.

    Example: loadstone rubis load --scale 0.02 --out rubis-data
    """
    from loadstone.cli.progress import LoadingProgress
    from loadstone.drive import Auctions

    place = place_of(out or Path("rubis-data"), out is not None, database, replace)
    options = json.dumps({"seed": seed, "base_day": base_day, "replace": replace})
    counts = Auctions(scale, options).load(place, LoadingProgress(f"RUBiS at scale {scale:g}"))
    print_counts(place, counts, {"scale": scale}, as_json)


@serve.command("rubis")
@in_container
def serve_rubis(
    data: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="Data set made by `loadstone rubis load`. Default: a new one, removed at the end.",
        ),
    ] = None,
    database: Database = None,
    scale: Scale = 0.02,
    rules: RulesOption = Rules.PUBLIC,
    public_url: PublicUrl = None,
    hsts: Hsts = None,
    as_json: Annotated[bool, typer.Option("--json", help="Announce the address as JSON.")] = False,
    *,
    container: dict[str, object],
) -> None:
    """Serve RUBiS, the auction site, until Ctrl-C or SIGTERM; requests under way are finished first.

    Users are called user1, user2 and so on; their passwords are password1, password2 and so on.

    Example: loadstone serve rubis --port 8080
    """
    from loadstone import serve as serving
    from loadstone.drive import Auctions

    def announce(url: str) -> None:
        print(json.dumps({"url": url}) if as_json else f"serving rubis at {url}", flush=True)
        tell(rules)

    options = container | {"rubis": {}} | people(rules, public_url, hsts)
    if database is not None:
        if data is not None:
            raise LoadstoneError("serve-options", "say either --data or --database", hint="leave one out")
        require_database(database, "serve-options")
        serving.serve(database, options, announce)
        return
    with data_folder(data, "rubis", Auctions(scale), f"RUBiS at scale {scale:g}") as folder:
        serving.serve(folder, options, announce)
