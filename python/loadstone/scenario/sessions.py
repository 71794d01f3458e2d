"""The tables `[load]` and `[session]`: who comes, for how long, and when a session ends."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from loadstone.scenario.fields import Count, Length, Positive, Real, Size, Span, Table, Text, Threads, refuse


class Load(Table):
    """How many users, or sessions a second, and for how long (seconds)."""

    users: Annotated[
        Count | None, Field(description="concurrent users; by default 10, or none if sessions arrive")
    ] = 10
    sessions_per_s: Annotated[
        Positive | None,
        Field(description="open workload: sessions arrive at this rate until the steady state ends"),
    ] = None
    arrivals: Literal["even", "poisson"] = "even"
    ramp_up_s: Span = 30.0
    steady_s: Length = 300.0
    ramp_down_s: Span = 10.0
    timeout_s: Length = 30.0
    profile: list[Annotated[list[Real], Field(min_length=2, max_length=2)]] = Field(
        default=[], description="variable load: [seconds from the end of ramp-up, users], ascending"
    )
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
        if written.get("sessions_per_s") is not None:
            # TOML has no None. A file with `users` keeps it, and the check below reports it.
            written = {"users": None, **written}
        return written

    @model_validator(mode="after")
    def _all_steady(self) -> Load:
        if self.operations is None:
            return self
        if self.ramp_up_s or self.ramp_down_s or self.profile:
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
    def _open_or_closed(self) -> Load:
        if self.sessions_per_s is None:
            if self.arrivals != "even":
                raise refuse(
                    "open-workload",
                    "`arrivals` needs `sessions_per_s`: it says how these sessions arrive",
                    "add sessions_per_s, or remove `arrivals`",
                )
            return self
        both = {"users": self.users, "profile": self.profile, "operations": self.operations}
        for key in (key for key, value in both.items() if value):
            raise refuse(
                "open-workload",
                f"[load] has `sessions_per_s` and `{key}`: sessions arrive at a rate, or users stay",
                "remove one of the two (`--set load.sessions_per_s=...` does, and `load.users`)"
                if key == "users"
                else f"remove `{key}`",
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
