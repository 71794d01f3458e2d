"""What a step says of its answer: what it must be (`expect`), and what is taken from it (`extract`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, model_validator

from loadstone.scenario.fields import Bytes, Length, Several, Size, Status, Table, Text, refuse
from loadstone.scenario.findings import Finding
from loadstone.scenario.positions import Path

SOURCES = ("links", "hidden", "between", "regex", "json", "css", "header", "cookie", "contains")
_TESTS = ("is", "exists", "length", "min_length", "max_length")
_LONGEST = 2**31


class Test(Table):
    """What a value of the answer's JSON, or a field of its head, must be."""

    __test__ = False  # for pytest

    is_: Annotated[
        Text | None, Field(alias="is", description="its text; a header has it somewhere. The short form")
    ] = None
    exists: bool | None = None
    length: Annotated[
        Size | None, Field(description="values of a list, members of an object, characters of a text")
    ] = None
    min_length: Size | None = None
    max_length: Size | None = None

    @model_validator(mode="after")
    def _one(self) -> Test:
        given = [key for key in _TESTS if getattr(self, "is_" if key == "is" else key) is not None]
        if len(given) != 1 and given != ["min_length", "max_length"]:
            raise refuse(
                "expect",
                f"what is expected has exactly one of {', '.join(_TESTS)}",
                "`min_length` and `max_length` go together",
            )
        if (self.min_length or 0) > (_LONGEST if self.max_length is None else self.max_length):
            raise refuse("range-order", f"min_length = {self.min_length} is over max_length")
        return self

    @property
    def lengths(self) -> tuple[int, int] | None:
        """Least and greatest length that is right; None if it is not about that."""
        if self.length is not None:
            return self.length, self.length
        if self.min_length is None and self.max_length is None:
            return None
        return self.min_length or 0, _LONGEST if self.max_length is None else self.max_length


def _test(written: Any) -> Any:
    """A bare value is what is expected."""
    if isinstance(written, bool):
        return {"is": str(written).lower()}
    return {"is": written} if isinstance(written, str | int | float) else written


Tested = Annotated[Test, BeforeValidator(_test, json_schema_input_type=Test | str | int | float | bool)]


class Expect(Table):
    """What the final answer must be, or the operation has failed."""

    status: Several[Status] = Field(default=[200])
    contains: Several[Text] = Field(default=[])
    lacks: Several[Text] = Field(default=[])
    min_bytes: Bytes = 0
    max_bytes: Bytes | None = None
    json_values: Annotated[
        dict[str, Tested], Field(alias="json", description="by paths such as `$.items[0].id`")
    ] = Field(default={})
    css: Annotated[
        dict[str, Tested], Field(description="texts of elements by CSS selectors; as a length, how many")
    ] = Field(default={})
    headers: dict[str, Tested] = Field(default={})
    within_s: Annotated[
        Length | None, Field(description="most seconds from the step's beginning to its whole answer")
    ] = None

    @model_validator(mode="after")
    def _ordered(self) -> Expect:
        if self.max_bytes is not None and self.min_bytes > self.max_bytes:
            raise refuse("range-order", f"min_bytes = {self.min_bytes} is over max_bytes = {self.max_bytes}")
        return self


class Extract(Table):
    """Takes a value, a list (`links`, `all`) or a flag (`contains`) from an answer: exactly one source."""

    links: str | None = None
    within: Annotated[str, Field(pattern=r"^[A-Za-z0-9-]+$")] | None = (
        None  # of `links`: the element they stand in
    )
    hidden: str | None = None
    between: Annotated[list[str], Field(min_length=2, max_length=2)] | None = None
    regex: str | None = None
    json_path: Annotated[str | None, Field(alias="json", description="a path such as `$.items[0].id`")] = None
    css: Annotated[str | None, Field(description="a CSS selector such as `main a.next`")] = None
    attribute: Annotated[
        str | None, Field(min_length=1, description="of `css`: what is taken; by default the text")
    ] = None
    header: str | None = None
    cookie: Annotated[str | None, Field(min_length=1)] = None
    contains: Text | None = None
    all: Annotated[bool, Field(description="of `json`, `css` and `regex`: a list of all that are found")] = (
        False
    )
    required: Annotated[bool, Field(description="the operation fails when nothing is found")] = False
    default: Annotated[Text | None, Field(description="the value when nothing is found")] = None

    @model_validator(mode="after")
    def _one(self) -> Extract:
        given = (self.json_path if key == "json" else getattr(self, key) for key in SOURCES)
        if sum(value is not None for value in given) != 1:
            raise refuse("extract", f"an extract needs exactly one of {', '.join(SOURCES)}")
        if self.within is not None and self.links is None:
            raise refuse("extract", "`within` goes with `links`")
        if self.attribute is not None and self.css is None:
            raise refuse("extract", "`attribute` goes with `css`")
        if self.all and self.json_path is None and self.regex is None and self.css is None:
            raise refuse("extract", "`all` goes with `json`, `css` and `regex`")
        if self.default is not None and self.kind != "value":
            raise refuse("extract", f"`default` is for values, and this makes a {self.kind}")
        if self.required and (self.default is not None or self.contains is not None):
            other = "default" if self.default is not None else "contains"
            raise refuse(
                "extract", f"`required` and `{other}` contradict each other", "leave one of them out"
            )
        return self

    @property
    def kind(self) -> str:
        """What its name is then: a value, a list or a flag."""
        if self.links is not None or self.all:
            return "list"
        return "flag" if self.contains is not None else "value"


def expected(expect: Expect, at: Path) -> Iterator[Finding]:
    """What is wrong with the paths and fields of `expect`."""
    for path in expect.json_values:
        yield from _path(path, (*at, "json", path))
    for selector in expect.css:
        yield from _selector(selector, (*at, "css", selector))
    for name, test in expect.headers.items():
        if test.lengths is not None:
            message = f"`{name}` is a header, and has no length to expect"
            yield Finding("expect", message, (*at, "headers", name), "write its text, or exists = true")


def source(extract: Extract, at: Path) -> Iterator[Finding]:
    """What is wrong with the pattern of an extraction."""
    if extract.json_path is not None:
        yield from _path(extract.json_path, (*at, "json"))
    if extract.css is not None:
        yield from _selector(extract.css, (*at, "css"))
    if extract.regex is not None:
        try:
            groups = re.compile(extract.regex).groups
        except (re.error, RecursionError, OverflowError) as error:
            yield Finding(
                "bad-regex", f"`{extract.regex}` is not a regular expression: {error}", (*at, "regex")
            )
        else:
            if groups == 0:
                message = f"`{extract.regex}` has no group to take"
                yield Finding("bad-regex", message, (*at, "regex"), "put (...) around what is wanted")
    if extract.links is not None and ("{int}" in extract.links) + ("{segment}" in extract.links) != 1:
        message = f"`{extract.links}` needs {{int}} or {{segment}} where the links differ"
        yield Finding("bad-links", message, (*at, "links"), 'for example links = "/events/{int}"')


def _path(text: str, at: Path) -> Iterator[Finding]:
    from loadstone._core import check_json_path

    try:
        check_json_path(text)
    except ValueError as error:
        hint = "names, indices, slices and `*`: `$.items[*].id`, `$['a b'][-1]`"
        yield Finding("bad-json-path", str(error), at, hint)


def _selector(text: str, at: Path) -> Iterator[Finding]:
    from loadstone._core import check_css_selector

    try:
        check_css_selector(text)
    except ValueError as error:
        hint = "what hangs on pointer, focus or history (`:hover`), and pseudo-elements, are not known here"
        yield Finding("bad-css", str(error), at, hint)
