"""What a site is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, model_validator

Loading = Callable[[int, int], None]
"""Is told (done, of) while a data set is loaded."""


class Fields(BaseModel):
    """Settings of a site: each field has a type, bounds, a default and a sentence about it.

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

    for_people: ClassVar[Mapping[str, Any]] = {}
    """Values of fields where the site is served for people, who say nothing of these."""

    @model_validator(mode="before")
    @classmethod
    def _whole(cls, given: Any) -> Any:
        """Formulas of a scenario give whole numbers as floats; this turns them into integers."""
        if not isinstance(given, Mapping):
            return given
        return {
            name: int(value) if isinstance(value, float) and value.is_integer() else value
            for name, value in given.items()
        }

    @classmethod
    def for_users(cls, users: int, given: Mapping[str, Any]) -> int | None:
        """Its size for this number of concurrent users; None if its size does not follow from users."""
        return None

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
    """A built-in site. One of another kind is a subclass with a `load` and a `process` of its own."""

    name: str
    title: str
    """For people, such as `RUBiS, the auction site`."""
    data: type[Data]
    options: type[Fields]
    """What can be said to it as it serves."""
    stored: bool = True
    """Its data are loaded into a folder, a database or a disk; else it makes them as it starts."""
    in_memory: bool = False
    """One whose data are loaded can instead make them in memory as it starts."""
    has_people: bool = False
    """Its users log in: there are rules for load tests and for people, and a public address."""
    tells_counters: bool = True
    """Its process answers each byte on its standard input with its counters, as `loadstone.serve` does."""
    reads_replicas: bool = False
    """Pages that only read may come from copies of its database."""
    image: Image | None = None
    """None of one that cannot be an image."""
    commands: tuple[Callable[..., None], ...] = ()
    """Commands of its own beside `loadstone NAME load`, as Typer takes them."""
    note: str = ""
    """What else people should know who serve it."""

    @property
    def data_name(self) -> str:
        """The site whose data it serves: its own, or one whose loader makes them for it, too."""
        return self.name

    @property
    def has_loader(self) -> bool:
        """Whether it has a data set to load, under its own name."""
        return self.stored and self.data_name == self.name

    @property
    def in_container(self) -> bool:
        """Whether it runs in our own web container, which `serve` and roles can set in every detail."""
        return True

    def given(self, data: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of its data set that a scenario sets, in `[data]` and in `[target.options]`."""
        by_field = {field: data[name] for field, name in self.data.in_scenario.items() if name in data}
        return by_field | {field: options[field] for field in self.data.with_options if field in options}

    def load(
        self, place: str, data: Data, loading: Loading | None = None, *, replace: bool = False
    ) -> dict[str, int]:
        """Creates the data set in `place`: a folder, a database's URL or `block:PATH`. Rows by table.

        `replace` removes the site's tables from a database first. OSError or ValueError with a sentence;
        FileExistsError where there is something already.
        """
        from loadstone._core import load

        return load(self.name, place, data.model_dump_json(), replace, loading)

    def served(self, data: Data, options: Mapping[str, Any]) -> dict[str, Any]:
        """Options of `process`; `options` as in `[target.options]`: the site's, its data's, the others."""
        own = {name: value for name, value in options.items() if name in self.options.model_fields}
        others = {
            name: value
            for name, value in options.items()
            if name not in own and name not in self.data.with_options
        }
        made = {} if self.stored else {"data": data.model_dump(mode="json")}
        return {"app": self.name, "site": own, **made, **others}

    def words(self, data: Data, options: Mapping[str, Any]) -> dict[str, Any]:
        """Words for the command line of its image."""
        known = options if self.stored else {**data.model_dump(mode="json"), **options}
        return {name: value for name, value in known.items() if self.image and name in self.image.words}

    def process(self, place: str, options: str) -> list[str]:
        """The command that serves the data in `place` in the foreground, with `options` as JSON.

        It prints `{"url": ...}` when requests are taken, and ends with its standard input. The process is
        the site and nothing else: what is measured of it is the site's.
        """
        return [sys.executable, "-m", "loadstone.serve", place, options]
