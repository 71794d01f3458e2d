"""Who a step asks as (`auth`), and GraphQL as its body."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import Field, model_validator

from loadstone.scenario.fields import Table, Text, refuse
from loadstone.scenario.findings import Finding
from loadstone.scenario.positions import Path
from loadstone.scenario.templates import TemplateError, references


class Basic(Table):
    """User and password, the same for all users: texts of `[data]` and secrets."""

    user: Text
    password: Text


class Auth(Table):
    """The header Authorization: one of these."""

    basic: Basic | None = None
    bearer: Annotated[Text | None, Field(description="the token, a template")] = None
    refresh: Annotated[
        str | None,
        Field(description="operation whose steps renew the token where an answer is 401; then once more"),
    ] = None
    none: Annotated[bool, Field(description="no such header, whatever [target] or the operation say")] = False

    @model_validator(mode="after")
    def _one(self) -> Auth:
        if (self.basic is not None) + (self.bearer is not None) + self.none != 1:
            raise refuse(
                "auth", "`auth` needs exactly one of `basic`, `bearer` and `none`", 'bearer = "{token}"'
            )
        if self.refresh is not None and self.bearer is None:
            raise refuse("auth", "`refresh` goes with `bearer`: it renews the token")
        return self


class GraphQl(Table):
    """A query or mutation; texts in `variables` are templates, `query` is none."""

    query: Annotated[str, Field(min_length=1)]
    variables: dict[str, Any] = Field(default={})
    operation: Annotated[str | None, Field(description="which operation of the query")] = None

    def body(self) -> dict[str, Any]:
        """What is sent, without `query`, as JSON whose texts are templates."""
        named = {} if self.operation is None else {"operationName": self.operation}
        return {**named, "variables": self.variables}


def graphql_text(query: str, rest: str) -> str:
    """The template of the body: `rest` is that of the other members, as an object."""
    quoted = json.dumps(query).replace("{", "{{").replace("}", "}}")
    return '{{"query": ' + quoted + ", " + rest.removeprefix("{{")


def basic_errors(auth: Auth | None, at: Path, known: set[str], secrets: set[str]) -> Iterator[Finding]:
    """A name in `basic` that not all users share, or that nothing defines."""
    if auth is None or auth.basic is None:
        return
    for key, text in (("user", auth.basic.user), ("password", auth.basic.password)):
        yield from shared_errors(text, (*at, "basic", key), known, secrets)


def shared_errors(text: str, path: Path, known: set[str], secrets: set[str]) -> Iterator[Finding]:
    """What is wrong with a template that must say the same for all users."""
    try:
        used = references(text)
    except TemplateError as error:
        yield Finding("template-syntax", f"`{text}`: {error}", path)
        return
    for one in used:
        if (one.secret is not None and one.secret not in secrets) or (
            one.secret is None and one.name not in known
        ):
            written = f"{{{one.name}{'.' + one.part if one.part else ''}}}"
            hint = "names of [data], and `{secret.NAME}` of [secrets]; other users go by `bearer`"
            yield Finding("template-name", f"`{written}` is nothing that all users share", path, hint)
