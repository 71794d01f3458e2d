"""A scenario's `[nodes]` and `[cost]` tables as defaults of the command line: what is typed wins."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from pathlib import Path

import typer

from loadstone.errors import LoadstoneError
from loadstone.intake import Kind, toml_of


def defaults_from(table: str, slug: str) -> Callable[[typer.Context, Path | None], Path | None]:
    """A callback for the scenario argument: its keys are the options' names (`crash_rate = "1/year"`).

    The argument must be eager, so that the defaults stand before the options are looked at. Raises `slug`.
    """

    def read(context: typer.Context, scenario: Path | None) -> Path | None:
        if scenario is None:
            return None
        from loadstone.scenario.python_file import scenario_text

        content = toml_of(scenario_text(scenario, Kind(slug, "a scenario")), str(scenario))
        values = content.get(table, {})
        if not isinstance(values, dict):
            raise LoadstoneError(slug, f"`{table}` is not a table", place=str(scenario))
        by_key = {
            option.removeprefix("--").replace("-", "_"): str(parameter.name)
            for parameter in context.command.params
            if parameter.param_type_name == "option"
            for option in parameter.opts
            if option.startswith("--")
        }
        for key in values:
            if key not in by_key:
                near = difflib.get_close_matches(key, by_key, 1)
                hint = f"did you mean `{near[0]}`?" if near else f"known keys: {', '.join(sorted(by_key))}"
                raise LoadstoneError(slug, f"unknown key `{key}`", place=f"{scenario}, [{table}]", hint=hint)
        context.default_map = {by_key[key]: _as_typed(value) for key, value in values.items()}
        return scenario

    return read


def _as_typed(value: object) -> object:
    """A TOML value as it would be typed: `target = 0.999` is the text `0.999`, a list is the option
    repeated.
    """
    if isinstance(value, list):
        return [str(item) for item in value]
    return value if isinstance(value, bool) else str(value)
