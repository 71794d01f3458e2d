import json
import tomllib
from pathlib import Path

import jsonschema
import pytest

from loadstone.scenario import builtin_names, builtin_path, json_schema

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "docs" / "reference" / "scenario.schema.json"
EXAMPLES = sorted((ROOT / "examples").glob("*.toml"))


def as_json(path: Path) -> object:
    return json.loads(json.dumps(tomllib.loads(path.read_text(encoding="utf-8")), default=str))


def test_the_published_schema_is_up_to_date() -> None:
    assert json.loads(PUBLISHED.read_text(encoding="utf-8")) == json_schema(), (
        "write it anew: loadstone schema > docs/reference/scenario.schema.json"
    )


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(json_schema())


@pytest.mark.parametrize("path", [*map(builtin_path, builtin_names()), *EXAMPLES], ids=lambda path: path.stem)
def test_scenarios_follow_the_schema(path: Path) -> None:
    jsonschema.validate(as_json(path), json_schema(), jsonschema.Draft202012Validator)


@pytest.mark.parametrize(
    "broken",
    [
        "unknown-key",
        "wrong-type",
        "missing-key",
        "format-version",
        "users-zero",
        "unknown-kind",
        "bad-chance",
    ],
)
def test_the_schema_sees_broken_shapes(broken: str) -> None:
    content = as_json(ROOT / "tests" / "cli" / "broken" / f"{broken}.toml")
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(content, json_schema(), jsonschema.Draft202012Validator)
