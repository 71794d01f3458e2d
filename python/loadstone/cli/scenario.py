"""`loadstone check`, `loadstone init`: scenario files before any load."""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from loadstone.cli.scenario_name import completed
from loadstone.cli.verdicts import show
from loadstone.errors import LoadstoneError

if TYPE_CHECKING:
    from loadstone.scenario import Scenario

Overrides = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="PATH=VALUE", help="Change the scenario, as in `--set load.users=50`. Repeatable."
    ),
]

_LINE = re.compile(r":(\d+)$")
_NOWHERE = ("127.0.0.1", 80)  # stands in for the address of a built-in application that does not run yet


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    app.command()(check)
    app.command()(init)


def overrides(settings: list[str] | None) -> dict[str, str]:
    """`--set` options as a mapping. LoadstoneError `override-path` for one without `=`.

    >>> overrides(["load.users=50"])
    {'load.users': '50'}
    """
    pairs = {}
    for setting in settings or []:
        path, equals, value = setting.partition("=")
        if not equals:
            raise LoadstoneError(
                "override-path",
                f"`{setting}` sets nothing",
                place=f"--set {setting}",
                hint="write PATH=VALUE",
            )
        pairs[path.strip()] = value.strip()
    return pairs


def check(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...", help="Scenario files, or names of built-in ones.", autocompletion=completed
        ),
    ],
    url: Annotated[
        str | None, typer.Option(help="Check as for this site instead of the scenario's target.")
    ] = None,
    settings: Overrides = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print a list with an entry for each file, and all its mistakes.")
    ] = False,
) -> None:
    """Check scenario files and show what follows from them: the mix and the mean times between operations.

    Example: loadstone check my.toml --set load.users=200
    """
    from loadstone.scenario import load_scenario

    changes = ({} if url is None else {"target.url": url}) | overrides(settings)
    results: list[dict[str, Any]] = []
    exit_code = 0
    for file in files:
        try:
            scenario = load_scenario(file, changes)
            warnings = [_mistake(one) for one in scenario.warnings]
            results.append({"file": file, "valid": True, "warnings": warnings, **_derived(scenario, file)})
            for warning in scenario.warnings:
                print(str(warning).replace("error[", "warning[", 1), file=sys.stderr)
            if not as_json:
                show(_table(file, scenario, results[-1]))
        except LoadstoneError as error:
            exit_code = max(exit_code, error.exit_code)
            results.append(
                {"file": file, "valid": False, "errors": [_mistake(one) for one in error.mistakes]}
            )
            print(error, file=sys.stderr)
    if as_json:
        print(json.dumps(results, indent=2))
    raise typer.Exit(exit_code)


def init(
    source: Annotated[
        str, typer.Option("--from", metavar="NAME", help="The built-in scenario to copy.")
    ] = "page",
) -> None:
    """Print a built-in scenario, to be saved, changed and pointed at a URL of your own.

    Example: loadstone init --from olio > my.toml
    """
    from loadstone.scenario import builtin_names, builtin_path
    from loadstone.scenario.findings import suggest

    try:
        path = builtin_path(source)
    except KeyError as error:
        known = ", ".join(builtin_names())
        hint = suggest(source, builtin_names(), f"there are {known}")
        raise LoadstoneError("scenario-missing", f"no built-in scenario `{source}`", hint=hint) from error
    sys.stdout.write(path.read_text(encoding="utf-8"))


def _mistake(error: LoadstoneError) -> dict[str, Any]:
    """A mistake for programs: what, where, what to do. Its line is that of the file, if it has one."""
    line = _LINE.search((error.place or "").split(",")[0])
    return {
        "slug": error.slug,
        "message": error.message,
        "place": error.place,
        "line": int(line[1]) if line else None,
        "hint": error.hint,
    }


def _derived(scenario: Scenario, file: str) -> dict[str, Any]:
    """Stationary mix and mean times; the engine's own compiler has the last word on the plan."""
    from loadstone import _core
    from loadstone.scenario.secrets import Secrets

    plan = scenario.plan(target=None if scenario.target.url else _NOWHERE)
    secrets = Secrets(plan)
    try:
        expected = _core.expectations(json.dumps(secrets.revealed(plan)))
    except ValueError as error:
        raise LoadstoneError("plan-refused", secrets.masked(str(error)), place=file) from None
    found = {"name": scenario.name, "mix": expected["mix"], "pace_mean_s": expected["pace_mean_s"]}
    if scenario.members:
        found["scenarios"] = {one.name: one.share for one in scenario.members}
    return found


def _table(file: str, scenario: Scenario, derived: dict[str, Any]) -> str:
    mix, pace = derived["mix"], derived["pace_mean_s"]
    width = max(len(operation.name) for operation in scenario.operations)
    lines = [f"{file}: {scenario.name}, {len(scenario.operations)} operations, good"]
    if scenario.members:
        parts = ", ".join(f"{one.name} {100 * one.share:.4g} %" for one in scenario.members)
        lines.append(f"  {parts} of the {scenario.unit.things}; shares of operations are those within each")
    lines.append(f"  {'operation':{max(width, 9)}}  {'share':>8}  {'pace':>8}  {'limit':>7}")
    for operation in scenario.operations:
        name = operation.name
        cells = f"{100 * mix[name]:6.2f} %  {pace[name]:6.3f} s  {operation.limit_s:5g} s"
        lines.append(f"  {name:{max(width, 9)}}  {cells}")
    if called := dict.fromkeys(step.call for one in scenario.operations for step in one.step if step.call):
        lines.append(f"  calls {', '.join(map(str, called))}: their time is in no response time")
    return "\n".join(lines)
