"""The scenario file, table by table. Every key, default and limit of the format stands here, or in the module
of its table, such as `target.py` and `step.py`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import (
    ConfigDict,
    Field,
    model_validator,
)

from loadstone.goals import MOST as MOST_GOALS
from loadstone.goals import SlaRules
from loadstone.scenario.asks import Auth
from loadstone.scenario.faults import Fault
from loadstone.scenario.fields import (
    Count,
    Length,
    Name,
    NonNegative,
    Positive,
    Real,
    Several,
    Share,
    Table,
    refuse,
)
from loadstone.scenario.positions import Path
from loadstone.scenario.scaling import Scaling
from loadstone.scenario.secrets import Written as Secrets
from loadstone.scenario.sessions import Load, Session
from loadstone.scenario.step import Step
from loadstone.scenario.target import Target
from loadstone.scenario.values import Law, Value

FORMAT = 1
END = "end"  # the column of the mix that ends the session
BACK = "back"  # the column that returns to the operation before
ANY = "*"  # the row of the mix for operations without one of their own


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
        bool | None,
        Field(description="fetch what style sheets and the page's styles refer to (`@import`, `url()`)"),
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
    def walked(self) -> list[Operation]:
        """The operations that users make. One that `refresh` names, and the mix leads nowhere to, only renews
        tokens: it has no share, no limit and no line in a record.
        """
        renewing = {auth.refresh for _, auth in self.auths() if auth is not None}
        rows = self.mix.rows if self.mix is not None else {}
        led_to = {self.first, *rows, *(name for row in rows.values() for name in row)}
        led_to |= {rule.next for rule in self.session.after}
        return [one for one in self.operation if one.name in led_to or one.name not in renewing]

    def auths(self) -> Iterator[tuple[Path, Auth | None]]:
        """Every `auth`, with where it is."""
        yield ("target", "auth"), self.target.auth
        for number, operation in enumerate(self.operation):
            yield ("operation", number, "auth"), operation.auth
            for index, step in enumerate(operation.step):
                yield ("operation", number, "step", index, "auth"), step.auth

    @property
    def first(self) -> str:
        """The operation that begins each session."""
        return self.session.first or self.operation[0].name
