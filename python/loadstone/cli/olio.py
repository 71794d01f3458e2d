"""`loadstone olio`: the data of the built-in social-events site."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from loadstone.cli.columns import columns
from loadstone.cli.options import Commands
from loadstone.errors import LoadstoneError

olio = Commands(no_args_is_help=True, help="The data of Olio, the built-in social-events site.")

Profile = Annotated[str, typer.Option(metavar="NAME", help="Era of the data: cloudstone-2008 or olio-0.2.")]
MediaScale = Annotated[
    float, typer.Option(min=0.000001, max=100, help="Sizes of pictures relative to Olio's.")
]
Database = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        envvar="LOADSTONE_DATABASE",
        help="Database that several servers share: postgres://user:password@host:port/name, or mysql://…;"
        " or block:PATH, a disk formatted for databases.",
    ),
]


class Names(StrEnum):
    """Which lengths user names have."""

    RELEASE = "release"
    PAPER = "paper"


_ACCOUNTS_A_USER = {"cloudstone-2008": 10, "olio-0.2": 100}
"""Accounts for each concurrent user: a tenth of the accounts is logged in (2008), a hundredth (0.2)."""

_DATABASES = ("postgres", "postgresql", "mysql", "mariadb")
"""Schemes of a database's URL."""


def require_database(url: str, slug: str) -> None:
    """Refuses what is no URL of a database that is known here, and no disk that is there. Error `slug`."""
    scheme, _, path = url.partition(":")
    if scheme == "block":
        if not Path(path).exists() or Path(path).is_dir():
            raise LoadstoneError(slug, f"there is no disk {path}", hint="name a device or an image of one")
        return
    if url.partition("://")[0] not in _DATABASES:
        raise LoadstoneError(
            slug, f"{url} is not a database", hint="for example postgres://user:password@127.0.0.1:5432/olio"
        )


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    app.add_typer(olio, name="olio")


@olio.command()
def load(
    users: Annotated[
        int | None, typer.Option(min=1, help="Concurrent users that the data set is for.")
    ] = None,
    accounts: Annotated[
        int | None, typer.Option(min=1, help="Number of accounts, instead of deriving it from the users.")
    ] = None,
    profile: Profile = "cloudstone-2008",
    out: Annotated[Path | None, typer.Option(help="Folder of the data set. Default: olio-data.")] = None,
    database: Database = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Remove Olio's tables from the database first.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Seed of every random choice.")] = 1,
    base_day: Annotated[str, typer.Option(metavar="DATE", help="The site's virtual today.")] = "2008-10-22",
    media_scale: MediaScale = 1.0,
    names: Annotated[
        Names, typer.Option(help="Lengths of user names. release: 6 to 11; paper: 3 to 8.")
    ] = Names.RELEASE,
    minimal_indexes: Annotated[
        bool,
        typer.Option(
            "--minimal-indexes",
            help="Leave out every index except the keys, to make the site slow on purpose.",
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the counts as JSON.")] = False,
) -> None:
    """Create a data set, always the same for the same options.

    Example: loadstone olio load --users 100 --out olio-data
    """
    from loadstone.cli.progress import LoadingProgress
    from loadstone.drive import DataSet

    if profile not in _ACCOUNTS_A_USER:
        known = " and ".join(_ACCOUNTS_A_USER)
        raise LoadstoneError("data-options", f"no profile `{profile}`", hint=f"there are {known}")
    if (users is None) == (accounts is None):
        raise LoadstoneError(
            "data-options", "say either --users or --accounts", hint="for example --users 100"
        )
    place = place_of(out or Path("olio-data"), out is not None, database, replace)
    size = accounts if accounts is not None else _ACCOUNTS_A_USER[profile] * (users or 0)
    options = {
        "seed": seed,
        "base_day": base_day,
        "media_scale": media_scale,
        "names": names.value,
        "minimal_indexes": minimal_indexes,
        "replace": replace,
    }
    counts = DataSet(size, profile, json.dumps(options)).load(place, LoadingProgress(f"{size} accounts"))
    print_counts(place, counts, {"accounts": size, "profile": profile}, as_json)


def place_of(folder: Path, is_chosen: bool, database: str | None, replace: bool) -> Path | str:
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


def print_counts(
    place: Path | str, counts: Mapping[str, int], about: Mapping[str, object], as_json: bool
) -> None:
    """Says how many rows were loaded, by table; `about` is what else the JSON says."""
    from loadstone._core import without_password

    if as_json:
        kind = "folder" if isinstance(place, Path) else "database"
        print(json.dumps({kind: without_password(str(place)), **about, "rows": counts}, indent=2))
        return
    rows = [[table, str(count)] for table, count in counts.items()]
    print(columns(["table", "rows"], [*rows, ["all", str(sum(counts.values()))]], {"rows"}))


@olio.command()
def names(
    first: Annotated[int, typer.Option(min=0, max=2**62, help="Id of the first account.")] = 1,
    count: Annotated[int, typer.Option(min=1, max=100_000, help="Number of accounts.")] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="Print the names as JSON.")] = False,
) -> None:
    """Print the user names of some ids: a test vector for other implementations.

    Example: loadstone olio names --first 1 --count 5
    """
    from loadstone._core import usernames

    found = usernames(first, count)
    if as_json:
        print(json.dumps({str(first + i): name for i, name in enumerate(found)}, indent=2))
        return
    print("\n".join(f"{first + i}\t{name}" for i, name in enumerate(found)))
