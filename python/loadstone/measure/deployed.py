"""What is deployed on the hosts of a topology, as the record of a run made against it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.measure.seen import Seen, watching

FILE = "deployment.json"


@dataclass(frozen=True)
class Deployed:
    """The services of a topology that is up."""

    topology: Path

    def url(self, service: str) -> str:
        """Where the service answers, on the first of its hosts. Errors: those of `load_site` and `ssh`,
        `service-name`.
        """
        from loadstone.deploy import load_site
        from loadstone.ssh import ssh

        site = load_site(self.topology)
        one = site.service(service)
        with ssh(site.topology) as hosts:
            return f"http://{hosts.address(one.hosts[0])}:{one.port}"

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
                collect_logs(site, hosts, folder)
        except LoadstoneError as error:
            note(f"logs are missing: {error.message}")
