"""`loadstone schema`: what a scenario file and the record of each stage may hold."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Annotated, Any

import typer

from loadstone.errors import LoadstoneError

RECORDS = {
    "capacity": "loadstone.stages.capacity:Capacity",
    "compare": "loadstone.stages.compare:Comparison",
    "cost": "loadstone.stages.cost:Cost",
    "history": "loadstone.stages.compare:History",
    "learn": "loadstone.stages.learn:Learned",
    "inject": "loadstone.stages.inject:Inject",
    "nodes": "loadstone.stages.nodes:Nodes",
    "plan": "loadstone.stages.plan:Plan",
    "probe": "loadstone.stages.probe:Probe",
    "run": "loadstone.stages.run:Run",
    "study": "loadstone.study.record:StudyRecord",
}
"""Module and class of each record, by the name of its file."""


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command()(schema)


def schema(
    what: Annotated[str, typer.Argument(help=f"`scenario`, or a record: {', '.join(RECORDS)}.")] = "scenario",
) -> None:
    """Print the JSON Schema of scenario files, or of the record that a stage writes.

    Example: loadstone schema run > run.schema.json
    """
    print(json.dumps(schema_of(what), indent=2, ensure_ascii=False))


def schema_of(what: str) -> dict[str, Any]:
    """The schema (draft 2020-12) of `scenario` or of a record. LoadstoneError `bad-option` for others."""
    if what == "scenario":
        from loadstone.scenario import json_schema

        return json_schema()
    if what not in RECORDS:
        hint = f"there are scenario, {', '.join(RECORDS)}"
        raise LoadstoneError("bad-option", f"no schema of `{what}`", place="WHAT", hint=hint)
    module, name = RECORDS[what].split(":")
    found: dict[str, Any] = getattr(import_module(module), name).json_schema()
    return found
