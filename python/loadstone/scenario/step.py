"""One step of an operation: a request with its body, what a WebSocket does, or a call of a function."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import (
    BeforeValidator,
    Discriminator,
    Field,
    SerializerFunctionWrapHandler,
    Tag,
    model_serializer,
    model_validator,
)

from loadstone.scenario.answers import Expect, Extract
from loadstone.scenario.asks import Auth, GraphQl
from loadstone.scenario.fields import Bytes, Length, Name, Several, Share, Table, Text, refuse
from loadstone.scenario.flow import Condition, Repeat
from loadstone.scenario.flow import as_written as loop_as_written
from loadstone.scenario.hooks import SHAPE as HOOK

METHODS = ("get", "head", "post", "put", "delete", "patch")
SOCKET = ("ws", "send", "receive", "close")  # what a step does with the WebSocket of its session
CALL = "call"  # a step that asks for nothing, and calls a function
_WITH_CALL = {
    *(CALL, "arguments", "returns", "when", "repeat", "chance", "timeout_s"),
    *("set", "unset", "forget", "count"),
}

_CONTENT_TYPES = {
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".png": "image/png",
    ".pdf": "application/pdf",
}


class FilePart(Table):
    """A file to upload: seeded filler of `bytes` bytes behind the signature of its type."""

    file: Text
    bytes: Bytes
    type: str | None = None

    @property
    def content_type(self) -> str:
        """The type given, or the one of the file name's ending."""
        return self.type or _CONTENT_TYPES.get(PurePosixPath(self.file).suffix, "application/octet-stream")


class Raw(Table):
    """A body of any other type."""

    type: str = "application/json"
    text: str


def _part(value: Any) -> str:
    return "file" if isinstance(value, dict | FilePart) else "field"


FormPart = Annotated[
    Annotated[FilePart, Tag("file")] | Annotated[Several[Text], Tag("field")], Discriminator(_part)
]


class Step(Table):
    """One request with what follows from its answer; exactly one method names the path."""

    get: Text | None = None
    head: Text | None = None
    post: Text | None = None
    put: Text | None = None
    delete: Text | None = None
    patch: Text | None = None
    ws: Annotated[Text | None, Field(description="opens a WebSocket; the path")] = None
    send: Annotated[Any | None, Field(description="message; a table or list is sent as JSON")] = None
    binary: Annotated[bool, Field(description="of `send`: as a binary message")] = False
    receive: Annotated[Literal[True] | None, Field(description="awaits a message")] = None
    close: Annotated[int | None, Field(ge=1000, le=4999, description="closes the WebSocket with a code")] = (
        None
    )
    call: Annotated[
        str | None,
        Field(
            description="calls a function in Python instead: `file.py:function`",
            json_schema_extra={"pattern": HOOK},
        ),
    ] = None
    arguments: Annotated[
        dict[str, Text], Field(description="of `call`: what the parameters of the function are given")
    ] = Field(default={})
    returns: Annotated[
        Several[Name], Field(description="of `call`: values that the function returns, by name")
    ] = Field(default=[])
    host: Annotated[
        str | None, Field(description="which of `[target.hosts]` is asked; the `url` by default")
    ] = None
    headers: dict[str, Text] = Field(default={})
    form: dict[str, Several[Text]] | None = None
    multipart: dict[str, FormPart] | None = None
    json_body: Any | None = Field(
        default=None, alias="json", description="sent as JSON; its texts are templates"
    )
    graphql: Annotated[GraphQl | None, Field(description="sent as JSON; `errors` in the answer fail")] = None
    body: Raw | None = None
    auth: Annotated[Auth | None, Field(description="instead of that of the operation")] = None
    when: Several[Condition] = Field(default=[])
    repeat: Annotated[
        Repeat | None,
        BeforeValidator(loop_as_written, json_schema_input_type=Repeat | list[int] | int),
        Field(description="take it, or the last so many steps, again"),
    ] = None
    timeout_s: Annotated[
        Length | None, Field(description="most seconds of each of its requests; that of [load] by default")
    ] = None
    chance: Share = 1.0
    expect: Expect = Expect()
    extract: dict[Name, Extract] = Field(default={})
    set: Several[Name] = Field(default=[])
    unset: Several[Name] = Field(default=[])
    redirects: bool = True
    page: bool = False
    forget: bool = False
    count: Name | None = None

    @model_validator(mode="after")
    def _one(self) -> Step:
        keys = (*METHODS, *SOCKET, CALL)
        if sum(getattr(self, key) is not None for key in keys) != 1:
            raise refuse(
                "step-method", f"a step needs exactly one of {', '.join(keys)}", 'for example get = "/"'
            )
        self._check_call()
        self._check_socket()
        bodies = (self.form, self.multipart, self.json_body, self.graphql, self.body)
        if sum(body is not None for body in bodies) > 1:
            raise refuse("step-body", "a step has at most one of form, multipart, json, graphql, body")
        if self.auth is not None and any(name.lower() == "authorization" for name in self.headers):
            raise refuse("auth", "`auth` writes the header Authorization, which `headers` has, too")
        return self

    def _check_call(self) -> None:
        if self.call is None:
            for key in ("arguments", "returns"):
                if getattr(self, key):
                    raise refuse("step-body", f"`{key}` goes with `call`")
        elif not re.fullmatch(HOOK, self.call):
            hint = 'for example call = "sign.py:sign", by its path from the scenario file'
            raise refuse("hook", f"`{self.call}` names no function of a file", hint)
        elif wrong := sorted(self.model_fields_set - _WITH_CALL):
            key = wrong[0].removesuffix("_body")
            raise refuse("step-body", f"a step with `call` asks for nothing, and has no `{key}`")

    @model_serializer(mode="wrap")
    def _without_requests(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """A step with `call` is dumped without the keys of requests: with them it could not be read again."""
        keys: dict[str, Any] = dump(self)
        return keys if self.call is None else {key: keys[key] for key in keys if key in _WITH_CALL}

    def _check_socket(self) -> None:
        if self.socket is None:
            if self.binary:
                raise refuse("step-body", "`binary` goes with `send`")
            return
        bodies = {"form": self.form, "multipart": self.multipart, "json": self.json_body, "body": self.body}
        wrong = [name for name, body in bodies.items() if body is not None]
        wrong += ["page"] if self.page else []
        wrong += ["headers"] if self.headers and self.ws is None else []
        wrong += ["host"] if self.host is not None and self.ws is None else []
        if wrong:
            raise refuse("step-body", f"a step with `{self.socket}` has no `{wrong[0]}`")
        if self.binary and self.send is None:
            raise refuse("step-body", "`binary` goes with `send`")

    @property
    def socket(self) -> str | None:
        """What it does with the session's WebSocket: `ws` opens one; None of a request."""
        return next((key for key in SOCKET if getattr(self, key) is not None), None)

    @property
    def method(self) -> str:
        """The method's key, in lower case; of a WebSocket, or a call, that of the step."""
        keys = (*SOCKET, CALL, *METHODS)
        return next(key for key in keys if getattr(self, key) is not None)

    @property
    def path(self) -> str:
        """Template of the path; `/` where none is asked for."""
        return "/" if self.method in (*SOCKET[1:], CALL) else str(getattr(self, self.method))
