"""Settings that roles share. A role's own model stands with the role, in `kinds/`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import Field

from loadstone.deploy.secrets import Given
from loadstone.scenario.fields import Count, Positive, Table

Algorithm = Literal["round-robin", "least-connections", "source-hash", "uri-hash"]


class Settings(Table):
    """Of one service: `[service.settings]`. Unknown keys are refused."""


def known_keys(model: type[Table], keys: tuple[str | int, ...]) -> list[str]:
    """Keys that the table at this path below the settings may have."""
    annotation: Any = model
    for key in keys:
        if isinstance(annotation, type) and issubclass(annotation, Table):
            annotation = annotation.model_fields[str(key)].annotation
        else:
            annotation = next(iter(get_args(annotation)[-1:]), None)
    return list(annotation.model_fields) if hasattr(annotation, "model_fields") else []


class Pages(Settings):
    """A server of one static page."""

    page_bytes: Annotated[
        int, Field(ge=1, le=10_000_000, description="size of the page at `/`, bytes; the paper's is 166")
    ] = 166


class Balancer(Settings):
    """What balancers share; a role refuses what its program cannot do."""

    backends: Annotated[str | None, Field(description="the service that requests go to")] = None
    algorithm: Annotated[Algorithm, Field(description="how a back end is chosen")] = "round-robin"
    sticky: Annotated[bool, Field(description="a cookie keeps a user on one back end")] = False
    weights: Annotated[
        dict[str, Count],
        Field(default_factory=dict, description="share of requests by host; 1 for those not named"),
    ]
    reuse: Annotated[bool, Field(description="connections to back ends carry many requests")] = True
    check_interval_s: Annotated[Positive, Field(description="how often a back end's health is asked")] = 2.0
    drain: Annotated[list[str], Field(default_factory=list, description="hosts that get no new users")]
    threads: Annotated[
        Count | None, Field(le=256, description="threads or workers; the program's own choice when absent")
    ] = None
    max_connections: Annotated[Count, Field(description="held at once, from users")] = 4096
    access_log: Annotated[bool, Field(description="a line a request with its times, in the logs")] = False


class Database(Settings):
    """What databases share: a database and its user, both called `loadstone`."""

    password: Annotated[Given | None, Field(description="of the user; generated when absent")] = None
    bind: Annotated[
        str | None, Field(description="address that it listens on; the host's in the topology when absent")
    ] = None
    memory_mib: Annotated[Count, Field(ge=8, description="for pages of the data, MiB")] = 128
    max_connections: Annotated[Count, Field(le=10_000, description="held at once")] = 200
    durable: Annotated[
        bool, Field(description="a commit is on disk before its answer; otherwise up to a second later")
    ] = True


class Following(Settings):
    """Of a database that can be a copy of another one of its role."""

    replica_of: Annotated[
        str | None, Field(description="the service whose data each host of this one copies and follows")
    ] = None


def unused_page(settings: Settings) -> Iterator[tuple[str, str, str]]:
    """A server with back ends has no page of its own: key, sentence, hint."""
    if getattr(settings, "backends", None) and "page_bytes" in settings.model_fields_set:
        yield "page_bytes", "a balancer has no page of its own", "set it in the service behind it"


def heavy(settings: Balancer, most: int) -> Iterator[tuple[str, str, str]]:
    """Weights above what a program takes, or that would make its configuration long."""
    for host, weight in settings.weights.items():
        if weight > most:
            message = f"the weight {weight} of `{host}` is more than {most}"
            yield "weights", message, "divide all weights by the same number"


def without(settings: Balancer, reasons: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Settings that a program has nothing for: refused where the file gives them, by key with the reason."""
    for key, reason in reasons.items():
        if key in settings.model_fields_set:
            yield key, reason, f"leave `{key}` out"
