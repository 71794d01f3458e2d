"""`loadstone serve olio-php` and its like: Olio as another platform writes it, as a service."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from loadstone.cli.serve_site import AsJson, place_of, replicas_of, stored, tell_address
from loadstone.cli.site_fields import options, understood, with_options
from loadstone.site.stack import Stack


def command(stack: Stack) -> Callable[..., None]:
    """The command, with an option for each field of the stack and of its data."""

    def serve(
        *,
        host: Annotated[str, typer.Option(help="Address to listen at.")] = "127.0.0.1",
        port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen at; 0: a free one.")] = 8080,
        log: Annotated[
            Path | None,
            typer.Option(metavar="DIR", help="A new folder that keeps what the stack writes, such as logs."),
        ] = None,
        as_json: AsJson = False,
        **given: Any,
    ) -> None:
        from loadstone.site.listen import not_taken
        from loadstone.site.stack.running import Wanted, database_of, prepared, running, set_up

        data = understood(stack.data, given, "data-options")
        own = understood(stack.options, given, "serve-options").model_dump()
        if replicas := replicas_of(given):
            own["read_databases"] = ",".join(replicas)
        # Before minutes are spent on what it needs.
        not_taken(host, port)
        print(f"setting up {stack.title} (the first time: some minutes)", file=sys.stderr)
        set_up(stack.folder)
        with place_of(stack, data, given) as (place, _), prepared(data.model_dump(), log) as (files, state):
            wanted = Wanted(stack.folder, database_of(str(place)), files, state, host, port, own)
            with running(wanted) as served:
                tell_address(stack.name, served.url, as_json)
                served.wait()

    return with_options(serve, [*stored(stack), *options(stack.options), *options(stack.data)])
