"""The table `[scaling]`: how many hosts of a service serve while a run measures, and by which policy."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Annotated, Literal

from pydantic import Field, model_validator

from loadstone.scenario.fields import Count, NonNegative, Positive, Table, Text, refuse


class Scheduled(Table):
    """How many serve from a time on."""

    at_s: Annotated[NonNegative, Field(description="from the beginning of the run, seconds")]
    servers: Annotated[Count, Field(description="that serve from then on")]


class Scaling(Table):
    """A policy, its bounds, and what it acts on: the hosts of one service of the topology, in their order."""

    service: Annotated[Text, Field(min_length=1, description="of the topology, behind a balancer")]
    policy: Annotated[
        Literal["none", "schedule", "target-utilisation"],
        Field(description="`none`: `start` servers all the time"),
    ] = "none"
    least: Annotated[Count, Field(description="servers that always serve")] = 1
    most: Annotated[Count | None, Field(description="all hosts of the service when absent")] = None
    start: Annotated[Count | None, Field(description="servers as the run begins; `least` when absent")] = None
    target: Annotated[
        float | None,
        Field(gt=0, le=1, description="busy share of the servers' processors that the policy keeps"),
    ] = None
    every_s: Annotated[Positive, Field(description="between two looks at how busy they are")] = 5.0
    cool_down_s: Annotated[
        NonNegative | None, Field(description="after a change, before a server is removed; 60 when absent")
    ] = None
    drain_s: Annotated[
        NonNegative, Field(description="how long a removed server may finish what it has begun")
    ] = 2.0
    step: Annotated[list[Scheduled], Field(max_length=10_000, description="of a schedule, in order")] = Field(
        default=[]
    )

    @property
    def first(self) -> int:
        """Servers as the run begins."""
        return self.start or self.least

    @model_validator(mode="after")
    def _fits(self) -> Scaling:
        utilisation, schedule = self.policy == "target-utilisation", self.policy == "schedule"
        if utilisation != (self.target is not None):
            said = "needs" if utilisation else "has no"
            hint = "such as target = 0.6" if utilisation else "remove it, or write the policy that it is for"
            raise refuse("scaling", f'`policy = "{self.policy}"` {said} `target`', hint)
        if self.cool_down_s is not None and not utilisation:
            message = f'`policy = "{self.policy}"` has no `cool_down_s`'
            raise refuse("scaling", message, "a schedule says when a server goes")
        if schedule != bool(self.step):
            said = "needs" if schedule else "has no"
            hint = "write [[scaling.step]] with `at_s` and `servers`" if schedule else "remove the steps"
            raise refuse("scaling", f'`policy = "{self.policy}"` {said} steps', hint)
        for problem in self._out_of_bounds():
            raise refuse("scaling", problem, "`least` to `most` are the bounds")
        times = [step.at_s for step in self.step]
        if any(late <= early for early, late in pairwise(times)):
            raise refuse("scaling", "steps are not in the order of their times", "each is after the last")
        return self

    def _out_of_bounds(self) -> Iterator[str]:
        if self.most is not None and self.most < self.least:
            yield f"most = {self.most} is under least = {self.least}"
        named = [("start", self.start), *(("servers", step.servers) for step in self.step)]
        for name, value in named:
            if value is not None and (value < self.least or (self.most is not None and value > self.most)):
                yield f"{name} = {value} is not within the bounds"
