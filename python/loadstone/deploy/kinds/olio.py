"""Olio, the built-in social-events site, as `loadstone serve olio` runs it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from loadstone.deploy.role import HTTP_READY, Place, Role, Service, Unit
from loadstone.deploy.settings import Settings
from loadstone.scenario.fields import Count, Positive, Size, Threads

_LOAD_S = 1800.0
_SCHEMES = {"mariadb": "mysql", "postgresql": "postgres"}


class OlioSettings(Settings):
    """Of Olio. A change of what is loaded (accounts, profile, media_scale) makes the data anew."""

    accounts: Annotated[Count, Field(ge=100, description="of the data set")] = 1000
    profile: Annotated[Literal["cloudstone-2008", "olio-0.2"], Field(description="era of the data")] = (
        "cloudstone-2008"
    )
    media_scale: Annotated[Positive, Field(le=100, description="sizes of pictures relative to Olio's")] = 1.0
    database: Annotated[
        str | None, Field(description="a service that all hosts share; else each has its own in SQLite")
    ] = None
    python: Annotated[
        str | None,
        Field(description="interpreter on the hosts that has Loadstone; else the one that deploys"),
    ] = None
    cache: Annotated[Literal["none", "query", "fragment", "page"], Field(description="caching level")] = (
        "none"
    )
    rules: Annotated[Literal["benchmark", "public"], Field(description="for a load test, or for people")] = (
        "benchmark"
    )
    workers: Annotated[Threads, Field(description="worker threads; 0: as many as fit the machine")] = 0
    max_connections: Annotated[Size, Field(description="held at once; 0: no limit")] = 0


class Olio(Role):
    """By the interpreter that deploys: a lab host has it too. A real machine needs one with Loadstone."""

    name = "olio"
    settings = OlioSettings
    port = 8080
    references: ClassVar = {"database": tuple(_SCHEMES)}

    def files(self, service: Service) -> Mapping[str, str]:
        """None: it takes all of it on its command line."""
        return {}

    def one_by_one(self, service: Service) -> bool:
        """The first host fills a database that all share; the others need it full."""
        return service.settings.database is not None

    def unit(self, service: Service, place: Place) -> Unit:
        """As root: the interpreter may lie where nobody else can read."""
        settings = service.settings
        python = settings.python or sys.executable
        loadstone = [python, "-m", "loadstone"]
        data = {
            "--accounts": settings.accounts, "--profile": settings.profile,
            "--media-scale": settings.media_scale,
        }  # fmt: skip
        to, source = ["--out", "{data}/olio"], ["--data", "{data}/olio"]
        if settings.database is not None:
            source = ["--database", _url(place, settings.database)]
            to = [*source, "--replace"]
        served = {
            "--host": "0.0.0.0", "--port": service.port, "--cache": settings.cache,
            "--rules": settings.rules,
            "--workers": settings.workers, "--max-connections": settings.max_connections,
        }  # fmt: skip
        fills = settings.database is None or place.host == service.hosts[0]
        return Unit(
            role=self.name,
            port=service.port,
            start=[*loadstone, "serve", "olio", *source, *_words(served)],
            programs=[python],
            prepare=[[*loadstone, "olio", "load", *_words(data), *to]] if fills else [],
            prepare_s=_LOAD_S,
            ready=HTTP_READY,
            version=[
                sys.executable,
                "-c",
                "from loadstone._core import __version__ as v; print('loadstone', v)",
            ],
            user="root",
            # Other data are a restart also where they are not made: what was cached is of the old.
            env={"OLIO_DATA": " ".join(_words(data))},
        )


def _url(place: Place, database: str) -> str:
    """Where the role's user `loadstone` finds its database of the same name."""
    found = place.services[database]
    address, port = place.endpoint(database)
    return f"{_SCHEMES[found.role]}://loadstone:{found.settings.password}@{address}:{port}/loadstone"


def _words(options: Mapping[str, object]) -> list[str]:
    return [word for pair in options.items() for word in map(str, pair)]
