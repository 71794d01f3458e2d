"""Values by their schema: an example where there is one, else what the generators of a scenario draw."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from loadstone.learn import toml_text
from loadstone.learn.tokens import PLACEHOLDER, is_secret

_DEEPEST = 12
_MOST_PARTS = 100
_LARGEST = 1 << 53
_MOST_ENUM = 50


class Sampler:
    """Makes values of one description; what they draw goes into `draws`."""

    def __init__(self, whole: Mapping[str, Any], notes: list[str]) -> None:
        """`whole` is the description, in which references are looked up."""
        self._whole, self._notes = whole, notes
        self.draws: dict[str, Any] = {}
        self._parts = 0

    def resolved(self, content: Any) -> Mapping[str, Any]:
        """The mapping, or the one of the description that its `$ref` names; empty for what is none."""
        for _ in range(_DEEPEST):
            if not isinstance(content, Mapping):
                return {}
            to = content.get("$ref")
            if not isinstance(to, str):
                return content
            if not to.startswith("#/"):
                self._tell(f"`{to[:80]}` is in another file, which is not read")
                return {}
            content = self._whole
            for part in to[2:].split("/"):
                name = part.replace("~1", "/").replace("~0", "~")
                content = content.get(name) if isinstance(content, Mapping) else None
        return {}

    def template(self, name: str, parameter: Mapping[str, Any]) -> str:
        """A template for a parameter in a path, a query or a form."""
        schema = self.resolved(parameter.get("schema", parameter))
        given = _example(parameter)
        given = _example(schema) if given is None else given
        if is_secret(name, ""):
            return PLACEHOLDER
        if isinstance(given, str | int | float) and not isinstance(given, bool):
            return toml_text.braces(str(given))
        return self._text(name, schema)

    def body(self, media: Mapping[str, Any]) -> Any:
        """A value to send as JSON: the example of the media type, or made from its schema."""
        given = _example(media)
        if given is not None:
            return self._example(given, "")
        return self._value("", self.resolved(media.get("schema")), 0)

    def _value(self, name: str, schema: Mapping[str, Any], depth: int) -> Any:
        self._parts += 1
        if depth > _DEEPEST or self._parts > _MOST_PARTS:
            self._tell("a body is larger than what is generated: the rest of it is left out")
            return None
        given = _example(schema)
        if given is not None and not is_secret(name, ""):
            return self._example(given, name)
        for key in ("allOf", "oneOf", "anyOf"):
            if isinstance(listed := schema.get(key), list) and listed:
                return self._joined(name, schema, key, listed, depth)
        kind = _kind(schema)
        if kind == "object":
            return self._object(schema, depth)
        if kind == "array":
            inner = self._value(name, self.resolved(schema.get("items")), depth + 1)
            return [] if inner is None else [inner]
        if kind in ("integer", "number"):
            low = schema.get("minimum")
            return low if isinstance(low, int | float) and not isinstance(low, bool) else 1
        if kind == "boolean":
            return True
        return PLACEHOLDER if is_secret(name, "") else self._text(name, schema)

    def _joined(self, name: str, schema: Mapping[str, Any], key: str, listed: list[Any], depth: int) -> Any:
        if key != "allOf":
            return self._value(name, self.resolved(listed[0]), depth + 1)
        whole: dict[str, Any] = {}
        for one in [*listed[:20], {"type": "object", "properties": schema.get("properties")}]:
            part = self._value(name, self.resolved(one), depth + 1)
            if not isinstance(part, dict):
                return part
            whole |= part
        return whole

    def _object(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        properties = schema.get("properties")
        found = {}
        for name, one in (properties if isinstance(properties, Mapping) else {}).items():
            resolved = self.resolved(one)
            if resolved.get("readOnly") is True:
                continue
            value = self._value(str(name), resolved, depth + 1)
            if value is not None:
                found[str(name)] = value
        return found

    def _example(self, given: Any, name: str) -> Any:
        """An example without nulls and secrets, its texts as templates."""
        if isinstance(given, Mapping):
            made = {str(key): self._example(one, str(key)) for key, one in given.items() if one is not None}
            return {key: one for key, one in made.items() if one is not None}
        if isinstance(given, list):
            return [self._example(one, name) for one in given if one is not None]
        if isinstance(given, str):
            return PLACEHOLDER if is_secret(name, given) else toml_text.braces(given)
        if isinstance(given, int) and not isinstance(given, bool) and abs(given) >= 1 << 63:
            return str(given)
        return given

    def _text(self, name: str, schema: Mapping[str, Any]) -> str:
        """A template that draws a value of the schema."""
        stem = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")[:40] or "value"
        stem = stem if stem[0].isalpha() and stem not in ("user", "users") else f"v_{stem}"
        draw = toml_text.free(stem, self.draws)
        kind, form = _kind(schema), schema.get("format")
        options = schema.get("enum")
        after = ""
        if isinstance(options, list) and (texts := [one for one in options if isinstance(one, str | int)]):
            self.draws[draw] = {
                "kind": "pick",
                "from": [toml_text.braces(str(one)) for one in texts[:_MOST_ENUM]],
            }
        elif kind in ("integer", "number"):
            low, high = _bound(schema, "minimum", 1), _bound(schema, "maximum", 1000)
            self.draws[draw] = {"kind": "int", "low": min(low, high), "high": max(low, high)}
        elif kind == "boolean":
            self.draws[draw] = {"kind": "pick", "from": ["true", "false"]}
        elif form in ("date", "date-time"):
            self.draws[draw] = {"kind": "date", "base": "2026-01-01", "low": 0, "high": 364}
            after = "T12:00:00Z" if form == "date-time" else ""
        elif form == "uuid":
            return "00000000-0000-4000-8000-000000000001"
        else:
            low = max(1, min(_bound(schema, "minLength", 4), 1000))
            high = max(low, min(_bound(schema, "maxLength", max(12, low)), 1000))
            self.draws[draw] = {"kind": "letters", "low": low, "high": high}
            after = {"email": "@example.com", "uri": ".example"}.get(str(form), "")
            if schema.get("pattern"):
                self._tell(
                    f"`{name[:60]}` must match a pattern, which no generator does: letters stand there"
                )
        return f"{{{draw}}}{after}"

    def _tell(self, note: str) -> None:
        if note not in self._notes:
            self._notes.append(note)


def _example(content: Mapping[str, Any]) -> Any:
    for key in ("example", "default"):
        if content.get(key) is not None:
            return content[key]
    several = content.get("examples")
    if isinstance(several, Mapping):
        several = [one.get("value") for one in several.values() if isinstance(one, Mapping)]
    return next((one for one in several if one is not None), None) if isinstance(several, list) else None


def _kind(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((one for one in kind if one != "null"), None)
    if isinstance(kind, str):
        return kind
    return "object" if isinstance(schema.get("properties"), Mapping) else "string"


def _bound(schema: Mapping[str, Any], key: str, default: int) -> int:
    value = schema.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return default
    return int(max(-_LARGEST, min(_LARGEST, value)))
