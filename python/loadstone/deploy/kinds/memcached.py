"""memcached: a cache in memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from loadstone.deploy.role import Place, Role, Service, Unit, listen
from loadstone.deploy.settings import Settings
from loadstone.scenario.fields import Count


class MemcachedSettings(Settings):
    """Of memcached. It reads no file and cannot reload: every change empties it."""

    memory_mib: Annotated[Count, Field(description="for what is kept")] = 64
    max_connections: Annotated[Count, Field(description="held at once")] = 1024
    threads: Annotated[Count, Field(le=256, description="worker threads")] = 4
    bind: Annotated[
        str | None, Field(description="address that it listens on; the host's in the topology when absent")
    ] = None


class Memcached(Role):
    """Debian's memcached."""

    name = "memcached"
    settings = MemcachedSettings
    port = 11211
    packages = ("memcached",)

    def files(self, service: Service) -> Mapping[str, str]:
        """None: it takes all of it on its command line."""
        return {}

    def unit(self, service: Service, place: Place) -> Unit:
        """Without UDP."""
        settings = service.settings
        numbers = {
            "-p": service.port, "-U": 0, "-m": settings.memory_mib, "-c": settings.max_connections,
            "-t": settings.threads,
        }  # fmt: skip
        return Unit(
            role=self.name,
            port=service.port,
            start=[
                "memcached",
                "-l",
                ",".join(listen(service, place)),
                *(word for pair in numbers.items() for word in map(str, pair)),
            ],
            programs=["memcached"],
            ready={"send": "version\r\n", "expect": "VERSION "},
            version=["memcached", "-V"],
            resets="process",
            counts={"kind": "memcached", "port": service.port},
        )
