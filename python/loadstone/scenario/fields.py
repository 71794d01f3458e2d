"""Field types of the scenario file: what people may write, turned into what the models hold.

A number may be written as a formula over `[data]`, a list of one as its item, text as a number.
The models are strict about everything else.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, GetJsonSchemaHandler, ValidationInfo
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError

from loadstone.scenario.formula import FormulaError, evaluate

LONGEST_S = 366 * 86_400.0
"""Of a part of a run: every second of it is kept."""
NAME = r"^[A-Za-z][A-Za-z0-9_]*$"


class Table(BaseModel):
    """A table of the file: unknown keys are errors, types are not guessed."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


def refuse(slug: str, message: str, hint: str = "") -> PydanticCustomError:
    """An error that keeps its slug and hint on its way through pydantic."""
    return PydanticCustomError(slug, "{message}", {"message": message, "hint": hint})


def data_of(info: ValidationInfo) -> Mapping[str, Any]:
    """The evaluated `[data]` table that the caller of the validation passed along."""
    context: Mapping[str, Mapping[str, Any]] = info.context or {}
    return context.get("data", {})


def _number(value: Any, info: ValidationInfo) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return evaluate(value, data_of(info))
    except FormulaError as error:
        raise refuse("formula", str(error), error.hint) from error


def _whole(value: Any, info: ValidationInfo) -> Any:
    number = _number(value, info)
    return int(number) if isinstance(number, float) and number.is_integer() else number


def _text(value: Any) -> Any:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return value


def _several(value: Any) -> Any:
    return value if isinstance(value, list) else [value]


def _iso_date(value: Any, info: ValidationInfo) -> Any:
    if isinstance(value, str):
        value = data_of(info).get(value, value)
        try:
            value = datetime.date.fromisoformat(value)
        except (TypeError, ValueError) as error:
            raise refuse("wrong-type", f"`{value}` is not a date", "write it as 2008-10-22") from error
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        return value.isoformat()
    raise refuse("wrong-type", f"`{value}` is not a date", "write it as 2008-10-22")


@dataclass(frozen=True)
class _AlsoWritten:
    """Adds to the JSON Schema what may be written besides the field's own type."""

    schemas: tuple[str, ...] = ()
    one: bool = False

    def __get_pydantic_json_schema__(
        self, core: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        inner = handler(core)
        others: list[JsonSchemaValue] = [{"type": name} for name in self.schemas]
        if self.one:
            others.append(handler.resolve_ref_schema(inner)["items"])
        return {"anyOf": [inner, *others]}


_Item = TypeVar("_Item")

_WHOLE = BeforeValidator(_whole)
_REAL = BeforeValidator(_number)
_FORMULA = _AlsoWritten(("string",))

Whole = Annotated[int, Field(ge=-(2**63), lt=2**63), _WHOLE, _FORMULA]
Ordinal = Annotated[int, Field(ge=1, lt=2**63), _WHOLE, _FORMULA]
Bytes = Annotated[int, Field(ge=0, le=2**31), _WHOLE, _FORMULA]
Status = Annotated[int, Field(ge=100, le=599), _WHOLE, _FORMULA]
Threads = Annotated[int, Field(ge=0, le=1024), _WHOLE, _FORMULA]
Count = Annotated[int, Field(ge=1, lt=2**32), _WHOLE, _FORMULA]
Characters = Annotated[int, Field(ge=1, le=1 << 20), _WHOLE, _FORMULA]
"""Of one value: every user may hold several."""
Size = Annotated[int, Field(ge=0, lt=2**32), _WHOLE, _FORMULA]
Real = Annotated[float, Field(allow_inf_nan=False), _REAL, _FORMULA]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False), _REAL, _FORMULA]
NonNegative = Annotated[float, Field(ge=0, allow_inf_nan=False), _REAL, _FORMULA]
Span = Annotated[float, Field(ge=0, le=LONGEST_S, allow_inf_nan=False), _REAL, _FORMULA]
Length = Annotated[float, Field(gt=0, le=LONGEST_S, allow_inf_nan=False), _REAL, _FORMULA]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False), _REAL, _FORMULA]
Name = Annotated[str, Field(pattern=NAME)]
Text = Annotated[str, BeforeValidator(_text), _AlsoWritten(("number",))]
Several = Annotated[list[_Item], BeforeValidator(_several), _AlsoWritten(one=True)]
Day = Annotated[str, BeforeValidator(_iso_date)]
