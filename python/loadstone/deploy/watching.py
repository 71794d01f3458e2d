"""What is watched on the hosts of a site during a run, and how that is started there."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadstone import lab
from loadstone.deploy.host.quota import Quota
from loadstone.deploy.remote import WATCH, booted, program
from loadstone.deploy.role import Service
from loadstone.deploy.site import Site
from loadstone.ssh import Ssh


@dataclass(frozen=True)
class WatchedHost:
    """A host with the services that it has, as far as the topology says."""

    name: str
    services: tuple[Service, ...]
    lab: bool
    """Whether it shares its machine with the other hosts of a lab."""
    cpus: float | None
    memory_mib: int | None
    link_mbit: float | None
    """What its link carries in the slower direction."""
    group: Path | None = None
    """Where this machine counts what the quota of a lab host takes; the host itself does not see it."""

    def quota(self) -> Quota | None:
        """What is asked once a second, here."""
        return Quota(self.group) if self.group else None

    def described(self) -> dict[str, Any]:
        """For the record of a run."""
        services = [
            {"name": one.name, "role": one.role, "tier": tier(one), "port": one.port} for one in self.services
        ]
        return {
            "host": self.name,
            "lab": self.lab,
            "cpus": self.cpus,
            "memory_limit_bytes": self.memory_mib and self.memory_mib << 20,
            "link_mbit": self.link_mbit,
            "services": services,
        }


def tier(service: Service) -> str:
    """What a service is to the others.

    >>> from loadstone.deploy.kinds import ROLES
    >>> role = ROLES["postgresql"]
    >>> tier(Service("db", role, ("h1",), 5432, role.settings()))
    'database'
    """
    if getattr(service.settings, "backends", None):
        return "balancer"
    return service.kind.tier


def watched(site: Site) -> list[WatchedHost]:
    """Every host of the topology, those without a service, too."""
    topology = site.topology
    return [
        WatchedHost(
            name=host.name,
            services=tuple(one for one in site.services.values() if host.name in one.hosts),
            lab=not host.real,
            cpus=host.cpus,
            memory_mib=host.memory_mib,
            link_mbit=min(
                (
                    rate
                    for way in ("up", "down")
                    if (rate := topology.link(host).direction(way).rate_mbit) is not None
                ),
                default=None,
            ),
            group=lab.quota_group(topology.name, host.name) if host.cpus and not host.real else None,
        )
        for host in topology.file.host
    ]


def watch(ssh: Ssh, host: WatchedHost) -> subprocess.Popen[bytes]:
    """Starts what runs `host/watch.py` there once it has got that, by `instruct`."""
    return ssh.start(host.name, [*ssh.as_root(host.name), *booted(program(WATCH))])


def instruct(process: subprocess.Popen[bytes], host: WatchedHost) -> None:
    """Sends what `watch` has started its program: its output then has a line a second, and its input wants
    one now and then. It waits while the host cannot be reached: no pipe holds all of the program.
    """
    given = {"services": [one.name for one in host.services], "shared": host.lab}
    assert process.stdin
    try:
        process.stdin.write(f"{program(WATCH)}{json.dumps(given)}\n".encode())
        process.stdin.flush()
    except OSError:
        pass  # it has ended, and its output says so
