"""Balancing by the kernel: nftables rewrites the addresses of connections; nothing of ours touches them."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar

from pydantic import Field

from loadstone.deploy.role import Place, Refusal, Role, Service, Unit
from loadstone.deploy.settings import Balancer, heavy, without

_MOST_WEIGHT = 100


class NftablesSettings(Balancer):
    """Of the kernel's balancing, which chooses a back end for each connection, not for each request."""

    backends: Annotated[str, Field(description="the service that connections go to")]


class Nftables(Role):
    """nftables with NAT, and a process that checks the back ends for it."""

    name = "nftables"
    settings = NftablesSettings
    port = 8080
    packages = ("nftables",)
    references: ClassVar = {"backends": ()}

    def files(self, service: Service) -> Mapping[str, str]:
        """The process, and what it is to do."""
        return {
            "balance.py": "nftables/templates/balance.py",
            "balance.json": "nftables/templates/balance.json.j2",
        }

    def unit(self, service: Service, place: Place) -> Unit:
        """It listens on nothing, and runs as root, because the kernel takes tables only from root."""

        def command(verb: str) -> list[str]:
            return ["python3", "-I", "{conf}/balance.py", verb, "{conf}/balance.json"]

        return Unit(
            role=self.name,
            port=None,
            start=command("run"),
            programs=["nft", "python3"],
            check=command("check"),
            reload_signal=signal.SIGHUP,
            stop=[command("clear")],
            ready={"command": command("serves")},
            version=["nft", "--version"],
            user="root",
        )

    def variables(self, service: Service, place: Place) -> Mapping[str, Any]:
        """`table`: the name of its table in the kernel."""
        return {"table": f"loadstone-{service.name}"}

    def refused(self, service: Service) -> Iterator[Refusal]:
        """Addresses are all that it sees."""
        settings = service.settings
        if settings.algorithm in ("least-connections", "uri-hash"):
            message = f"nftables cannot choose by {settings.algorithm}"
            yield "algorithm", message, 'take "round-robin" or "source-hash"'
        if settings.sticky:
            hint = 'algorithm = "source-hash" keeps an address on one back end'
            yield "sticky", "nftables sees no cookies", hint
        yield from heavy(settings, _MOST_WEIGHT)
        names = ("reuse", "threads", "max_connections", "access_log")
        yield from without(
            settings, dict.fromkeys(names, "connections are the users' own, which only pass through")
        )
