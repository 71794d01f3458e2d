"""`loadstone serve`: the built-in sites and smaller servers behind the container."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from loadstone.cli import serve_stack
from loadstone.cli.container import in_container
from loadstone.cli.options import Commands
from loadstone.cli.serve_site import AsJson, command, described, tell_address
from loadstone.errors import LoadstoneError
from loadstone.site import SITES
from loadstone.site.stack import STACKS

serve = Commands(no_args_is_help=True, help="Serve a built-in site, files, or what another server answers.")


def register(app: typer.Typer) -> None:
    """Adds the command, and to it one a site."""
    for site in SITES.values():
        if site.in_container:
            serve.command(site.name, help=described(site))(in_container(command(site)))
    for stack in STACKS:
        serve.command(stack.name, help=described(stack))(serve_stack.command(stack))
    app.add_typer(serve, name="serve")


@serve.callback()
def _serve() -> None:
    """Serve a built-in site, files, or what another server answers."""


# The name before this one, which scripts may still say.
@serve.command("relay", hidden=True)
@serve.command()
@in_container
def proxy(
    url: Annotated[str, typer.Argument(help="Server that answers in the end: http://HOST:PORT.")],
    as_json: AsJson = False,
    *,
    container: dict[str, object],
) -> None:
    """Pass each request on to another server, and its answer back. A worker waits for it meanwhile.

    Its workers wait, as those of an application with a database do.

    Example: loadstone serve proxy http://127.0.0.1:9000 --workers 10
    """
    from loadstone import serve as serving

    serving.serve(url, container | {"app": "proxy"}, lambda own: tell_address(url, own, as_json))


@serve.command()
@in_container
def files(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="The folder with the files.")],
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
    as_json: AsJson = False,
    *,
    container: dict[str, object],
) -> None:
    """Serve the files in a folder until Ctrl-C or SIGTERM. Names that begin with a dot are hidden.

    Example: loadstone serve files public --port 8080
    """
    from loadstone import serve as serving

    if not Path(folder).is_dir():
        raise LoadstoneError("serve-options", f"{folder} is not a folder", hint="name a folder with files")

    kept = {"cache_bytes": cache_mib << 20, "valid_s": valid}
    wanted = container | {"app": "files", "site": kept}
    serving.serve(folder, wanted, lambda url: tell_address(folder, url, as_json))
