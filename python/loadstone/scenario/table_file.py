"""TOML files of tables other than scenarios: read, checked, refused with everything that is wrong in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin

from pydantic import ValidationError

from loadstone.intake import Kind, read_bytes
from loadstone.scenario.fields import Table
from loadstone.scenario.findings import Finding, Source
from loadstone.scenario.positions import Path as Keys
from loadstone.scenario.shape import explain
from loadstone.scenario.written import parse_toml

FORMAT = 1

Model = TypeVar("Model", bound=Table)


def read_table_file(path: Path, model: type[Model], missing: str) -> tuple[Model, Source]:
    """The file as its model, and where everything in it stands, for what the caller finds wrong later.

    `missing` is the slug when it cannot be read. LoadstoneError `missing` or `toml-syntax`; ScenarioError
    with everything wrong in its shape.
    """
    source = read_source(path, missing)
    return as_table(source, model), source


def read_source(path: Path, missing: str) -> Source:
    """What the file says, of this format, not looked at further. LoadstoneError `missing` or `toml-syntax`;
    ScenarioError `format-version`.
    """
    raw, positions = parse_toml(read_bytes(path, Kind(missing, "a file of this kind")), path)
    source = Source(str(path), positions, raw, {})
    if raw.get("format") != FORMAT or isinstance(raw["format"], bool):
        found = f"format {raw['format']} is not known" if "format" in raw else "`format` is missing"
        hint = f"this version reads `format = {FORMAT}`"
        raise source.errors([Finding("format-version", found, ("format",), hint)])
    return source


def as_table(source: Source, model: type[Model]) -> Model:
    """The file as its model. ScenarioError with everything wrong in its shape."""
    try:
        return model.model_validate(source.raw)
    except ValidationError as error:
        raise source.errors(explain(error, source.raw, keys_of(model))) from error


def keys_of(model: type[Table]) -> Callable[[Keys], list[str]]:
    """The keys that a table of such a file may have, by the way to it: what a wrong one is compared with."""

    def known(table: Keys) -> list[str]:
        found: Any = model
        for key in table:
            found = _inside(found, key)
        here = next(_tables(found), None)
        return [field.alias or name for name, field in here.model_fields.items()] if here else []

    return known


def _inside(kind: Any, key: str | int) -> Any:
    """The type of what stands at `key` in a value of type `kind`; None: no table."""
    for table in _tables(kind):
        for name, field in table.model_fields.items():
            if key in (name, field.alias):
                return field.annotation
    if get_origin(kind) in (dict, list, tuple):
        return next((each for each in reversed(get_args(kind)) if each is not ...), None)
    return next((found for each in get_args(kind) if (found := _inside(each, key)) is not None), None)


def _tables(kind: Any) -> Iterator[type[Table]]:
    """The tables that a value of this type can be, itself and not inside of it."""
    if isinstance(kind, type) and issubclass(kind, Table):
        yield kind
    elif get_origin(kind) not in (dict, list, tuple):
        for each in get_args(kind):
            yield from _tables(each)
