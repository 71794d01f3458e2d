"""HAProxy: a balancer."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar

from pydantic import Field

from loadstone.deploy.role import BALANCER_READY, Place, Refusal, Role, Service, Unit
from loadstone.deploy.settings import Balancer, heavy

_HEAVIEST = 256


class HaproxySettings(Balancer):
    """Of HAProxy. Its log is the service's own; a drained host keeps the users whose cookie names it."""

    backends: Annotated[str, Field(description="the service that requests go to")]


class Haproxy(Role):
    """Debian's HAProxy, as a master with one worker process."""

    name = "haproxy"
    settings = HaproxySettings
    port = 8080
    packages = ("haproxy",)
    references: ClassVar = {"backends": ()}

    def files(self, service: Service) -> Mapping[str, str]:
        """One file."""
        return {"haproxy.cfg": "haproxy/templates/haproxy.cfg.j2"}

    def unit(self, service: Service, place: Place) -> Unit:
        """SIGUSR2 makes the master read the file again and start a new worker."""
        return Unit(
            role=self.name,
            port=service.port,
            start=["haproxy", "-W", "-f", "{conf}/haproxy.cfg"],
            programs=["haproxy"],
            check=["haproxy", "-c", "-f", "{conf}/haproxy.cfg"],
            reload_signal=signal.SIGUSR2,
            workers=1,
            ready=BALANCER_READY,
            version=["haproxy", "-v"],
            counts={"kind": "haproxy", "socket": "{run}/stats.sock"},
        )

    def refused(self, service: Service) -> Iterator[Refusal]:
        """Weights beyond its largest."""
        yield from heavy(service.settings, _HEAVIEST)
