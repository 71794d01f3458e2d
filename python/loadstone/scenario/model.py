"""The scenario file, table by table. Every key, default and limit of the format stands here."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    SerializerFunctionWrapHandler,
    Tag,
    model_serializer,
    model_validator,
)

from loadstone.goals import MOST as MOST_GOALS
from loadstone.goals import SlaRules
from loadstone.scenario.answers import Expect, Extract
from loadstone.scenario.asks import Auth, GraphQl
from loadstone.scenario.faults import Fault
from loadstone.scenario.fields import (
    Bytes,
    Count,
    Length,
    Name,
    NonNegative,
    Positive,
    Real,
    Several,
    Share,
    Size,
    Table,
    Text,
    refuse,
)
from loadstone.scenario.findings import listed, suggest
from loadstone.scenario.flow import Condition, Repeat
from loadstone.scenario.flow import as_written as loop_as_written
from loadstone.scenario.hooks import SHAPE as HOOK
from loadstone.scenario.scaling import Scaling
from loadstone.scenario.secrets import Written as Secrets
from loadstone.scenario.sessions import Load, Session
from loadstone.scenario.tls import Tls
from loadstone.scenario.values import Law, Value
from loadstone.site import SITES

FORMAT = 1
MOST_HOSTS = 32  # beside the target's own: a session may have a connection to each
END = "end"  # the column of the mix that ends the session
BACK = "back"  # the column that returns to the operation before
ANY = "*"  # the row of the mix for operations without one of their own
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


class Container(Table):
    """How the process of a built-in site runs, whichever it is; what is absent is left to it."""

    connector: str | None = None
    cores: Annotated[Size | None, Field(description="processors that it may use; all by default")] = None
    workers: Size | Literal["auto"] | None = None
    queue: Size | None = None
    max_connections: Size | None = None
    admission: Literal["none", "busy", "queue", "adaptive", "session"] | None = None
    refuse: Annotated[
        bool | None, Field(description="answer 503 with Retry-After to clients that must wait")
    ] = None


class AsImage(Table):
    """The built-in application as an image that a hypervisor boots, instead of a process."""

    file: Annotated[
        str | None, Field(min_length=1, description="image file; by default built from the sources")
    ] = None
    machine: Literal["microvm", "q35"] = "microvm"
    memory_mib: Annotated[Count, Field(le=65536)] = 64
    disk_mib: Annotated[Count, Field(le=1 << 20, description="size of the disk with the data")] = 256
    disk_mode: Annotated[Literal["log", "journal"], Field(description="what protects a transaction")] = "log"
    disk_cache: Annotated[
        Literal["writeback", "unsafe"], Field(description="`unsafe`: the host forgets the guest's flushes")
    ] = "writeback"


def _known(app: str) -> str:
    if app not in SITES:
        hint = suggest(app, SITES, f"known are {listed(SITES)}")
        raise refuse("target", f"there is no built-in application `{app}`", hint)
    return app


def _version(written: Any) -> Any:
    """A version of HTTP as text, where it is written as a number."""
    number = isinstance(written, int | float) and not isinstance(written, bool)
    return f"{written:g}" if number else written


class Target(Table):
    """Where requests go: a site that runs already (`url`) or a built-in application (`app`)."""

    url: str | None = None
    host: Annotated[
        str | None, Field(pattern=r"^[!-~]+$", description="the Host header, if it is not that of `url`")
    ] = None
    hosts: Annotated[
        dict[Name, str],
        Field(
            max_length=MOST_HOSTS, description="URLs of further hosts, by the names that steps call them by"
        ),
    ] = Field(default={})
    from_: Annotated[
        Several[str],
        Field(alias="from", max_length=1000, description="addresses of this machine that users connect from"),
    ] = Field(default=[])
    proxy: Annotated[
        str | None, Field(description="URL of the HTTP proxy by which the hosts are reached")
    ] = None
    tls: Annotated[Tls | None, Field(description="of `https` URLs")] = None
    auth: Annotated[Auth | None, Field(description="of all steps on this host")] = None
    http: Annotated[
        Literal["1.1", "2"],
        BeforeValidator(_version, json_schema_input_type=Literal["1.1", "2"] | float),
        Field(description="version of HTTP: `2` by ALPN with https, by prior knowledge with http"),
    ] = "1.1"
    app: Annotated[str, AfterValidator(_known)] | None = None
    options: Annotated[dict[str, Any], Field(description="options of `app` and of its server")] = Field(
        default={}
    )
    image: Annotated[AsImage | None, Field(description="boot `app` as an image; may be empty")] = None
    reset: Annotated[
        str | None,
        Field(min_length=1, description="shell command that brings the data of `url` back to the start"),
    ] = None

    @model_validator(mode="after")
    def _one(self) -> Target:
        if (self.url is None) == (self.app is None):
            raise refuse(
                "target",
                "[target] needs exactly one of `url` and `app`",
                'for example url = "http://127.0.0.1:8080"',
            )
        if self.options and self.app is None:
            raise refuse(
                "target", "[target.options] is only for a built-in `app`", "remove it, or name the app"
            )
        if self.image is not None and self.app is None:
            raise refuse(
                "target", "[target.image] is only for a built-in `app`", "remove it, or name the app"
            )
        if self.app is not None and (self.tls or self.host or self.hosts or self.proxy):
            message = "[target] has `tls`, `host`, `hosts` or `proxy` beside an `app`"
            raise refuse("target", message, "they go with a `url`")
        if self.app is not None and self.http != "1.1":
            raise refuse("target", "built-in sites speak HTTP/1.1", "remove `http`, or measure a `url`")
        if self.reset is not None and self.app is not None:
            raise refuse(
                "target",
                "[target] has `reset` beside an `app`",
                "remove it: Loadstone resets a built-in `app` itself",
            )
        return self


class Pacing(Table):
    """When the next operation starts: `cycle` from start to start, `think` from end to start."""

    cycle: Law | None = None
    think: Law | None = None

    @model_validator(mode="after")
    def _one(self) -> Pacing:
        if (self.cycle is None) == (self.think is None):
            raise refuse("pacing", "pacing needs exactly one of `cycle` and `think`", "for example cycle = 5")
        return self


class Browser(Table):
    """What the emulated browser of each user keeps and asks for again."""

    warm_share: Share = 0.0
    revalidate: bool = True
    cached: Annotated[list[str], Field(description="path prefixes of files in a warm cache")] = Field(
        default=[]
    )
    user_agent: str = "loadstone"
    compressed: Annotated[bool, Field(description="ask for compressed answers, as browsers do")] = True
    pause: Annotated[
        Law | None,
        Field(description="pause before each further file of a page; part of the response time"),
    ] = None
    connections: Annotated[
        Count | None,
        Field(le=64, description="most connections to a host at once, for the files of a page, by HTTP/1.1"),
    ] = None

    styles: Annotated[
        bool | None, Field(description="fetch what style sheets refer to (`@import`, `url()`)")
    ] = None
    width: Annotated[
        Positive, Field(le=100_000, description="of the window, CSS pixels: what `srcset` is chosen by")
    ] = 1280
    density: Annotated[Positive, Field(le=100, description="device pixels for each of them")] = 1

    @model_validator(mode="after")
    def _one_after_the_other(self) -> Browser:
        if self.pause is not None and self.connections not in (None, 1):
            raise refuse(
                "pacing",
                f"[browser] has a `pause` before each file, and {self.connections} `connections` for them",
                "remove one: with a pause, files come one after the other on one connection",
            )
        return self


class Sla(Table):
    """The SLA is judged in every window of this many seconds; 300 by the rules of Cloudstone."""

    window_s: Length = 300.0
    rules: Annotated[
        SlaRules | None,
        Field(description="rules that the scenario claims to follow; runs are judged by them"),
    ] = None
    goals: Annotated[
        Several[str], Field(max_length=MOST_GOALS, description='more goals, such as "Search p95 < 300 ms"')
    ] = Field(default=[])


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


class Operation(Table):
    """The unit a user waits for and the SLA judges."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]*$")]
    limit_s: Length
    timeout_s: Annotated[Length | None, Field(description="the operation fails after so many seconds")] = None
    pacing: Pacing | None = None
    auth: Annotated[Auth | None, Field(description="of its steps, instead of that of [target]")] = None
    draw: dict[Name, Value] = Field(default={})
    step: Annotated[list[Step], Field(min_length=1)]


class Mix(Table):
    """Rows of the transition matrix: probabilities of the next operation, of `back`, or of `end`."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)
    __pydantic_extra__: dict[str, dict[str, NonNegative]]

    normalize: bool = False
    clip: Annotated[
        bool,
        Field(description="add rows up in the order of the file; operations beyond 1 never follow"),
    ] = False

    @model_validator(mode="after")
    def _one_way(self) -> Mix:
        if self.normalize and self.clip:
            raise refuse(
                "mix-clip",
                "`normalize` and `clip` are two ways to read rows that do not sum to 1",
                "choose one of them",
            )
        return self

    @property
    def rows(self) -> dict[str, dict[str, float]]:
        """The rows as written."""
        return self.__pydantic_extra__


class Check(Table):
    """A condition on a valid run, judged by the run stage over the steady state.

    With `count`: the counter's or named step's sum over the right answers of `per`, divided by
    their number. With `measure`: a figure of the whole run.
    """

    name: Annotated[str, Field(min_length=1)]
    count: str | None = None
    per: str | None = None
    measure: Literal["users-per-throughput", "failed-share", "dropped-share"] | None = None
    min: Real | None = None
    max: Real | None = None

    @model_validator(mode="after")
    def _whole_check(self) -> Check:
        if (self.count is None) == (self.measure is None):
            raise refuse("check", "a check needs exactly one of `count` (with `per`) and `measure`")
        if (self.count is None) != (self.per is None):
            raise refuse(
                "check", "`count` and `per` belong together", 'for example count = "images", per = "Home"'
            )
        if self.min is None and self.max is None:
            raise refuse("check", "a check needs `min`, `max` or both")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise refuse("range-order", f"min = {self.min:g} is over max = {self.max:g}")
        return self


class ScenarioFile(Table):
    """A scenario file of format 1."""

    format: Literal[1]
    name: Annotated[str, Field(min_length=1, max_length=100)]
    summary: str = ""
    target: Target
    data: dict[Name, Any] = Field(default={})
    secrets: Annotated[Secrets, Field(description="where they are; `{secret.NAME}` in templates")] = Field(
        default={}
    )
    load: Load = Load()
    pacing: Pacing
    session: Session = Session()
    browser: Browser = Browser()
    sla: Sla = Sla()
    operation: Annotated[
        list[Operation], Field(min_length=1, max_length=1000, description="the mix is their square")
    ]
    mix: Mix | None = None
    check: list[Check] = Field(default=[])
    fault: list[Fault] = Field(default=[])
    scaling: Annotated[
        Scaling | None, Field(description="servers of the topology that come and go with the load")
    ] = None
    nodes: dict[str, Any] = Field(default={}, description="defaults of `loadstone nodes`, by option")
    cost: dict[str, Any] = Field(default={}, description="defaults of `loadstone cost`, by option")

    @model_validator(mode="before")
    @classmethod
    def _no_pauses(cls, written: Any) -> Any:
        """Requests that arrive at a rate have no pauses between them."""
        load = written.get("load") if isinstance(written, dict) else None
        if isinstance(load, dict) and load.get("requests_per_s") is not None:
            written = {"pacing": {"think": 0}, **written}
        return written

    def with_options(self, options: dict[str, Any]) -> ScenarioFile:
        """The same with the options of its built-in application as they were checked."""
        target = self.target.model_copy(update={"options": options})
        return self.model_copy(update={"target": target})

    @property
    def first(self) -> str:
        """The operation that begins each session."""
        return self.session.first or self.operation[0].name
