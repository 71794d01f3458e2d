"""Apache: a server of one static page, or a balancer (mod_proxy_balancer) when it has `backends`."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from loadstone.deploy.role import BALANCER_READY, HTTP_READY, Place, Refusal, Role, Service, Unit
from loadstone.deploy.settings import Balancer, Pages, heavy, unused_page

_MOST_WEIGHT = 100
_PROCESS_THREADS = 64
"""Of one process, at most; Apache's own ceiling, and short of where its threads wait for each other."""

_THREADS = 1024
"""When none are asked for. When all are busy Apache closes idle connections, with requests on their way into
them: with its own 400, a third of the 10,000 requests of 600 users were lost so.
"""


class ApacheSettings(Balancer, Pages):
    """Of Apache. Without `threads` it has 1024."""


class Apache(Role):
    """Debian's apache2 with the event MPM."""

    name = "apache"
    settings = ApacheSettings
    port = 8080
    packages = ("apache2",)
    references: ClassVar = {"backends": ()}

    def files(self, service: Service) -> Mapping[str, str]:
        """One file; the page beside it unless Apache balances."""
        page = {} if service.settings.backends else {"www/index.html": "service/templates/page.html.j2"}
        return {"apache.conf": "apache/templates/apache.conf.j2"} | page

    def unit(self, service: Service, place: Place) -> Unit:
        """Foreground, reloaded by SIGUSR1: requests under way are finished by the old processes."""
        command = ["apache2", "-d", "{conf}", "-f", "{conf}/apache.conf"]
        return Unit(
            role=self.name,
            port=service.port,
            start=[*command, "-DFOREGROUND"],
            programs=["apache2"],
            check=[*command, "-t"],
            reload_signal=signal.SIGUSR1,
            workers=self.variables(service, place)["processes"],
            ready=BALANCER_READY if service.settings.backends else HTTP_READY,
            version=["apache2", "-v"],
        )

    def variables(self, service: Service, place: Place) -> Mapping[str, Any]:
        """`processes` and `process_threads`, whose product is at least `threads`."""
        threads = service.settings.threads or _THREADS
        processes = -(-threads // _PROCESS_THREADS)
        return {"processes": processes, "process_threads": -(-threads // processes)}

    def refused(self, service: Service) -> Iterator[Refusal]:
        """It counts requests or looks for idle servers, and has no hashing."""
        settings = service.settings
        if settings.algorithm in ("source-hash", "uri-hash"):
            hint = "`sticky = true` keeps a user on one back end"
            yield "algorithm", "Apache has no balancing by a hash", hint
        yield from heavy(settings, _MOST_WEIGHT)
        yield from unused_page(settings)
