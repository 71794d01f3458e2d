"""The JSON Schema of the scenario file, for editors and other tools."""

from __future__ import annotations

from typing import Any

from loadstone.scenario.app import model_of
from loadstone.scenario.composed import SCENARIO, ComposedFile
from loadstone.scenario.model import FORMAT, ScenarioFile
from loadstone.site import SITES


def json_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of a scenario file as `tomllib` reads it.

    It knows shapes, types and ranges; sums, names and files are known to `loadstone check` alone.
    """
    one = ScenarioFile.model_json_schema(mode="validation", by_alias=True)
    several = ComposedFile.model_json_schema(mode="validation", by_alias=True)
    definitions = several.pop("$defs") | one.pop("$defs")
    # Where requests arrive at a rate nothing pauses.
    one["required"].remove("pacing")
    # The name of a file is the scenario's, where it says none.
    definitions["Part"]["required"].remove("name")
    target = definitions["Target"]
    target["properties"]["app"]["anyOf"][0]["enum"] = list(SITES)
    target["allOf"] = [_options_of(name) for name in SITES]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Loadstone scenario, format {FORMAT}",
        "type": "object",
        "if": {"required": [SCENARIO]},
        "then": {"$ref": f"#/$defs/{ComposedFile.__name__}"},
        "else": {"$ref": f"#/$defs/{ScenarioFile.__name__}"},
        "$defs": definitions | {ComposedFile.__name__: several, ScenarioFile.__name__: one},
    }


def _options_of(name: str) -> dict[str, Any]:
    """Which options there are when the target is this site."""
    options = model_of(SITES[name]).model_json_schema(mode="validation", by_alias=True)
    return {
        "if": {"properties": {"app": {"const": name}}, "required": ["app"]},
        "then": {"properties": {"options": options}},
    }
