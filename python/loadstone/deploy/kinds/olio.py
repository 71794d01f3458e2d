"""Olio, the built-in social-events site, as `loadstone serve olio` runs it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from loadstone.deploy.role import HTTP_READY, Place, Role, Service, Unit
from loadstone.deploy.settings import Settings
from loadstone.scenario.fields import Count, Positive, Size, Threads

_LOAD_S = 1800.0


class OlioSettings(Settings):
    """Of Olio. A change of what is loaded (the first three) makes the data anew."""

    accounts: Annotated[Count, Field(ge=100, description="of the data set")] = 1000
    profile: Annotated[Literal["cloudstone-2008", "olio-0.2"], Field(description="era of the data")] = (
        "cloudstone-2008"
    )
    media_scale: Annotated[Positive, Field(le=100, description="sizes of pictures relative to Olio's")] = 1.0
    cache: Annotated[Literal["none", "query", "fragment", "page"], Field(description="caching level")] = (
        "none"
    )
    workers: Annotated[Threads, Field(description="worker threads; 0: as many as fit the machine")] = 0
    max_connections: Annotated[Size, Field(description="held at once; 0: no limit")] = 0


class Olio(Role):
    """By the interpreter that runs this: a lab host has it too, a real machine needs it at the same path."""

    name = "olio"
    settings = OlioSettings
    port = 8080

    def files(self, service: Service) -> Mapping[str, str]:
        """None: it takes all of it on its command line."""
        return {}

    def unit(self, service: Service, place: Place) -> Unit:
        """As root: the interpreter may lie where nobody else can read."""
        loadstone = [sys.executable, "-m", "loadstone"]
        settings = service.settings
        made = {
            "--accounts": settings.accounts, "--profile": settings.profile,
            "--media-scale": settings.media_scale, "--out": "{data}/olio",
        }  # fmt: skip
        served = {
            "--data": "{data}/olio", "--host": "0.0.0.0", "--port": service.port, "--cache": settings.cache,
            "--workers": settings.workers, "--max-connections": settings.max_connections,
        }  # fmt: skip
        return Unit(
            role=self.name,
            port=service.port,
            start=[*loadstone, "serve", "olio", *_words(served)],
            programs=[sys.executable],
            prepare=[[*loadstone, "olio", "load", *_words(made)]],
            prepare_s=_LOAD_S,
            ready=HTTP_READY,
            version=[
                sys.executable,
                "-c",
                "from loadstone._core import __version__ as v; print('loadstone', v)",
            ],
            user="root",
        )


def _words(options: Mapping[str, object]) -> list[str]:
    return [word for pair in options.items() for word in map(str, pair)]
