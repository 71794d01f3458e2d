"""What is published of the records: schemas that are current, and that every recorded file follows."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from loadstone.cli.schema import RECORDS, schema_of
from loadstone.errors import LoadstoneError
from loadstone.intake import Kind
from loadstone.stages.base import Stage

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "docs" / "reference" / "schemas"
KIND = Kind("report-json", "a record", 64 << 20)


def stage(name: str) -> type[Stage]:
    module, found = RECORDS[name].split(":")
    one: type[Stage] = getattr(import_module(module), found)
    return one


def recorded(name: str) -> list[Path]:
    """Every record of that name that the repository keeps."""
    files = sorted((ROOT / "bench" / "runs").glob(f"**/{stage(name).FILE}"))
    return [file for file in files if json.loads(file.read_text("utf-8")).get("kind") == stage(name).KIND]


def test_each_published_schema_is_current_and_no_other_is_there() -> None:
    assert {file.name for file in PUBLISHED.iterdir()} == {f"{name}.schema.json" for name in RECORDS}
    for name in RECORDS:
        found = json.loads((PUBLISHED / f"{name}.schema.json").read_text("utf-8"))
        assert found == schema_of(name), (
            f"write it anew: loadstone schema {name} > docs/reference/schemas/{name}.schema.json"
        )


@pytest.mark.parametrize("name", RECORDS)
def test_a_schema_is_a_schema_of_its_file(name: str) -> None:
    schema = schema_of(name)
    jsonschema.Draft202012Validator.check_schema(schema)
    for wrong in ({}, {"format": 99, "kind": stage(name).KIND}, {"format": stage(name).FORMAT, "kind": "x"}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, schema, jsonschema.Draft202012Validator)


@pytest.mark.parametrize("name", RECORDS)
def test_recorded_files_are_read_and_written_again(name: str) -> None:
    """What is written again follows the schema; of the present format it is the same to the letter."""
    schema = jsonschema.Draft202012Validator(schema_of(name))
    for file in recorded(name):
        before: dict[str, Any] = json.loads(file.read_text("utf-8"))
        after = stage(name).read(file, KIND).content()
        if before["format"] == stage(name).FORMAT:
            assert json.dumps(after, sort_keys=True) == json.dumps(before, sort_keys=True), file
        schema.validate(after)


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(LoadstoneError, match=r"no schema of `wheel`") as caught:
        schema_of("wheel")
    assert caught.value.slug == "bad-option"
