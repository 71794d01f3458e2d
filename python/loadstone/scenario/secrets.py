"""Secrets: what a scenario sends and no record may hold.

The file and its plan name them, `{secret.NAME}`, and say where they are: in the environment or in a file.
They are read when a plan goes to the engine (`revealed`), and hidden in whatever comes back (`masked`).
"""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote, quote_plus

from pydantic import BeforeValidator, Field, model_validator

from loadstone.errors import LoadstoneError
from loadstone.intake import Kind, read_text
from loadstone.scenario.fields import Name, Table, refuse
from loadstone.scenario.findings import Finding
from loadstone.scenario.templates import literal

Json = dict[str, Any]
HIDDEN = "***"
LEAST = 4
"""Characters: what is shorter would be found everywhere in a record."""
_KIND = Kind("secret", "a secret", 1 << 16)
_REFERENCE = re.compile(r"\{\{|\}\}|\{secret\.([A-Za-z][A-Za-z0-9_]*)\}")
_WHERE = 'write where it is: { env = "API_TOKEN" } or { file = "token.txt" }'


class Secret(Table):
    """Where a secret is: a variable of the environment, or a file beside the scenario."""

    env: Annotated[str | None, Field(min_length=1)] = None
    file: Annotated[str | None, Field(min_length=1)] = None

    @model_validator(mode="after")
    def _one(self) -> Secret:
        if (self.env is None) == (self.file is None):
            raise refuse("secret", "a secret needs exactly one of `env` and `file`", _WHERE)
        return self


def _table(written: Any) -> Any:
    """What is no table is refused without being shown: it may be the secret."""
    if not isinstance(written, dict | Secret):
        raise refuse(
            "secret", "a secret itself stands in no scenario, which is copied to run folders", _WHERE
        )
    return written


Written = dict[Name, Annotated[Secret, BeforeValidator(_table, json_schema_input_type=Secret)]]


def places(written: Mapping[str, Secret], folder: Path) -> dict[str, Json]:
    """Where they are, as a plan has it."""
    return {
        name: {"env": one.env} if one.env is not None else {"file": str((folder / str(one.file)).absolute())}
        for name, one in written.items()
    }


def errors(written: Mapping[str, Secret], folder: Path) -> Iterator[Finding]:
    """Those that are absent, or cannot be kept out of a record."""
    for name, place in places(written, folder).items():
        try:
            _read(name, place)
        except LoadstoneError as error:
            yield Finding("secret", error.message, ("secrets", name), error.hint or "")


def _read(name: str, place: Json) -> str:
    if "env" in place:
        where = f"the environment's `{place['env']}`"
        found = os.environ.get(place["env"], "")
        if not found:
            raise LoadstoneError(
                "secret", f"the secret `{name}` is absent: {where} is not set", hint="set it"
            )
    else:
        where = f"`{place['file']}`"
        found = read_text(Path(place["file"]), _KIND).rstrip("\r\n")
    if len(found) < LEAST:
        message = f"the secret `{name}` in {where} has fewer than {LEAST} characters"
        raise LoadstoneError("secret", message, hint="so short a text could not be kept out of a record")
    if any(ord(letter) < 32 or ord(letter) == 127 for letter in found):
        message = f"the secret `{name}` in {where} has line ends or control characters"
        raise LoadstoneError("secret", message, hint="one line, which can stand in a header")
    return found


class Secrets:
    """The secrets of one plan, read now. LoadstoneError `secret` when one is absent."""

    def __init__(self, plan: Mapping[str, Any]) -> None:
        """`plan` as `Scenario.plan` makes it."""
        written: Mapping[str, Json] = plan.get("secrets", {})
        self._values = {name: _read(name, place) for name, place in written.items() if "basic" not in place}
        for name, place in written.items():
            if "basic" in place:
                pair = ":".join(self._said(text) for text in place["basic"])
                self._values[name] = base64.b64encode(pair.encode()).decode()
        spelled = {
            how(value) for value in self._values.values() for how in (str, _address, quote_plus, _json)
        }
        # The longest first: one may be a part of another.
        self._spelled = sorted(spelled, key=len, reverse=True)

    def revealed(self, plan: Mapping[str, Any]) -> Json:
        """The plan with the secrets in its templates, for the engine alone."""
        return {key: self._within(part, literal) for key, part in plan.items() if key != "secrets"}

    def masked(self, found: Any) -> Any:
        """Texts, or what holds them, with each secret shown as `***`, however it is encoded."""
        if isinstance(found, str):
            for value in self._spelled:
                found = found.replace(value, HIDDEN)
            return found
        if isinstance(found, dict):
            return {self.masked(key): self.masked(value) for key, value in found.items()}
        if isinstance(found, list | tuple):
            return type(found)(self.masked(one) for one in found)
        return found

    def _within(self, node: Any, encode: Callable[[str], str]) -> Any:
        if not self._values:
            return node
        if isinstance(node, str):
            return self._filled(node, encode)
        if isinstance(node, list):
            return [self._within(one, encode) for one in node]
        if isinstance(node, dict):
            return {key: self._within(one, _encoding(node, key, encode)) for key, one in node.items()}
        return node

    def _said(self, template: str) -> str:
        """The text that a template of nothing but secrets stands for."""
        return _REFERENCE.sub(lambda found: self._values[found[1]] if found[1] else found[0][0], template)

    def _filled(self, text: str, encode: Callable[[str], str]) -> str:
        def written(found: re.Match[str]) -> str:
            return encode(self._values[found[1]]) if found[1] in self._values else found[0]

        return _REFERENCE.sub(written, text)


def _encoding(node: Json, key: str, usual: Callable[[str], str]) -> Callable[[str], str]:
    """How a value stands in the template `key`: the engine encodes what it inserts, not what is there."""
    if key == "path" and "method" in node:
        return _address
    if key == "text" and "json" in str(node.get("content_type", "")):
        return lambda value: literal(_json(value))
    return usual


def _address(value: str) -> str:
    return quote(value, safe="")


def _json(value: str) -> str:
    return json.dumps(value)[1:-1]
