"""Options of the command line from the fields of a site."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin

import typer
from pydantic import ValidationError
from pydantic.fields import FieldInfo

from loadstone.errors import LoadstoneError
from loadstone.scenario.shape import explain
from loadstone.site import Fields

_SHOWN = 2**32
"""A larger bound is the type's, and says nothing to people."""

_Of = TypeVar("_Of", bound=Fields)


def options(model: type[Fields], for_people: Mapping[str, Any] | None = None) -> Iterator[inspect.Parameter]:
    """An option for each field, as a parameter of a command.

    Those of `for_people` are None where the user does not give them: `defaults` has their values.
    """
    for name, field in model.model_fields.items():
        kind, option, default = _kind(field), _option(name, field), field.default
        if for_people and name in for_people:
            option.help += f" Default: {for_people[name]} for people, {default} under --rules benchmark."
            kind, default = kind | None, None
        yield inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, option]
        )


def defaults(model: type[Fields], for_people: Mapping[str, Any]) -> dict[str, Any]:
    """The values of all fields where nothing is said; `for_people` goes before the fields' own."""
    return {name: for_people.get(name, field.default) for name, field in model.model_fields.items()}


def with_options(
    command: Callable[..., None],
    own: Iterable[inspect.Parameter],
    without: Collection[str] = ("given",),
    names: Mapping[str, Any] | None = None,
) -> Callable[..., None]:
    """The command as Typer is to see it: its `own` options, then the parameters that it is written with.

    `without`: parameters that are no options. `names`: what annotations name besides what their module has.
    """
    written = inspect.signature(command, eval_str=True, locals=names).parameters
    signature = inspect.Signature([*own, *(one for name, one in written.items() if name not in without)])
    command.__signature__ = signature  # type: ignore[attr-defined]
    command.__annotations__ = {name: one.annotation for name, one in signature.parameters.items()}
    return command


def understood(model: type[_Of], given: Mapping[str, Any], slug: str) -> _Of:
    """The fields among the given options. LoadstoneError `slug` for impossible values."""
    own = {name: given[name] for name in model.model_fields if name in given}
    try:
        return model.model_validate(own)
    except ValidationError as error:
        first = explain(error, own, lambda _: [])[0]
        raise LoadstoneError(slug, first.message, hint=first.hint or None) from error


def _kind(field: FieldInfo) -> Any:
    if get_origin(field.annotation) is Literal:
        return str
    return field.annotation


def _option(name: str, field: FieldInfo) -> Any:
    flag = f"--{name.replace('_', '-')}"
    if field.annotation is bool:
        return typer.Option(flag, help=field.description)
    if get_origin(field.annotation) is Literal:
        choices = get_args(field.annotation)
        known = f"{', '.join(choices[:-1])} or {choices[-1]}"
        return typer.Option(flag, metavar="NAME", help=f"{field.description} One of {known}.")
    return typer.Option(flag, help=field.description, **_bounds(field.metadata))


def _bounds(metadata: Iterable[Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for one in metadata:
        if (low := getattr(one, "ge", getattr(one, "gt", None))) is not None:
            found["min"] = low
        if (high := getattr(one, "le", None)) is not None and high < _SHOWN:
            found["max"] = high
    return found
