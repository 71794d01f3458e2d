"""Caddy as a balancer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar

from pydantic import Field

from loadstone.deploy.role import BALANCER_READY, Place, Refusal, Role, Service, Unit
from loadstone.deploy.settings import Balancer, heavy, without

_MOST_WEIGHT = 100


class CaddySettings(Balancer):
    """Of Caddy. `threads` are those that run Go code at the same time; without it, one a processor."""

    backends: Annotated[str, Field(description="the service that requests go to")]


class Caddy(Role):
    """Debian's caddy."""

    name = "caddy"
    settings = CaddySettings
    port = 8080
    packages = ("caddy",)
    references: ClassVar = {"backends": ()}

    def files(self, service: Service) -> Mapping[str, str]:
        """One file."""
        return {"Caddyfile": "caddy/templates/Caddyfile.j2"}

    def unit(self, service: Service, place: Place) -> Unit:
        """Foreground; reloaded over the socket of its own administration."""
        configuration = ["--adapter", "caddyfile", "--config", "{conf}/Caddyfile"]
        threads = service.settings.threads
        return Unit(
            role=self.name,
            port=service.port,
            start=["caddy", "run", *configuration],
            programs=["caddy"],
            check=["caddy", "validate", *configuration],
            reload=["caddy", "reload", *configuration, "--address", "unix/{run}/admin.sock"],
            ready=BALANCER_READY,
            version=["caddy", "version"],
            env={"XDG_DATA_HOME": "{run}", "XDG_CONFIG_HOME": "{run}"}
            | ({"GOMAXPROCS": str(threads)} if threads else {}),
        )

    def refused(self, service: Service) -> Iterator[Refusal]:
        """Weights are turns, which only round-robin takes; there is no limit on connections."""
        settings = service.settings
        if settings.weights and settings.algorithm != "round-robin":
            message = f"Caddy has no weights for {settings.algorithm}"
            yield "weights", message, 'take `algorithm = "round-robin"`, or leave `weights` out'
        yield from heavy(settings, _MOST_WEIGHT)
        yield from without(
            settings, {"max_connections": "Caddy holds as many connections as it has files for"}
        )
