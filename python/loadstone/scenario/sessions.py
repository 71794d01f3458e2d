"""The tables `[load]` and `[session]`: who or what comes, for how long, and when a session ends."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from loadstone.scenario.fields import Count, Length, Positive, Real, Size, Span, Table, Text, Threads, refuse
from loadstone.scenario.shapes import Shape, as_written
from loadstone.unit import Unit

CONNECTIONS = 256
"""That requests share: more than most servers work on at once."""
MOST_WAITING = 100_000
_INSTEAD = {"users": "users stay", "operations": "users stay", "requests_per_s": "requests do"}


class Load(Table):
    """How many users, or sessions or requests a second, and for how long (seconds)."""

    users: Annotated[
        Count | None,
        Field(description="concurrent users; by default 10, or none if sessions or requests arrive"),
    ] = 10
    sessions_per_s: Annotated[
        Positive | None,
        Field(description="open workload: sessions arrive at this rate until the steady state ends"),
    ] = None
    requests_per_s: Annotated[
        Positive | None,
        Field(description="single operations arrive at this rate, and share connections"),
    ] = None
    connections: Annotated[
        Count | None, Field(le=1 << 20, description=f"that requests share; by default {CONNECTIONS}")
    ] = None
    streams: Annotated[
        Count | None,
        Field(le=10_000, description="requests at once on each of them, by HTTP/2; by default 100"),
    ] = None
    most_waiting: Annotated[
        Size | None,
        Field(
            le=10_000_000,
            description=f"requests that wait for a connection, by default {MOST_WAITING}; more are dropped",
        ),
    ] = None
    arrivals: Literal["even", "poisson"] = "even"
    ramp_up_s: Span = 30.0
    steady_s: Length = 300.0
    ramp_down_s: Span = 10.0
    timeout_s: Length = 30.0
    profile: list[Annotated[list[Real], Field(min_length=2, max_length=2)]] = Field(
        default=[], description="variable load: [seconds from the end of ramp-up, load], ascending"
    )
    shape: Annotated[
        Shape | None,
        BeforeValidator(as_written, json_schema_input_type=Shape | str),
        Field(description="variable load: steps, a spike, a sine, a hockey stick or a file"),
    ] = None
    threads: Threads = 0
    operations: Annotated[
        Count | None,
        Field(description="end the run after this many operations, or after `steady_s`"),
    ] = None

    @model_validator(mode="before")
    @classmethod
    def _defaults(cls, written: Any) -> Any:
        if not isinstance(written, dict):
            return written
        if written.get("operations") is not None:
            written = {"ramp_up_s": 0.0, "ramp_down_s": 0.0, **written}
        if Unit.of(written).is_rate:
            # TOML has no None. A file with `users` keeps it, and the check below reports it.
            written = {"users": None, **written}
        return written

    @model_validator(mode="after")
    def _all_steady(self) -> Load:
        if self.operations is None:
            return self
        if self.ramp_up_s or self.ramp_down_s or self.profile or self.shape:
            raise refuse(
                "load-operations",
                "a run with `operations` is measured as a whole: it has no ramp-up, ramp-down or profile",
                "set ramp_up_s = 0 and ramp_down_s = 0, or remove `operations`",
            )
        if self.users is not None and self.operations < self.users:
            raise refuse(
                "load-operations",
                f"{self.operations} operations are too few for {self.users} users",
                "give each user at least one",
            )
        return self

    @model_validator(mode="after")
    def _one_change(self) -> Load:
        if self.shape and self.profile:
            message = "[load] has a `profile` and a `shape`: both say how the load changes"
            raise refuse("load-profile", message, "remove one of the two")
        return self

    @property
    def changes(self) -> bool:
        """Whether it is not one load all the time."""
        return bool(self.profile or self.shape)

    @model_validator(mode="after")
    def _open_or_closed(self) -> Load:
        unit = Unit.of(dict(self))
        if not unit.is_rate and self.arrivals != "even":
            raise refuse(
                "open-workload",
                "`arrivals` needs `sessions_per_s` or `requests_per_s`: it says how these arrive",
                "add one of them, or remove `arrivals`",
            )
        for key in ("connections", "streams", "most_waiting"):
            if getattr(self, key) is not None and unit is not Unit.REQUESTS:
                message = f"`{key}` needs `requests_per_s`: only these requests share connections"
                raise refuse("open-workload", message, f"add requests_per_s, or remove `{key}`")
        both: dict[str, Any] = {"users": self.users, "operations": self.operations} if unit.is_rate else {}
        if unit is Unit.SESSIONS:
            both["requests_per_s"] = self.requests_per_s
        for key in (key for key, value in both.items() if value):
            raise refuse(
                "open-workload",
                f"[load] has `{unit}` and `{key}`: {unit.things} arrive at a rate, or {_INSTEAD[key]}",
                f"remove `{key}`"
                if key == "operations"
                else f"remove one of the two (`--set load.{unit}=...` does, and `load.{key}`)",
            )
        return self


class After(Table):
    """What an answer that contains a text leads to."""

    contains: Text
    next: str


class Session(Table):
    """What begins a session and what ends it."""

    first: Annotated[
        str | None, Field(description="operation that begins each session; by default the file's first")
    ] = None
    max_operations: Annotated[
        Count | None, Field(description="end each session, as completed, after this many operations")
    ] = None
    on_failure: Annotated[
        Literal["go-on", "end"],
        Field(description='"end": a failed operation ends its session, which is lost'),
    ] = "go-on"
    retry_after: Annotated[
        Size,
        Field(description="times in a row to wait after a 503 with Retry-After before it is a failure"),
    ] = 0
    after: Annotated[
        list[After], Field(description="rules on answers; the first that matches says what follows")
    ] = Field(default=[])
