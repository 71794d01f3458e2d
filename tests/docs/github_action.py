"""The action of this repository, as a runner of GitHub reads it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

FILE = Path(__file__).parents[2] / "action.yml"


def read() -> dict[str, Any]:
    """The whole file."""
    return dict(yaml.safe_load(FILE.read_text("utf-8")))


def step(name: str) -> dict[str, Any]:
    """Its step of that name."""
    return dict(next(one for one in read()["runs"]["steps"] if one["name"] == name))


def given(inputs: dict[str, str]) -> dict[str, str]:
    """The environment of all its steps where a workflow gives these inputs."""
    known = {name: str(one["default"]) for name, one in read()["inputs"].items()}
    assert inputs.keys() <= known.keys()
    written = {name: text for one in read()["runs"]["steps"] for name, text in one["env"].items()}
    return {name: _filled(text, known | inputs) for name, text in written.items()}


def _filled(text: str, inputs: dict[str, str]) -> str:
    def value(found: re.Match[str]) -> str:
        return inputs[found[1].removeprefix("inputs.")] if found[1].startswith("inputs.") else found[0]

    return re.sub(r"\$\{\{ ([\w.]+) \}\}", value, text)
