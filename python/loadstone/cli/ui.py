"""`loadstone ui`: the page. What the form may say is what `loadstone run` takes, in its own words."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from loadstone.errors import LoadstoneError
from loadstone.unit import Unit

if TYPE_CHECKING:
    from loadstone.ui import Fields, Problem
    from loadstone.ui.form import Choice

_MOST_PORT = 65_535
_OPTIONS = {
    "scenario": "scenario",
    "users": "load",
    "window": "window",
    "url": "target",
    "sla": "sla",
    "seed": "seed",
    "goals": "goals",
}
"""Field of the form by parameter of `loadstone run`."""
_PLACES = {
    "--url": "target",
    "target.url": "target",
    "load.steady_s": "window",
    "sla.window_s": "window",
    "--goal": "goals",
    "load.sessions_per_s": "load",
    "load.requests_per_s": "load",
}
"""Field of the form by what the place of an error says."""
_SLUGS = {"goal": "goals", "bad-url": "target", "url-scheme": "target", "target": "target"}


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command()(ui)


def ui(
    place: Annotated[Path, typer.Argument(metavar="[DIR]", help="The folder whose folders are runs.")] = Path(
        "runs"
    ),
    host: Annotated[
        str, typer.Option(help="Address to listen on. Any other than this machine's own is seen by others.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=_MOST_PORT, help="Port; 0 for any that is free.")] = 0,
    names: Annotated[
        list[str] | None,
        typer.Option("--name", metavar="NAME", help="A name by which browsers ask for it. Repeatable."),
    ] = None,
    show: Annotated[str | None, typer.Option(metavar="RUN", help="Show this run of DIR at once.")] = None,
    beside: Annotated[
        int | None,
        typer.Option(metavar="PID", help="End once this process has ended and no page is open any more."),
    ] = None,
    opens: Annotated[
        bool | None,
        typer.Option(
            "--open/--no-open", help="Open the page in a browser. Default: where there is a screen."
        ),
    ] = None,
) -> None:
    """Open a page: start runs, see them live, change their load, stop them; reports and comparisons of all.

    Runs are processes of their own. They go on when the page is closed or this command ends, and the next
    one finds them.

    Example: loadstone ui runs
    """
    from loadstone.cli.measuring import default_folder
    from loadstone.ui import Settings, serve

    if host not in ("127.0.0.1", "::1", "localhost"):
        print(
            f"warning: who reaches {host} and knows the address can start runs; nothing is encrypted",
            file=sys.stderr,
        )
    if opens is None:
        seen = sys.stdout.isatty() or beside is not None
        opens = seen and bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    settings = Settings(place, host, port, names or (), show, beside, opens)
    serve(settings, Form(), default_folder)


class Form:
    """`loadstone.ui`'s `Terms`: the form in terms of `loadstone run`."""

    def scenarios(self) -> list[str]:
        """The built-in ones, then the scenario files of the current folder."""
        from loadstone.scenario import builtin_names

        return [*builtin_names(), *_files()]

    def choice(self, name: str) -> Choice:
        """What a scenario says by itself. LoadstoneError when it cannot be used."""
        from loadstone.scenario import load_scenario
        from loadstone.ui.form import Choice

        scenario = load_scenario(name)
        load = scenario.file.load
        return Choice(
            name=name,
            unit=scenario.unit.words,
            load=getattr(load, scenario.unit),
            window_s=load.steady_s,
            target=scenario.target.url or "",
            length_s=load.ramp_up_s + load.steady_s + load.ramp_down_s,
        )

    def checked(self, fields: Fields) -> tuple[list[str], list[Problem]]:
        """The arguments of `loadstone run`, and what it refuses before it measures."""
        from loadstone.scenario import load_scenario

        try:
            unit = load_scenario(fields.scenario).unit if fields.scenario else Unit.USERS
        except LoadstoneError:
            unit = Unit.USERS
        arguments = fields.arguments(unit)
        return arguments, list(_problems(arguments))


def _files() -> list[str]:
    """Files of the current folder that look like scenarios: a topology or a plan is TOML, too."""
    found = []
    for path in sorted(Path().glob("*.toml")):
        try:
            with path.open("rb") as file:
                text = file.read(1 << 20)
        except OSError:
            continue
        if b"[[operation]]" in text:
            found.append(str(path))
    return found


def _problems(arguments: list[str]) -> Iterator[Problem]:
    """What `loadstone run` says to these arguments, by the field that it is about."""
    from loadstone.cli.catalogue import commands
    from loadstone.cli.measuring import prepared
    from loadstone.ui import Problem

    command = commands()["run"]
    try:
        # Typer brings a Click of its own along: its errors are known by what they have.
        with command.make_context("loadstone run", list(arguments)) as context:
            command.require_bounded(context)
            prepared(**context.params)
    except LoadstoneError as error:
        for one in getattr(error, "errors", [error]):
            yield Problem(_field(one), str(one))
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        parameter: Any = getattr(error, "param", None)
        yield Problem(_OPTIONS.get(getattr(parameter, "name", ""), "scenario"), error.format_message())


def _field(error: LoadstoneError) -> str:
    place = error.place or ""
    if error.slug == "bad-option":
        return _OPTIONS.get(place.lstrip("-").lower(), "goals" if place == "--goal" else "scenario")
    if place.startswith("--"):
        return next((field for said, field in _PLACES.items() if said in place), "scenario")
    return _SLUGS.get(error.slug, "scenario")
