"""The table `[[fault]]`: what is done to a host of the topology while a run measures."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from loadstone.scenario.fields import NonNegative, Positive, Share, Table, Text, refuse

SHAPE = ("delay_ms", "jitter_ms", "loss", "rate_mbit")


class Fault(Table):
    """One fault, at its time."""

    at_s: Annotated[NonNegative, Field(description="from the beginning of the run, seconds")]
    host: Annotated[Text, Field(min_length=1, description="a host that the lab has made")]
    what: Annotated[
        Literal["kill", "restart", "repair", "cut", "mend", "link"],
        Field(description="as `lab host kill`, `lab link set --cut` and so on"),
    ]
    delay_ms: Annotated[NonNegative | None, Field(description="with `link`")] = None
    jitter_ms: Annotated[NonNegative | None, Field(description="with `link`")] = None
    loss: Annotated[Share | None, Field(description="with `link`")] = None
    rate_mbit: Annotated[Positive | None, Field(description="with `link`")] = None

    @property
    def shape(self) -> dict[str, float]:
        """What of the link changes."""
        return self.model_dump(include=set(SHAPE), exclude_none=True)

    @model_validator(mode="after")
    def _one_thing(self) -> Fault:
        if (self.what == "link") != bool(self.shape):
            message = f'`what = "{self.what}"` changes ' + ("nothing" if self.what == "link" else "no shape")
            hint = 'write what = "link" with some of ' + ", ".join(SHAPE)
            raise refuse("fault", message, hint)
        return self
