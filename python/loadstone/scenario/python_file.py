"""Scenarios in files of Python: the file is run, and the scenario that it built is taken."""

from __future__ import annotations

from pathlib import Path

from loadstone.errors import LoadstoneError
from loadstone.intake import Kind, read_text
from loadstone.scenario.built import Built
from loadstone.scenario.python_module import module_of

ENDING = ".py"
_NAME = "loadstone_scenario"
"""Not `__main__`: what a file does when Python runs it itself is not done."""
_HINT = 'shop = loadstone.Scenario("shop", ...) makes one'


def built(path: Path, kind: Kind) -> Built:
    """The scenario of the file; of several that which consists of the others.

    LoadstoneError of the kind when the file cannot be read, `scenario-python` with the line where it fails,
    or when it builds none, or several that have nothing to do with each other.
    """
    module = module_of(path, kind, _NAME, "scenario-python")
    found = {name: one for name, one in vars(module).items() if isinstance(one, Built)}
    inside = {id(part) for one in found.values() for part in one.parts}
    whole = {id(one): one for one in found.values() if id(one) not in inside}
    if len(whole) == 1:
        return next(iter(whole.values()))
    if "scenario" in found:
        return found["scenario"]
    if found:
        names = ", ".join(f"`{name}`" for name in found)
        hint = "name the one to take `scenario`"
        raise LoadstoneError(
            "scenario-python", f"it builds several scenarios: {names}", place=str(path), hint=hint
        )
    raise LoadstoneError("scenario-python", "it builds no scenario", place=str(path), hint=_HINT)


def scenario_text(path: Path, kind: Kind) -> str:
    """The scenario of a file as TOML, also of one in Python. Errors as `read_text`, and `built`."""
    return built(path, kind).to_toml() if path.suffix == ENDING else read_text(path, kind)
