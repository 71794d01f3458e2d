"""The JSON Schema of the scenario file, for editors and other tools."""

from __future__ import annotations

from typing import Any

from loadstone.scenario.app import model_of
from loadstone.scenario.model import FORMAT, ScenarioFile
from loadstone.site import SITES


def json_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of a scenario file as `tomllib` reads it.

    It knows shapes, types and ranges; sums, names and files are known to `loadstone check` alone.
    """
    schema = ScenarioFile.model_json_schema(mode="validation", by_alias=True)
    # Where requests arrive at a rate nothing pauses.
    schema["required"].remove("pacing")
    target = schema["$defs"]["Target"]
    target["properties"]["app"]["anyOf"][0]["enum"] = list(SITES)
    target["allOf"] = [_options_of(name) for name in SITES]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": f"Loadstone scenario, format {FORMAT}",
    }


def _options_of(name: str) -> dict[str, Any]:
    """Which options there are when the target is this site."""
    options = model_of(SITES[name]).model_json_schema(mode="validation", by_alias=True)
    return {
        "if": {"properties": {"app": {"const": name}}, "required": ["app"]},
        "then": {"properties": {"options": options}},
    }
