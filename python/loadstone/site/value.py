"""What a site is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, model_validator


class Fields(BaseModel):
    """What can be said of a site: each field with its type, its bounds, its default and a sentence on it.

    The command line, scenarios and topologies are checked against it, and take their options from it.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Data(Fields):
    """What a data set is made from; equal ones make byte-identical data sets."""

    amount: ClassVar[str]
    """The field that says how large it is: a scenario has to."""
    in_scenario: ClassVar[Mapping[str, str]]
    """Names in a scenario's `[data]`, by the field that each sets."""
    with_options: ClassVar[tuple[str, ...]] = ()
    """Fields that a scenario sets in `[target.options]` instead."""

    @model_validator(mode="before")
    @classmethod
    def _whole(cls, given: Any) -> Any:
        """Formulas of a scenario give fractions without a part; they are whole numbers."""
        if not isinstance(given, Mapping):
            return given
        return {
            name: int(value) if isinstance(value, float) and value.is_integer() else value
            for name, value in given.items()
        }

    @property
    def size(self) -> int | float:
        """The value of the field `amount`."""
        value: int | float = getattr(self, self.amount)
        return value


@dataclass(frozen=True)
class Image:
    """What a site's image can be told on its command line, as `NAME.KEY=VALUE`."""

    words: tuple[str, ...] = ()
    """Fields of the site's options, and of the data of one that makes them as it starts."""
    fixed: Mapping[str, object] = field(default_factory=dict)
    """Fields that have one value in the image."""


@dataclass(frozen=True, eq=False)
class Site:
    """A built-in site."""

    name: str
    title: str
    """A few words for people, such as `the auction site`."""
    data: type[Data]
    options: type[Fields]
    """What can be said to it as it serves."""
    stored: bool = True
    """Its data are loaded into a folder, a database or a disk; else it makes them as it starts."""
    has_people: bool = False
    """Its users log in: there are rules for load tests and for people, and a public address."""
    image: Image | None = None
    """None of one that cannot be an image."""

    def given(self, data: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of its data set that a scenario sets, in `[data]` and in `[target.options]`."""
        by_field = {field: data[name] for field, name in self.data.in_scenario.items() if name in data}
        return by_field | {field: options[field] for field in self.data.with_options if field in options}
