"""Quantities as fields of files: kept as they were typed, since what they come to depends on the year."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import AfterValidator

from loadstone.errors import LoadstoneError
from loadstone.nodes.choices import parse_deployments
from loadstone.nodes.quantities import parse_duration, parse_rate, parse_target
from loadstone.scenario.fields import refuse


def parsed(parse: Callable[[str], Any]) -> Callable[[str], str]:
    """A validator: the text as it was typed, if it can be parsed."""

    def check(value: str) -> str:
        try:
            parse(value)
        except LoadstoneError as error:
            raise refuse(error.slug, error.message, error.hint or "") from error
        return value

    return check


_length = parsed(parse_duration)


def _length_or_none(value: str) -> str:
    return value if value == "none" else _length(value)


def _deployment(value: str) -> str:
    parsed(lambda text: parse_deployments([text]))(value)
    return parse_deployments([value])[0]


Rate = Annotated[str, AfterValidator(parsed(parse_rate))]
Length = Annotated[str, AfterValidator(_length)]
LengthOrNone = Annotated[str, AfterValidator(_length_or_none)]
Target = Annotated[str, AfterValidator(parsed(parse_target))]
Deployment = Annotated[str, AfterValidator(_deployment)]
