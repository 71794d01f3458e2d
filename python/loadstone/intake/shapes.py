"""The shape of a record: types declared once, checked before anything is made of it."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError, WrapValidator
from pydantic_core import ErrorDetails

from loadstone.errors import LoadstoneError
from loadstone.intake.bounds import spelled


def _as_it_is(value: Any, check: Any) -> Any:
    """The value as it was, not as the check converted it: 20 must be written as 20 again, not as 20.0."""
    check(value)
    return value


_Kept = WrapValidator(_as_it_is)
Figure = Annotated[float, Field(ge=-1e30, le=1e30, allow_inf_nan=False, strict=True), _Kept]
"""A number; a whole one is one, too, and a truth value is none."""
Known = Figure | None
"""A number, or null where it is unknown."""
Count = Annotated[int, Field(ge=0, le=2**64, strict=True)]
Seconds = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False, strict=True), _Kept]
"""A length of time: thirty years at most."""
Text = Annotated[str, Field(max_length=1 << 20, strict=True)]
Word = Annotated[str, Field(max_length=10_000, strict=True)]
Yes = Annotated[bool, Field(strict=True)]

_MOST = 3
"""Most mistakes of one record that a message lists."""


def require_shape(content: Any, shape: Any, slug: str, place: str, hint: str | None = None) -> None:
    """Raises `slug` when `content` is not of the `shape`, naming what is wrong where in it.

    `shape` is a TypedDict; keys that it does not know are left alone: a later version may have more.
    """
    try:
        _adapter(shape).validate_python(content)
    except ValidationError as error:
        raise misshapen(error, slug, place, hint) from error


def misshapen(error: ValidationError, slug: str, place: str, hint: str | None = None) -> LoadstoneError:
    """The first few mistakes of a record, with their places."""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    told = list(dict.fromkeys(_told(detail) for detail in found))
    more = f"; and {len(told) - _MOST} more" if len(told) > _MOST else ""
    message = f"it is not as its stage writes it: {'; '.join(told[:_MOST])}{more}"
    return LoadstoneError(slug, message, place=place, hint=hint)


@cache
def _adapter(shape: Any) -> TypeAdapter[Any]:
    return TypeAdapter(shape)


def _told(detail: ErrorDetails) -> str:
    path = spelled(detail["loc"]) or "the record"
    if detail["type"] == "missing":
        return f"`{path}` is missing"
    if detail["type"] == "model_type":
        return f"`{path}` should be an object"
    return f"`{path}` {detail['msg'][:1].lower()}{detail['msg'][1:]}".replace("input should", "should")
