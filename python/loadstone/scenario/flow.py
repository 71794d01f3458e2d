"""Which steps of an operation are taken, and how often: conditions (`when`, `while`) and loops (`repeat`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, model_validator

from loadstone.scenario.fields import NAME, Count, Several, Table, Text, refuse

MOST_ROUNDS = 10_000
_FLAG = re.compile(NAME)
_OPERATOR = re.compile(r"==|!=|<=|>=|<|>")
Condition = Annotated[
    Text, Field(description="a flag, `!flag`, or a comparison of templates such as `{left} > 3`")
]
Rounds = Annotated[Count, Field(le=MOST_ROUNDS)]


def _range(written: Any) -> Any:
    """A bare number of rounds is exactly that."""
    return [written, written] if isinstance(written, int) and not isinstance(written, bool) else written


Times = Annotated[
    list[Rounds],
    Field(min_length=2, max_length=2),
    BeforeValidator(_range, json_schema_input_type=list[Rounds] | Rounds),
]


class Repeat(Table):
    """A loop: the step, or the last so many steps, are taken again."""

    times: Annotated[
        Times, Field(description="rounds, the first included: a number, or a range that one is drawn of")
    ]
    while_: Annotated[
        Several[Condition],
        Field(alias="while", description="another round only if these hold after the last"),
    ] = Field(default=[])
    steps: Annotated[Rounds, Field(description="steps of a round, this one the last")] = 1

    @model_validator(mode="after")
    def _ordered(self) -> Repeat:
        least, most = self.times
        if least > most:
            raise refuse("range-order", f"from {least} to {most} rounds", "exchange or correct them")
        return self


def as_written(written: Any) -> Any:
    """A bare number or range of rounds."""
    is_times = isinstance(written, int | list) and not isinstance(written, bool)
    return {"times": written} if is_times else written


def flag_of(condition: str) -> str | None:
    """The flag that a condition asks for, set or unset; None of a comparison.

    >>> flag_of("!known"), flag_of("{left} > 3")
    ('known', None)
    """
    return None if _OPERATOR.search(condition) else condition.removeprefix("!")


def sides(condition: str) -> Iterator[str]:
    """The templates that a comparison compares; none of a flag.

    >>> list(sides("{left} >= 3"))
    ['{left}', '3']
    """
    if _OPERATOR.search(condition):
        yield from (side.strip() for side in _OPERATOR.split(condition, maxsplit=1))


def is_sound(condition: str) -> bool:
    """Whether it is a flag or a comparison with something on its left."""
    flag = flag_of(condition)
    return next(sides(condition), "") != "" if flag is None else bool(_FLAG.fullmatch(flag))
