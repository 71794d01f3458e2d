"""What is deployed on the hosts of a topology, as the record of a run made against it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loadstone.errors import LoadstoneError
from loadstone.measure.seen import Seen, watching

if TYPE_CHECKING:
    from loadstone.deploy import Service, Site

FILE = "deployment.json"


@dataclass(frozen=True)
class Deployed:
    """The services of a topology that is up."""

    topology: Path
    service: str | None = None
    """The one that is driven, as `url` takes it; None when the load goes elsewhere."""
    resets: bool = True
    """Whether its data are brought back to what was loaded before each run that finds them used."""

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Keeps the connections to the hosts open until the block ends. Errors: those of `ssh`."""
        from loadstone.lab import load_topology
        from loadstone.ssh import ssh

        with ssh(load_topology(self.topology)):
            yield

    def url(self, service: str) -> str:
        """Where the service answers; `NAME@HOST` is the one of that host.

        Errors: `target` when it has several hosts or instances and none is named, or not that one; those of
        `load_site` and `ssh`, `service-name`.
        """
        from loadstone.deploy import load_site
        from loadstone.ssh import ssh

        site = load_site(self.topology)
        name, _, host = service.partition("@")
        one = site.service(name)
        if host and host not in one.hosts:
            raise LoadstoneError(
                "target", f"`{name}` does not run on `{host}`", hint=f"it runs on {', '.join(one.hosts)}"
            )
        if not host and len(one.hosts) * getattr(one.settings, "instances", 1) > 1:
            raise _several(one, site)
        with ssh(site.topology) as hosts:
            scheme = "https" if one.tls else "http"
            return f"{scheme}://{hosts.address(host or one.hosts[0])}:{one.port}"

    def authority(self) -> Path | None:
        """The file with the authority to believe, where the service is served with TLS. Errors: as `url`."""
        from loadstone.deploy import load_site

        if self.service is None:
            return None
        site = load_site(self.topology)
        return site.authority if site.service(self.service.partition("@")[0]).tls else None

    def describe(self) -> dict[str, Any]:
        """The content of `deployment.json`: versions, settings and configuration that are not the defaults.

        Empty for a topology without services. Errors: those of `load_site`, `ssh` and `record`, with
        `service-missing` when one was not deployed.
        """
        from loadstone.deploy import load_site, record
        from loadstone.ssh import ssh

        site = load_site(self.topology)
        if not site.services:
            return {}
        with ssh(site.topology) as hosts:
            return record(site, hosts)

    def renew(self, note: Callable[[str], None]) -> list[dict[str, Any]]:
        """Resets data that an earlier run has changed, of the service and of those behind it; told before.

        Returns events for the record. Errors: those of `load_site`, `ssh`, `worn` and `reset`.
        """
        from loadstone.deploy import load_site, reset, worn
        from loadstone.ssh import ssh

        if self.service is None:
            return []
        site = load_site(self.topology)
        with ssh(site.topology) as hosts:
            found = worn(site, hosts, self.service.partition("@")[0])
            if found and not self.resets:
                names = ", ".join(one.service.name for one in found if one.data)
                told = f"the data of {names} are as an earlier run left them"
                note(told)
                return [{"kind": "data-kept", "note": told}]
            events = []
            for one in found:
                note(one.words)
                for done in reset(site, hosts, one):
                    said = f"`{done['service']}` on {done['host']} was reset in {done['took_s']:.1f} s"
                    events.append({"kind": "reset", **done, "note": f"{said} ({done['action']})"})
            return events

    @contextlib.contextmanager
    def seen(self) -> Iterator[Seen]:
        """Watches all hosts until the block ends. Errors: those of `load_site` and `ssh`."""
        from loadstone.deploy import load_site, watched
        from loadstone.ssh import ssh

        site = load_site(self.topology)
        with ssh(site.topology) as hosts, watching(hosts, watched(site)) as seen:
            yield seen

    def keep(self, folder: Path, description: dict[str, Any], note: Callable[[str], None]) -> None:
        """Writes the description and the services' logs into a run folder.

        What cannot be fetched any more is noted: the run itself is measured and stays. Errors: `disk-full`,
        `cannot-write`.
        """
        from loadstone.deploy import collect_logs, load_site
        from loadstone.record import write_json
        from loadstone.ssh import ssh

        if not description:
            return
        write_json(folder / FILE, description)
        site = load_site(self.topology)
        try:
            with ssh(site.topology) as hosts:
                collect_logs(site, hosts, folder, note)
        except LoadstoneError as error:
            note(f"logs are missing: {error}")


def _several(service: Service, site: Site) -> LoadstoneError:
    """A run drives one address: it must be said which, or what spreads users over all of them."""
    before = [
        name
        for name, one in site.services.items()
        if getattr(one.settings, "backends", None) == service.name and len(one.hosts) == 1
    ]
    one = f"`--service {service.name}@{service.hosts[0]}` drives one of them"
    hint = (
        f"`--service {before[0]}` balances over all of them; {one}" if before else f"deploy a balancer; {one}"
    )
    times = f"{instances} times " if (instances := getattr(service.settings, "instances", 1)) > 1 else ""
    message = f"`{service.name}` runs {times}on {', '.join(service.hosts)}, and a run drives one address"
    return LoadstoneError("target", message, hint=hint)
