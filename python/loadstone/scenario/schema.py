"""The JSON Schema of the scenario file, for editors and other tools."""

from __future__ import annotations

from typing import Any

from loadstone.scenario.model import FORMAT, ScenarioFile


def json_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of a scenario file as `tomllib` reads it.

    It knows shapes, types and ranges; sums, names and files are known to `loadstone check` alone.
    """
    schema = ScenarioFile.model_json_schema(mode="validation", by_alias=True)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": f"Loadstone scenario, format {FORMAT}",
    }
