"""`loadstone olio load` and its like: the data sets of the built-in sites."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from loadstone.cli.columns import columns
from loadstone.cli.options import Commands
from loadstone.cli.site_fields import options, understood, with_options
from loadstone.errors import LoadstoneError
from loadstone.site import SITES, Site

Database = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        envvar="LOADSTONE_DATABASE",
        help="Database that several servers share: postgres://user:password@host:port/name, or mysql://…;"
        " or block:PATH, a disk formatted for databases.",
    ),
]

Replicas = Annotated[
    list[str] | None,
    typer.Option(
        metavar="URL",
        envvar="LOADSTONE_REPLICAS",
        help="A copy of the database, which pages that only read may come from. Repeatable.",
    ),
]

_DATABASES = ("postgres", "postgresql", "mysql", "mariadb")
"""Schemes of a database's URL."""


def register(app: typer.Typer) -> None:
    """Adds a group of commands for each site with a data set."""
    for site in SITES.values():
        if site.has_loader:
            app.add_typer(group(site), name=site.name)


def group(site: Site) -> Commands:
    """The commands of a site's data."""
    commands = Commands(no_args_is_help=True, help=f"Load the data of {site.title}.")
    commands.callback()(lambda: None)
    commands.command("load", help=_help(site))(_load(site))
    for own in site.commands:
        commands.command()(own)
    return commands


def require_database(url: str, slug: str) -> None:
    """Refuses what is neither the URL of a known database nor an existing disk. Error `slug`."""
    scheme, _, path = url.partition(":")
    if scheme == "block":
        if not Path(path).exists() or Path(path).is_dir():
            raise LoadstoneError(slug, f"there is no disk {path}", hint="name a device or an image of one")
        return
    if url.partition("://")[0] not in _DATABASES:
        raise LoadstoneError(
            slug, f"{url} is not a database", hint="for example postgres://user:password@127.0.0.1:5432/site"
        )


def _help(site: Site) -> str:
    return (
        "Create a data set, always the same for the same options.\n\n"
        f"Example: loadstone {site.name} load {_example(site)} --out {site.name}-data"
    )


def _example(site: Site) -> str:
    amount = site.data.amount
    return "--users 100" if _goes_by_users(site) else f"--{amount} {site.data.model_fields[amount].default}"


def _goes_by_users(site: Site) -> bool:
    return site.data.for_users(1, {}) is not None


def _load(site: Site) -> Callable[..., None]:
    """The command, with an option for each field of the data."""
    amount = site.data.amount

    def load(
        *,
        users: Annotated[
            int | None, typer.Option(min=1, help="Concurrent users that the data set is for.")
        ] = None,
        out: Annotated[
            Path | None, typer.Option(help=f"Folder of the data set. Default: {site.name}-data.")
        ] = None,
        database: Database = None,
        replace: Annotated[
            bool, typer.Option("--replace", help="Remove the site's tables from the database first.")
        ] = False,
        as_json: Annotated[bool, typer.Option("--json", help="Print the counts as JSON.")] = False,
        **given: Any,
    ) -> None:
        from loadstone.cli.progress import LoadingProgress
        from loadstone.measure import DataSet

        if _goes_by_users(site):
            if (users is None) == (given[amount] is None):
                hint = "for example --users 100"
                raise LoadstoneError("data-options", f"say either --users or --{amount}", hint=hint)
            if users is not None:
                given[amount] = site.data.for_users(users, given)
        data = understood(site.data, given, "data-options")
        place = _place(out or Path(f"{site.name}-data"), out is not None, database, replace)
        progress = LoadingProgress(f"{site.name}, {amount} {data.size}")
        counts = DataSet(site, data, replace).load(place, progress)
        about = {name: getattr(data, name) for name in (amount, *site.data.with_options)}
        _print_counts(place, counts, about, as_json)

    own = {option.name: option for option in options(site.data)}
    if _goes_by_users(site):
        # Which of both is said is looked at by the command.
        own[amount] = own[amount].replace(default=None)
    absent = ("given",) if _goes_by_users(site) else ("given", "users")
    return with_options(load, own.values(), absent, {"site": site})


def _place(folder: Path, is_chosen: bool, database: str | None, replace: bool) -> Path | str:
    """Where a data set goes: a database where one is named, else `folder`.

    Errors: `data-options`, and as `require_unused`.
    """
    from loadstone.record import require_unused

    if database is not None:
        if is_chosen:
            raise LoadstoneError("data-options", "say either --out or --database", hint="leave one out")
        require_database(database, "data-options")
        if replace and database.startswith("block:"):
            raise LoadstoneError("data-options", "--replace is for servers", hint="format the disk again")
        return database
    if replace:
        raise LoadstoneError("data-options", "--replace is for --database", hint="a folder must be a new one")
    require_unused(folder)
    return folder


def _print_counts(
    place: Path | str, counts: Mapping[str, int], about: Mapping[str, object], as_json: bool
) -> None:
    """Prints the number of loaded rows by table. `about` is added to the JSON."""
    from loadstone._core import without_password

    if as_json:
        kind = "folder" if isinstance(place, Path) else "database"
        print(json.dumps({kind: without_password(str(place)), **about, "rows": counts}, indent=2))
        return
    rows = [[table, str(count)] for table, count in counts.items()]
    print(columns(["table", "rows"], [*rows, ["all", str(sum(counts.values()))]], {"rows"}))
