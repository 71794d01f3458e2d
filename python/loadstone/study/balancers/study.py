"""The study of load balancers: the site laid out, brought up, and what was measured on it."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from loadstone import record
from loadstone.deploy import Site, collect_logs
from loadstone.deploy import record as record_deployment
from loadstone.errors import LoadstoneError
from loadstone.study.balancers import findings, terminal
from loadstone.study.balancers.description import FILE, Size, load_description
from loadstone.study.balancers.parts import NAMES, Performer, parts
from loadstone.study.balancers.site import SERVERS, SITE, STANDS_FOR, front_of, load_bench_site
from loadstone.study.bench import Bench, bench
from loadstone.study.conduct import Perform
from loadstone.study.order import Order
from loadstone.study.results import Results
from loadstone.study.study import Around, Study
from loadstone.study.words import Block, Say

_TOPOLOGY = "topology.toml"

Json = dict[str, Any]


class Balancers(Study):
    """Load balancers beside each other on the hosts of a topology."""

    name = "balancers"
    part_names = NAMES
    start_s = 45.0
    """About how long the lab and its services take to be up."""

    def __init__(self, order: Order) -> None:
        """LoadstoneError `topology-missing`, `study-site`; errors as `load_description`, `load_site`."""
        super().__init__(order)
        self.description = load_description()
        self.summary, self.seed = self.description.summary, self.description.seed
        self.size: Size = getattr(self.description, order.size)
        self._topology = _topology(order, FILE.with_name(self.description.topology))
        self.site = load_bench_site(self._topology)
        served = getattr(self.site.service(SERVERS).settings, "page_bytes", self.description.page_bytes)
        if served != self.description.page_bytes:
            message = f"the servers' page has {served} bytes, the study's {self.description.page_bytes}"
            hint = f"set page_bytes = {self.description.page_bytes}"
            raise LoadstoneError("study-site", message, hint=hint)
        self.parts, self.skipped = parts(self.site, self.size, order.only)

    @property
    def deployed(self) -> Site:
        """The site without what no task needs."""
        if SITE not in self.site.services or any(task.part == "site" for task in self.tasks):
            return self.site
        own = {SITE, front_of(self.site, SITE), self.site.service(SITE).settings.database}
        rest = {name: one for name, one in self.site.services.items() if name not in own}
        return Site(self.site.topology, rest)

    def keep(self) -> None:
        """The topology: it may be changed until the study is taken up again."""
        shutil.copyfile(self._topology, self.order.folder / _TOPOLOGY)

    def definition(self) -> Json:
        """The study's file."""
        return self.description.model_dump(mode="json")

    def header(self) -> Json:
        """The page's size."""
        return {"page_bytes": self.description.page_bytes}

    @contextlib.contextmanager
    def ready(self, around: Around) -> Iterator[Perform]:
        """Brings the site up. Errors as `bench`."""
        folder = self.order.folder
        with bench(self.deployed, around.say, STANDS_FOR) as site:
            yield Performer(site, self.size, self.seed, folder, around.interrupt)
            _keep(site, folder, around.say)

    def findings(self, results: Results) -> Json:
        """As the module `findings`."""
        return findings.findings(self.site, self.description, results)

    def told(self, measured: Json) -> str:
        """Requests a second."""
        return terminal.told(measured)

    def answer(self, content: Json) -> Sequence[Block]:
        """What each balancer carried."""
        return terminal.answer(content)


def _topology(order: Order, default: Path) -> Path:
    """The one given, the one of a study that is taken up, or the study's own."""
    kept = order.folder / _TOPOLOGY
    return order.topology or (kept if order.begun_at and kept.is_file() else default)


def _keep(site: Bench, folder: Path, say: Say) -> None:
    """How the site was configured and what its services said; what cannot be had is said, and no more."""
    try:
        site.reset()
        record.write_json(folder / "deployment.json", record_deployment(site.site, site.ssh))
        collect_logs(site.site, site.ssh, folder)
    except LoadstoneError as error:
        say(f"not all of the configuration and the logs could be kept: {error}")
