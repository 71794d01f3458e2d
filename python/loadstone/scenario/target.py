"""Where requests go: the part `[target]` of a scenario file."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from loadstone.scenario.asks import Auth
from loadstone.scenario.fields import Count, Name, Several, Size, Table, refuse
from loadstone.scenario.findings import listed, suggest
from loadstone.scenario.tls import Tls
from loadstone.site import SITES

MOST_HOSTS = 32  # beside the target's own: a session may have a connection to each


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
        str | None,
        Field(description="URL of the HTTP proxy to the hosts; its user and password are templates"),
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
