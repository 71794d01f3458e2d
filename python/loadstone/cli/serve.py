"""`loadstone serve`: a built-in application as a service."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from loadstone.cli.container import in_container
from loadstone.cli.olio import Database, MediaScale, Profile, require_database
from loadstone.cli.options import Commands
from loadstone.cli.people import Hsts, PublicUrl, Rules, RulesOption, people, tell
from loadstone.errors import LoadstoneError

if TYPE_CHECKING:
    from loadstone.drive.dataset import Kept

serve = Commands(no_args_is_help=True, help="Serve a built-in application.")

MEMORY = "memory"


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.add_typer(serve, name="serve")


@serve.callback()
def _serve() -> None:
    """Serve a built-in application."""


@serve.command()
@in_container
def olio(
    data: Annotated[
        str | None,
        typer.Option(
            metavar="DIR|memory",
            help="Data set made by `loadstone olio load`. Default: a new one, removed at the end. "
            "`memory` keeps it in main memory.",
        ),
    ] = None,
    database: Database = None,
    cache: Annotated[
        str, typer.Option(metavar="LEVEL", help="What the site caches: none, query, fragment or page.")
    ] = "none",
    accounts: Annotated[int, typer.Option(min=1, help="Accounts of a new data set.")] = 1000,
    profile: Profile = "cloudstone-2008",
    media_scale: MediaScale = 1.0,
    rules: RulesOption = Rules.PUBLIC,
    public_url: PublicUrl = None,
    hsts: Hsts = None,
    as_json: Annotated[bool, typer.Option("--json", help="Announce the address as JSON.")] = False,
    *,
    container: dict[str, object],
) -> None:
    """Serve Olio, the social-events site, until Ctrl-C or SIGTERM; requests under way are finished first.

    Example: loadstone serve olio --port 8080
    """
    from loadstone import serve as serving

    options = container | {"cache": cache} | people(rules, public_url, hsts)

    def announce(url: str) -> None:
        print(json.dumps({"url": url}) if as_json else f"serving olio at {url}", flush=True)
        tell(rules)

    if database is not None:
        if data is not None:
            raise LoadstoneError("serve-options", "say either --data or --database", hint="leave one out")
        require_database(database, "serve-options")
        serving.serve(database, options, announce)
        return
    if data == MEMORY:
        made = {"accounts": accounts, "profile": profile, "options": {"media_scale": media_scale}}
        serving.serve(Path(), options | {"memory": made}, announce)
        return
    from loadstone.drive import DataSet

    kept = DataSet(accounts, profile, json.dumps({"media_scale": media_scale}))
    with data_folder(data, "olio", kept, f"{accounts} accounts") as folder:
        serving.serve(folder, options, announce)


@serve.command()
@in_container
def surge(
    files: Annotated[int, typer.Option(min=10, max=1_000_000, help="Number of files.")] = 5000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of sizes, popularity and references.")] = 1,
    profile: Annotated[
        str, typer.Option(metavar="NAME", help="Laws of the file set: measured, or surge-1998 as published.")
    ] = "measured",
    as_json: Annotated[bool, typer.Option("--json", help="Announce the address as JSON.")] = False,
    *,
    container: dict[str, object],
) -> None:
    """Serve SURGE's files, generated from a seed, until Ctrl-C or SIGTERM.

    Example: loadstone serve surge --port 8080 --files 5000 --seed 1
    """
    from loadstone import serve as serving

    def announce(url: str) -> None:
        print(json.dumps({"url": url}) if as_json else f"serving surge at {url}", flush=True)

    made = {"files": files, "seed": seed, "profile": profile}
    serving.serve("surge", container | {"surge": made}, announce)


@serve.command()
@in_container
def relay(
    url: Annotated[str, typer.Argument(help="Server that answers in the end: http://HOST:PORT.")],
    as_json: Annotated[bool, typer.Option("--json", help="Announce the address as JSON.")] = False,
    *,
    container: dict[str, object],
) -> None:
    """Pass each request on to another server, and its answer back; a worker waits for it meanwhile.

    It does to its workers what an application with a database does.

    Example: loadstone serve relay http://127.0.0.1:9000 --workers 10
    """
    from loadstone import serve as serving

    def announce(own: str) -> None:
        print(json.dumps({"url": own}) if as_json else f"serving {url} at {own}", flush=True)

    serving.serve(url, container | {"relay": True}, announce)


@serve.command()
@in_container
def files(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="The folder whose files are served.")],
    cache_mib: Annotated[
        int,
        typer.Option(
            min=0,
            max=1 << 20,
            help="Keep up to this many MiB of files in memory. 16 large files kept open count as 1 MiB.",
        ),
    ] = 64,
    valid: Annotated[
        float, typer.Option(min=0.0, help="Seconds before a file in memory is compared with the disk again.")
    ] = 1.0,
    as_json: Annotated[bool, typer.Option("--json", help="Announce the address as JSON.")] = False,
    *,
    container: dict[str, object],
) -> None:
    """Serve the files in a folder until Ctrl-C or SIGTERM; names that begin with a dot are hidden.

    Example: loadstone serve files public --port 8080
    """
    from loadstone import serve as serving

    if not Path(folder).is_dir():
        raise LoadstoneError("serve-options", f"{folder} is not a folder", hint="name a folder with files")

    def announce(url: str) -> None:
        print(json.dumps({"url": url}) if as_json else f"serving {folder} at {url}", flush=True)

    kept = {"cache_bytes": cache_mib << 20, "valid_s": valid}
    serving.serve(folder, container | {"files": kept}, announce)


@contextlib.contextmanager
def data_folder(data: str | None, app: str, made: Kept, what: str) -> Iterator[Path]:
    """The folder of `app`'s data set: `data`, or where that is none one `made` for now; `what` is in it."""
    if data:
        if not (Path(data) / f"{app}.db").is_file():
            raise LoadstoneError(
                "serve-options",
                f"{data} holds no data set",
                hint=f"make one: loadstone {app} load --out {data}",
            )
        yield Path(data)
        return
    from loadstone.cli.progress import LoadingProgress

    with tempfile.TemporaryDirectory(prefix=f"{app}-") as folder:
        made.load(Path(folder), LoadingProgress(what))
        yield Path(folder)
