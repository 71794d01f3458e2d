"""nginx: a server of one static page, or a balancer when it has `backends`."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Mapping
from typing import ClassVar

from loadstone.deploy.role import BALANCER_READY, HTTP_READY, Place, Refusal, Role, Service, Unit
from loadstone.deploy.settings import Balancer, Pages, unused_page


class NginxSettings(Balancer, Pages):
    """Of nginx. It has passive checks: a back end that failed is left alone for `check_interval_s`."""


class Nginx(Role):
    """Debian's nginx-light."""

    name = "nginx"
    settings = NginxSettings
    port = 8080
    packages = ("nginx-light",)
    references: ClassVar = {"backends": ()}

    def files(self, service: Service) -> Mapping[str, str]:
        """One file; the page beside it unless nginx balances."""
        page = {} if service.settings.backends else {"www/index.html": "service/templates/page.html.j2"}
        return {"nginx.conf": "nginx/templates/nginx.conf.j2"} | page

    def unit(self, service: Service, place: Place) -> Unit:
        """Foreground, reloaded by SIGHUP; `-e` keeps it from the log file of Debian's own."""
        command = ["nginx", "-p", "{run}", "-e", "stderr", "-c", "{conf}/nginx.conf"]
        return Unit(
            role=self.name,
            port=service.port,
            start=command,
            programs=["nginx"],
            check=["nginx", "-t", "-q", *command[1:]],
            reload_signal=signal.SIGHUP,
            workers=service.settings.threads or 1,
            ready=BALANCER_READY if service.settings.backends else HTTP_READY,
            version=["nginx", "-v"],
            counts={"kind": "nginx", "socket": "{run}/status.sock"},
        )

    def refused(self, service: Service) -> Iterator[Refusal]:
        """No cookies: those are nginx's commercial edition's."""
        if service.settings.sticky:
            hint = 'algorithm = "source-hash" keeps an address on one back end'
            yield "sticky", "nginx cannot keep users on a back end by a cookie", hint
        yield from unused_page(service.settings)
