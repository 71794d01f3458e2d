"""What all records of stages have in common: a format number, one way in, one way out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from loadstone.errors import LoadstoneError
from loadstone.intake import Kind, read_object
from loadstone.intake.shapes import misshapen

Json = dict[str, Any]


class Piece(BaseModel):
    """A piece of a record. A field that it does not know is kept: a later version may have more of them."""

    model_config = ConfigDict(frozen=True, extra="allow", populate_by_name=True)

    def content(self) -> Json:
        """As JSON has it. What the file did not have is not there either."""
        return self.model_dump(by_alias=True, exclude_unset=True, warnings=False)


def spelled(name: str) -> Any:
    """A field, unknown unless it is given, whose JSON name is none of Python's: `SLA-1`."""
    return Field(default=None, validation_alias=name, serialization_alias=name)


class Stage(Piece):
    """A whole file. Raise `FORMAT` when a field changes its name or its meaning, and read the one before."""

    FILE: ClassVar[str]
    """Its name in the run folder."""
    KIND: ClassVar[str]
    FORMAT: ClassVar[int] = 1
    BEFORE: ClassVar[Mapping[int, Callable[[Json], Json]]] = {}
    """By an older format: makes of its content that of the next one."""

    @classmethod
    def read(cls, path: Path, kind: Kind) -> Self:
        """The record in a file. LoadstoneError with the kind's slug: no JSON, another format or shape."""
        return cls.of(read_object(path, kind), kind, str(path))

    @classmethod
    def of(cls, content: Json, kind: Kind, place: str) -> Self:
        """The record that `content` is, of this format or one before. Errors as `read`."""
        try:
            return cls.model_validate(cls.present(content, kind, place))
        except ValidationError as error:
            raise misshapen(error, kind.slug, place, kind.hint) from error

    @classmethod
    def present(cls, content: Json, kind: Kind, place: str) -> Json:
        """The same in the present format, its shape not looked at. Refuses only another format or kind."""
        content = dict(content)
        number, what = content.pop("format", None), content.pop("kind", cls.KIND)
        if type(number) is not int or number not in (*cls.BEFORE, cls.FORMAT):
            message = f'it must be an object with "format": {cls.FORMAT}'
            raise LoadstoneError(kind.slug, message, place=place, hint=kind.hint)
        if what != cls.KIND:
            message = f'it must be an object with "kind": "{cls.KIND}"'
            raise LoadstoneError(kind.slug, message, place=place, hint=kind.hint)
        try:
            for older in range(number, cls.FORMAT):
                content = cls.BEFORE[older](content)
        except ValidationError as error:
            raise misshapen(error, kind.slug, place, kind.hint) from error
        return content

    def content(self) -> Json:
        """As the file has it."""
        return {"format": self.FORMAT, "kind": self.KIND} | super().content()

    @classmethod
    def json_schema(cls) -> Json:
        """JSON Schema (draft 2020-12) of the file."""
        schema = cls.model_json_schema(by_alias=True)
        head = {"format": {"const": cls.FORMAT}, "kind": {"const": cls.KIND}}
        return schema | {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": f"Loadstone {cls.FILE}, format {cls.FORMAT}",
            "properties": head | schema["properties"],
            "required": [*head, *schema.get("required", [])],
        }
