"""The file's shape: what pydantic finds wrong, in the words of the file."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, get_args

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from loadstone.errors import SLUGS
from loadstone.scenario import (
    answers,
    asks,
    composed,
    faults,
    model,
    scaling,
    secrets,
    sessions,
    shapes,
    step,
    target,
    tls,
    values,
)
from loadstone.scenario.fields import Table
from loadstone.scenario.findings import Finding, child, listed, suggest
from loadstone.scenario.positions import Path

_BOUNDS = {
    "greater_than": ("gt", "more than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than": ("lt", "less than"),
    "less_than_equal": ("le", "at most"),
}
_WORDS = {
    "a valid ": "a ",
    "a dictionary": "a table",
    "a boolean": "true or false",
    "a string": "text",
    "a integer": "a whole number",
}
_LENGTHS = {
    "too_short": "fewer",
    "too_long": "more",
    "string_too_short": "shorter",
    "string_too_long": "longer",
}

_TABLES: dict[str, type[Table]] = {
    "": model.ScenarioFile,
    "after": sessions.After,
    "auth": asks.Auth,
    "basic": asks.Basic,
    "body": step.Raw,
    "browser": model.Browser,
    "check": model.Check,
    "expect": answers.Expect,
    "fault": faults.Fault,
    "graphql": asks.GraphQl,
    "image": target.AsImage,
    "load": sessions.Load,
    "locality": values.Locality,
    "operation": model.Operation,
    "pacing": model.Pacing,
    "scaling": scaling.Scaling,
    "scenario": composed.Part,
    "session": sessions.Session,
    "shape": shapes.Shape,
    "sla": model.Sla,
    "step": step.Step,
    "target": target.Target,
    "tls": tls.Tls,
}
_ITEMS: dict[str, type[Table]] = {
    "extract": answers.Extract,
    "headers": answers.Test,
    "json": answers.Test,
    "secrets": secrets.Secret,
    "multipart": step.FilePart,
}


def parse(raw: Mapping[str, Any], data: Mapping[str, Any]) -> tuple[model.ScenarioFile | None, list[Finding]]:
    """The file's model, or what is wrong with its shape."""
    try:
        return model.ScenarioFile.model_validate(raw, context={"data": data}), []
    except ValidationError as error:
        return None, explain(error, raw, lambda table: known_keys(table, raw))


def explain(
    error: ValidationError, raw: Mapping[str, Any], known_keys: Callable[[Path], list[str]]
) -> list[Finding]:
    """What pydantic found wrong in the file `raw`, each once; `known_keys` of the table at a path."""
    details = error.errors(include_url=False, include_context=True)
    return list(dict.fromkeys(_finding(detail, raw, known_keys) for detail in details))


def _finding(
    detail: ErrorDetails, raw: Mapping[str, Any], known_keys: Callable[[Path], list[str]]
) -> Finding:
    kind, path = detail["type"], _path(detail, raw)
    context: dict[str, Any] = detail.get("ctx", {})
    key = next((key for key in reversed(path) if isinstance(key, str)), "")
    if kind in SLUGS:
        return Finding(kind, context["message"], path, context["hint"])
    if kind == "missing":
        return Finding("missing-key", f"`{key}` is missing", path)
    if kind == "extra_forbidden":
        known = known_keys(path[:-1])
        return Finding(
            "unknown-key", f"unknown key `{key}`", path, suggest(key, known, f"known are {listed(known)}")
        )
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        return _wrong_kind(context, path, raw)
    if kind in _BOUNDS:
        bound, words = _BOUNDS[kind]
        limit = context[bound]
        return Finding(
            "out-of-range", f"`{key}` is {_shown(detail['input'])}, must be {words} {limit:g}", path
        )
    if kind in _LENGTHS:
        return Finding("wrong-type", f"`{key}` is {_LENGTHS[kind]} than allowed: {detail['msg']}", path)
    if kind == "string_pattern_mismatch":
        message = f"`{detail['input']}` is not a name"
        return Finding(
            "bad-name", message, path, "names are letters, digits and `_`, beginning with a letter"
        )
    if kind == "literal_error":
        choices = re.findall(r"'([^']*)'", context["expected"])
        hint = suggest(str(detail["input"]), choices)
        return Finding(
            "wrong-type", f"`{key}` is {_shown(detail['input'])}, expected {context['expected']}", path, hint
        )
    expected = re.sub(r" or instance of \w+$", "", detail["msg"].removeprefix("Input should be "))
    for theirs, ours in _WORDS.items():
        expected = expected.replace(theirs, ours)
    return Finding("wrong-type", f"`{key}` is {_shown(detail['input'])}, expected {expected}", path)


def _path(detail: ErrorDetails, raw: Mapping[str, Any]) -> Path:
    """The location in the file: pydantic's without the names of the union members it tried."""
    path: Path = ()
    node: Any = raw
    last = len(detail["loc"]) - 1
    for index, key in enumerate(detail["loc"]):
        below = child(node, key)
        if below is not None:
            path, node = (*path, key), below
        elif index == last and detail["type"] in ("missing", "extra_forbidden"):
            path = (*path, key)
    return path


def _wrong_kind(context: Mapping[str, Any], path: Path, raw: Mapping[str, Any]) -> Finding:
    kinds = sorted(_laws() if _is_law(path) else _generators())
    node: Any = raw
    for key in path:
        node = child(node, key)
    tag = context.get("tag")
    if tag is None:
        expected = listed(kinds)
        if not isinstance(node, dict):
            return Finding(
                "wrong-type", f"`{path[-1]}` is {_shown(node)}, expected a table with a `kind`", path
            )
        return Finding("missing-key", "`kind` is missing", path, f"one of {expected}")
    hint = suggest(str(tag), kinds, f"one of {listed(kinds)}")
    return Finding("unknown-kind", f"unknown kind `{tag}`", (*path, "kind"), hint)


def _is_law(path: Path) -> bool:
    return bool(path) and path[-1] in ("cycle", "think", "pause")


def _laws() -> dict[str, type[Table]]:
    return _by_kind(values.AnyLaw)


def _generators() -> dict[str, type[Table]]:
    return _by_kind(values.AnyValue)


def _by_kind(union: Any) -> dict[str, type[Table]]:
    members = get_args(get_args(union)[0])
    return {get_args(member.model_fields["kind"].annotation)[0]: member for member in members}


def known_keys(table: Path, raw: Mapping[str, Any]) -> list[str]:
    """The keys that the table at this path may have."""
    node: Any = raw
    for key in table:
        node = child(node, key)
    kind = child(node, "kind")
    by_kind = _laws() if _is_law(table) else _generators()
    if kind in by_kind:
        return _keys(by_kind[kind])
    names = ["", *(key for key in table if isinstance(key, str))]
    if composed.SCENARIO in raw and len(names) == 1:
        return _keys(composed.ComposedFile)
    if len(names) > 1 and names[-2] in _ITEMS:
        return _keys(_ITEMS[names[-2]])
    return _keys(_TABLES[names[-1]]) if names[-1] in _TABLES else []


def _keys(table: type[Table]) -> list[str]:
    return [field.alias or name for name, field in table.model_fields.items()]


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "a list"
    text = f'"{value}"' if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
