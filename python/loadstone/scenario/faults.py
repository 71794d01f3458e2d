"""The table `[[fault]]`: what is done to hosts and services of the topology while a run measures."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from loadstone.scenario.fields import NonNegative, Positive, Share, Table, Text, refuse

SHAPE = ("delay_ms", "jitter_ms", "loss", "rate_mbit")
OF_HOSTS = ("kill", "restart", "repair", "cut", "mend", "link")
OF_SERVICES = ("kill", "stop", "restart", "drain", "undrain")


class Fault(Table):
    """One fault, at its time."""

    at_s: Annotated[NonNegative, Field(description="from the beginning of the run, seconds")]
    host: Annotated[Text | None, Field(min_length=1, description="a host that the lab has made")] = None
    service: Annotated[
        Text | None,
        Field(min_length=1, description="or a service of the topology; `NAME@HOST`: the one of that host"),
    ] = None
    what: Annotated[
        Literal["kill", "stop", "restart", "repair", "cut", "mend", "link", "drain", "undrain"],
        Field(
            description="to a host as `lab host kill`, `lab link set --cut` and so on; to a service `kill` "
            "(as `kill -9`), `stop`, `restart`, `drain`, `undrain`"
        ),
    ]
    delay_ms: Annotated[NonNegative | None, Field(description="with `link`")] = None
    jitter_ms: Annotated[NonNegative | None, Field(description="with `link`")] = None
    loss: Annotated[Share | None, Field(description="with `link`")] = None
    rate_mbit: Annotated[Positive | None, Field(description="with `link`")] = None

    @property
    def shape(self) -> dict[str, float]:
        """What of the link changes."""
        return self.model_dump(include=set(SHAPE), exclude_none=True)

    @property
    def subject(self) -> str:
        """What it is done to, in words."""
        return f"host {self.host}" if self.host else f"service `{self.service}`"

    @model_validator(mode="after")
    def _one_thing(self) -> Fault:
        if bool(self.host) == bool(self.service):
            said = "names both a host and a service" if self.host else "names neither a host nor a service"
            raise refuse("fault", f"a fault {said}", 'write host = "db", or service = "shop@app1"')
        allowed = OF_HOSTS if self.host else OF_SERVICES
        if self.what not in allowed:
            message = f"`{self.what}` is nothing that is done to a {'host' if self.host else 'service'}"
            raise refuse("fault", message, "known are " + ", ".join(allowed))
        if (self.what == "link") != bool(self.shape):
            message = f'`what = "{self.what}"` changes ' + ("nothing" if self.what == "link" else "no shape")
            hint = 'write what = "link" with some of ' + ", ".join(SHAPE)
            raise refuse("fault", message, hint)
        return self
