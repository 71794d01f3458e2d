"""The site under study: its balancers and servers by their part in the study."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from loadstone.deploy import Site, load_site
from loadstone.errors import LoadstoneError
from loadstone.study.bench import with_settings

DIRECT = "none"
"""The variant without a balancer: requests go to the first server itself."""

SERVERS, UNEVEN, SMALL, SITE = "web", "uneven", "small", "olio"
"""Services of the topology by their part in the study; all but the first may be missing."""

STANDS_FOR = {DIRECT: SERVERS}
"""Without a balancer the first server is what is asked."""


def balancers_of(site: Site) -> list[str]:
    """Services that balance over the servers, in the order of the site."""
    return [name for name, one in site.services.items() if getattr(one.settings, "backends", "") == SERVERS]


def front_of(site: Site, service: str) -> str:
    """The first service that balances over another. KeyError without one."""
    for name, one in site.services.items():
        if getattr(one.settings, "backends", None) == service:
            return name
    raise KeyError(service)


def can(site: Site, balancer: str, **settings: Any) -> bool:
    """Whether the balancer's program offers these settings."""
    try:
        with_settings(site, balancer, settings)
    except LoadstoneError:
        return False
    return True


def load_bench_site(path: Path) -> Site:
    """The site of a topology, with what the study needs of it.

    Errors as `load_site`; LoadstoneError `study-site`, `tls`.
    """
    site = load_site(path)
    if SERVERS not in site.services:
        hint = f'add a [[service]] with name = "{SERVERS}"'
        raise LoadstoneError("study-site", f"`{path}` has no servers", hint=hint)
    if not balancers_of(site):
        hint = f'add a balancer with backends = "{SERVERS}"'
        raise LoadstoneError("study-site", f"`{path}` has no service with `backends`", hint=hint)
    if not any(host.kind == "client" for host in site.topology.file.host):
        raise LoadstoneError("study-site", f"`{path}` has no host to make load from", hint='kind = "client"')
    site.require_plain("the study")
    return site
