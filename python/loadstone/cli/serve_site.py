"""`loadstone serve olio` and its like: a built-in site as a service."""

from __future__ import annotations

import contextlib
import inspect
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from loadstone.cli.people import Rules, people, tell
from loadstone.cli.site_data import Database, Replicas, require_database
from loadstone.cli.site_fields import defaults, options, understood, with_options
from loadstone.errors import LoadstoneError
from loadstone.site import Data, Site

MEMORY = "memory"


AsJson = Annotated[bool, typer.Option("--json", help="Announce the address as JSON.")]


def tell_address(what: str, url: str, as_json: bool) -> None:
    """On stdout, as soon as it answers there."""
    print(json.dumps({"url": url}) if as_json else f"serving {what} at {url}", flush=True)


def described(site: Site) -> str:
    """The command's help."""
    note = f"{site.note}\n\n" if site.note else ""
    return (
        f"Serve {site.title}, until Ctrl-C or SIGTERM; requests under way are finished first.\n\n"
        f"{note}Example: loadstone serve {site.name} --port 8080"
    )


def command(site: Site) -> Callable[..., None]:
    """The command, with an option for each field of the site and of its data."""

    def serve(
        *,
        as_json: AsJson = False,
        container: Mapping[str, object],
        **given: Any,
    ) -> None:
        from loadstone import serve as serving
        from loadstone.site.listen import not_taken

        def announce(url: str) -> None:
            tell_address(site.name, url, as_json)
            if site.has_people:
                tell(given["rules"])

        people_come = given.get("rules") is Rules.PUBLIC
        unsaid = defaults(site.data, site.data.for_people if people_come else {})
        said = {name: value for name, value in given.items() if value is not None}
        data = understood(site.data, unsaid | said, "data-options")
        own = understood(site.options, given, "serve-options").model_dump()
        if site.has_people:
            own |= people(**{name: given[name] for name in _PEOPLE})
        if replicas := replicas_of(given):
            own["replicas"] = replicas
        # Before the data are made.
        host, _, port = str(container["address"]).rpartition(":")
        not_taken(host.strip("[]"), int(port))
        wanted = {**container, "app": site.name, "site": own}
        with place_of(site, data, given) as (place, made):
            serving.serve(place, wanted | made, announce)

    data_options = options(site.data, site.data.for_people)
    own = [*options(site.options), *data_options, *(_PEOPLE.values() if site.has_people else ())]
    return with_options(serve, [*stored(site), *own])


_PEOPLE = inspect.signature(people, eval_str=True).parameters


def stored(site: Site) -> list[inspect.Parameter]:
    """Options that say where the data are, of a site that keeps them."""
    if not site.stored:
        return []
    in_memory = "`memory` keeps it in main memory." if site.in_memory else ""
    made = f"Data set made by `loadstone {site.data_name} load`"
    text = f"{made}. Default: a new one, removed at the end. {in_memory}"
    metavar = f"DIR|{MEMORY}" if site.in_memory else "DIR"
    kinds: dict[str, Any] = {
        "data": Annotated[str | None, typer.Option(metavar=metavar, help=text.strip())],
        "database": Database,
    }
    if site.reads_replicas:
        kinds["replica"] = Replicas
    return [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
        for name, kind in kinds.items()
    ]


def replicas_of(given: Mapping[str, Any]) -> list[str]:
    """URLs of the database's copies. LoadstoneError `serve-options`."""
    found: list[str] = list(given.get("replica") or [])
    if found and given.get("database") is None:
        raise LoadstoneError("serve-options", "--replica without --database", hint="name what they copy")
    for url in found:
        require_database(url, "serve-options")
    return found


@contextlib.contextmanager
def place_of(site: Site, data: Data, given: Mapping[str, Any]) -> Iterator[tuple[Path | str, dict[str, Any]]]:
    """Where the data are, or which data to make at the start. LoadstoneError `serve-options`."""
    folder, database = given.get("data"), given.get("database")
    if database is not None:
        if folder is not None:
            raise LoadstoneError("serve-options", "say either --data or --database", hint="leave one out")
        require_database(database, "serve-options")
        yield database, {}
    elif not site.stored or (site.in_memory and folder == MEMORY):
        yield Path(), {"data": data.model_dump(mode="json")}
    elif folder:
        if not (Path(folder) / f"{site.data_name}.db").is_file():
            raise LoadstoneError(
                "serve-options",
                f"{folder} holds no data set",
                hint=f"make one: loadstone {site.data_name} load --out {folder}",
            )
        yield Path(folder), {}
    else:
        from loadstone.cli.progress import LoadingProgress
        from loadstone.measure import DataSet

        with tempfile.TemporaryDirectory(prefix=f"{site.name}-") as made:
            DataSet(site, data).load(made, LoadingProgress(f"{site.name}, {data.amount} {data.size}"))
            yield Path(made), {}
