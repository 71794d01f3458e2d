"""Varnish as a balancer; it caches only when asked to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar

from pydantic import Field

from loadstone.deploy.role import BALANCER_READY, Place, Refusal, Role, Service, Unit
from loadstone.deploy.settings import Balancer, heavy, without
from loadstone.scenario.fields import Count

_MOST_WEIGHT = 100
_FEWEST_THREADS = 10

# Compiles, loads under a new name, switches, lets go of what was before: connections stay, and a request is
# handled by what is in use when it begins. What was let go of stays listed until its last request ends.
_RELOAD = """
set -e
admin() { varnishadm -n {run}/varnish "$@" >/dev/null; }
before=$(varnishadm -n {run}/varnish vcl.list -j | tr , "\\n" | sed -n 's/.*"name": "\\([^"]*\\)".*/\\1/p')
name=c$(date +%s%N)
admin vcl.load $name {conf}/balance.vcl
admin vcl.use $name
for old in $before; do admin vcl.discard $old 2>/dev/null || :; done
"""


class VarnishSettings(Balancer):
    """Of Varnish."""

    backends: Annotated[str, Field(description="the service that requests go to")]
    cache: Annotated[
        bool, Field(description="answer from a cache where that is allowed; otherwise pass every request on")
    ] = False
    cache_mib: Annotated[Count, Field(description="memory for what is kept, MiB")] = 100


class Varnish(Role):
    """Debian's varnish."""

    name = "varnish"
    settings = VarnishSettings
    port = 8080
    packages = ("varnish",)
    references: ClassVar = {"backends": ()}

    def files(self, service: Service) -> Mapping[str, str]:
        """One file."""
        return {"balance.vcl": "varnish/templates/balance.vcl.j2"}

    def unit(self, service: Service, place: Place) -> Unit:
        """Foreground; without a jail, for which it would have to be root."""
        settings = service.settings
        given = {"timeout_idle": 65, "listen_depth": 4096, "vcc_err_unref": "off"}
        if settings.threads:
            # One pool, always of this size.
            given |= {
                "thread_pools": 1,
                "thread_pool_min": settings.threads,
                "thread_pool_max": settings.threads,
            }
        if settings.sticky:
            # See the template: what it writes as one header are two.
            given |= {"feature": "-validate_headers"}
        words = [word for key, value in given.items() for word in ("-p", f"{key}={value}")]
        store = ["-s", f"malloc,{settings.cache_mib}m"] if settings.cache else []
        return Unit(
            role=self.name,
            port=service.port,
            start=["varnishd", "-F", "-j", "none", "-n", "{run}/varnish", "-a", f":{service.port}",
                   "-f", "{conf}/balance.vcl", *store, *words],
            programs=["varnishd", "varnishadm", "cc"],
            check=["varnishd", "-C", "-p", "vcc_err_unref=off", "-f", "{conf}/balance.vcl"],
            reload=["sh", "-c", _RELOAD],
            ready=BALANCER_READY,
            resets="process",
            version=["varnishd", "-V"],
        )  # fmt: skip

    def refused(self, service: Service) -> Iterator[Refusal]:
        """No least connections, no log of its own on disk, no limit on connections."""
        settings = service.settings
        if settings.algorithm == "least-connections":
            yield "algorithm", "Varnish does not look at how busy back ends are", 'take "round-robin"'
        if settings.sticky and settings.cache:
            yield "sticky", "what is kept is the same for every user", "`cache = false` with `sticky`"
        if settings.threads and settings.threads < _FEWEST_THREADS:
            yield "threads", f"Varnish needs {_FEWEST_THREADS} threads", f"at least {_FEWEST_THREADS}"
        yield from heavy(settings, _MOST_WEIGHT)
        yield from without(
            settings,
            {
                "access_log": "Varnish keeps its log in memory",
                "max_connections": "Varnish holds as many connections as it has files for",
            },
        )
