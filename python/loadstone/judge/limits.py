"""Which resource of which host a run came nearest to the end of. Pure: figures in, one sentence out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from loadstone.stages.run_hosts import Limit, WatchedHost, WatchedService

_AT_LIMIT = 0.85
"""Of a resource in the mean of the steady state: with random arrivals, queues grow fast from here on."""

_WAITING = 0.5
"""Of the periods of a quota, and of the readings of a database: from here on, what comes meets a quota that
is used up, or sessions that wait for locks, more often than not. A mean does not show it: work comes in
bursts, and what is left of a quota in a quiet period is lost.
"""

_OURS = 0.5
"""Hosts of a lab that use less of what is busy of their machine do not exhaust it: something else does."""

Figures = Mapping[str, float]


def nearness(found: Limit) -> float:
    """How near a resource is to its limit; 1 and more is at it. Of several, the greatest limits."""
    if found.resource == "down":
        return math.inf
    enough = _WAITING if found.resource == "locks" else _AT_LIMIT
    return max((found.share or 0.0) / enough, (found.throttled_share or 0.0) / _WAITING)


def is_limit(found: Limit) -> bool:
    """Whether the resource was at its limit, rather than the busiest of many that were not."""
    return nearness(found) >= 1


def nearest(
    hosts: Sequence[WatchedHost],
    of_hosts: Mapping[str, Figures],
    of_services: Mapping[tuple[str, str], Figures],
    died: Sequence[tuple[str, str, str]] = (),
) -> Limit | None:
    """The resource that is nearest to its limit; None where nothing is known.

    `of_hosts` and `of_services` (by host and service) are means of the steady state. `died`: host, service
    and what happened, of services that did not run all the time. They come first: what is down limits.
    """
    by_name = {host.host: host for host in hosts}
    for name, service, note in died:
        found = _service(by_name[name], service)
        return Limit(
            resource="down", host=name, service=service, tier=found.tier if found else None, said=note
        )
    every = [
        limit
        for host in hosts
        for limit in _limits(
            host, of_hosts.get(host.host, {}), _own(host, of_services), _lab(hosts, of_hosts)
        )
    ]
    return max(every, key=nearness, default=None)


def _own(host: WatchedHost, of_services: Mapping[tuple[str, str], Figures]) -> dict[str, Figures]:
    return {one.name: of_services.get((host.host, one.name), {}) for one in host.services}


def _lab(hosts: Sequence[WatchedHost], of_hosts: Mapping[str, Figures]) -> str | None:
    """Of the hosts that share one machine, the one that uses most of it; None if others than they use it."""
    cores = {one.host: of_hosts.get(one.host, {}).get("cpu_cores", 0.0) for one in hosts if one.lab}
    most = max(cores, key=lambda name: cores[name], default=None)
    busy = of_hosts.get(most or "", {}).get("machine_cpu_cores", 0.0)
    return most if sum(cores.values()) > _OURS * busy else None


def _limits(
    host: WatchedHost, figures: Figures, services: Mapping[str, Figures], busiest: str | None
) -> Iterator[Limit]:
    yield from _cpu(host, figures, services, busiest)
    memory = min(filter(None, (host.memory_limit_bytes, host.memory_bytes)), default=None)
    if memory and (used := figures.get("memory_used_bytes")) is not None:
        yield _limit(host, services, "memory", used / memory, "rss_bytes", "memory")
    if (busy := figures.get("disk_busy_share")) is not None:
        yield _limit(host, services, "disk", busy, "write_bytes_per_s", "disk busy")
    if host.link_mbit and (rx := figures.get("rx_bytes_per_s")) is not None:
        most = max(rx, figures.get("tx_bytes_per_s", 0.0)) * 8 / 1e6
        words = f"network of {host.link_mbit:g} Mbit/s"
        yield _limit(host, services, "network", most / host.link_mbit, "cpu_cores", words)
    for name, own in services.items():
        if own.get("connections_most") and (open_now := own.get("connections")) is not None:
            share = open_now / own["connections_most"]
            words = f"connections, of {own['connections_most']:.0f} that it takes,"
            yield _said(host, name, "connections", share, words)
        if own.get("lock_wait_share") is not None:
            words = "half of the sessions at work, or more, waited for locks in"
            yield _said(host, name, "locks", own["lock_wait_share"], words, of="of the readings")
        if quota := own.get("cpu_quota_cores"):
            yield _quota(host, name, own, quota)


def _cpu(
    host: WatchedHost, figures: Figures, services: Mapping[str, Figures], busiest: str | None
) -> Iterator[Limit]:
    used = figures.get("cpu_cores")
    if used is None:
        return
    if host.lab:
        if quota := figures.get("cpu_quota_cores", host.cpus):
            yield _quota(host, _most(services, "cpu_cores"), figures, quota)
        idle, busy = figures.get("machine_idle_cores"), figures.get("machine_cpu_cores")
        if host.host == busiest and idle is not None and busy is not None and host.cores:
            words = f"CPU of the machine that all hosts of the lab share ({used:.2f} cores here),"
            yield _limit(host, services, "cpu", 1 - idle / host.cores, "cpu_cores", words)
        return
    free = figures.get("idle_cores", 0.0) + figures.get("cpu_iowait_cores", 0.0)
    if host.cores:
        yield _limit(host, services, "cpu", 1 - free / host.cores, "cpu_cores", "CPU")


def _quota(host: WatchedHost, service: str | None, figures: Figures, quota: float) -> Limit:
    """Processor time that is bounded by a quota: of the host, or of the service alone."""
    throttled = figures.get("cpu_throttled_share")
    words = f"CPU, of a quota of {quota:g} cores,"
    of = f"used, throttled in {100 * throttled:.0f} % of its periods" if throttled is not None else ""
    return _said(host, service, "cpu", figures.get("cpu_cores", 0.0) / quota, words, throttled, of)


def _limit(
    host: WatchedHost,
    services: Mapping[str, Figures],
    resource: str,
    share: float,
    metric: str,
    words: str,
) -> Limit:
    """A resource of the whole host, and the service that uses most of it."""
    return _said(host, _most(services, metric), resource, share, words)


def _most(services: Mapping[str, Figures], metric: str) -> str | None:
    amounts = {name: own.get(metric, 0.0) for name, own in services.items()}
    most = max(amounts, key=lambda name: amounts[name], default=None)
    return most if most is not None and amounts[most] > 0 else None


def _said(
    host: WatchedHost,
    service: str | None,
    resource: str,
    share: float,
    words: str,
    throttled: float | None = None,
    of: str = "",
) -> Limit:
    found = _service(host, service)
    who = f"{found.tier} `{found.name}` on host {host.host}" if found else f"host {host.host}"
    share = min(1.0, max(0.0, share))
    return Limit(
        resource=resource,  # type: ignore[arg-type]
        share=share,
        throttled_share=throttled,
        host=host.host,
        service=service,
        tier=found.tier if found else None,
        said=f"{who}: {words} {100 * share:.0f} % {of}".rstrip(),
    )


def _service(host: WatchedHost, name: str | None) -> WatchedService | None:
    return next((one for one in host.services if one.name == name), None)
