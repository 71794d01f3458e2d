"""The study from beginning to end: a folder, a site that is up, the schedule worked through, the findings."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadstone import record
from loadstone.deploy import Site, collect_logs
from loadstone.deploy import record as record_deployment
from loadstone.drive import Interrupt
from loadstone.errors import LoadstoneError
from loadstone.study.balancers.description import FILE, Description, Size, load_description
from loadstone.study.balancers.findings import findings
from loadstone.study.balancers.parts import NAMES, Performer, Skipped, parts
from loadstone.study.balancers.site import SERVERS, SITE, STANDS_FOR, front_of, load_bench_site
from loadstone.study.bench import Bench, bench
from loadstone.study.conduct import Watch, conduct
from loadstone.study.order import NAME, Order, header
from loadstone.study.order import take_up as order_of
from loadstone.study.results import Results
from loadstone.study.schedule import Task, schedule

_TOPOLOGY = "topology.toml"
_BRING_UP_S = 45.0
"""About how long the lab and its services take to be up."""

Say = Callable[[str], None]
Json = dict[str, Any]


@dataclass(frozen=True)
class Plan:
    """The study laid out: nothing was started yet."""

    order: Order
    description: Description
    site: Site
    tasks: list[Task]
    skipped: Skipped

    @property
    def size(self) -> Size:
        """How much is measured."""
        size: Size = getattr(self.description, self.order.size)
        return size

    @property
    def deployed(self) -> Site:
        """The site without what no task needs."""
        if SITE not in self.site.services or any(task.part == "site" for task in self.tasks):
            return self.site
        own = {SITE, front_of(self.site, SITE), self.site.service(SITE).settings.database}
        rest = {name: one for name, one in self.site.services.items() if name not in own}
        return Site(self.site.topology, rest)

    @property
    def expected_s(self) -> float:
        """About how long all of it takes, by experience."""
        return _BRING_UP_S + sum(task.expected_s for task in self.tasks)


def begin(folder: Path, *, quick: bool, only: Sequence[str] | None, topology: Path | None) -> Order:
    """The order of a new study in a new folder.

    LoadstoneError `study-part`, `folder-in-use`, `cannot-write`, `topology-missing`.
    """
    for name in only or ():
        if name not in NAMES:
            hint = f"there are {', '.join(NAMES)}"
            raise LoadstoneError("study-part", f"the study has no part `{name}`", hint=hint)
    source = topology or FILE.with_name(load_description().topology)
    load_bench_site(source)  # refused before anything is written
    record.require_unused(folder)
    record.make_folder(folder)
    shutil.copyfile(source, folder / _TOPOLOGY)
    return Order(folder, "quick" if quick else "full", tuple(only) if only else None)


def take_up(folder: Path) -> Order:
    """The order of a study that did not end. LoadstoneError `study-resume`."""
    return order_of(folder, "balancers")


def lay_out(order: Order) -> Plan:
    """What the order amounts to. Errors as `load_description` and `load_bench_site`."""
    description = load_description()
    site = load_bench_site(order.folder / _TOPOLOGY)
    size: Size = getattr(description, order.size)
    served = getattr(site.service(SERVERS).settings, "page_bytes", description.page_bytes)
    if served != description.page_bytes:
        message = f"the servers' page has {served} bytes, the study's {description.page_bytes}"
        raise LoadstoneError("study-site", message, hint=f"set page_bytes = {description.page_bytes}")
    wanted, skipped = parts(site, size, order.only)
    return Plan(order, description, site, schedule(wanted, description.seed), skipped)


def run(plan: Plan, command: Sequence[str], interrupt: Interrupt, watch: Watch, say: Say) -> Json:
    """Measures what is not measured yet; returns the content of `study.json`.

    Ctrl-C ends it after the measurement under way, and everything is taken down. Errors as `bench`; also
    then what was measured is kept.
    """
    folder = plan.order.folder
    results = Results(folder)
    header = _header(plan, command)
    record.write_json(folder / NAME, header)
    outcome = "failed"
    try:
        with interrupt:
            if any(not results.done(task) for task in plan.tasks):
                with bench(plan.deployed, say, STANDS_FOR) as site:
                    perform = Performer(site, plan.size, plan.description.seed, folder, interrupt)
                    outcome = conduct(plan.tasks, perform, results, interrupt, watch)
                    _keep(site, folder, say)
            else:
                outcome = "complete"
    except LoadstoneError:
        if not interrupt.requested:
            raise
        outcome = "interrupted"  # the signal reached what brings the site up, too
    except KeyboardInterrupt:
        outcome = "interrupted"
        raise
    finally:
        content = header | {"outcome": outcome, "ended_at": record.now()} | findings(plan, results)
        record.write_json(folder / NAME, content)
    return content


def _header(plan: Plan, command: Sequence[str]) -> Json:
    description = plan.description
    begun = header(plan.order, description.name, description.summary, description.seed, command)
    return begun | {"page_bytes": description.page_bytes}


def _keep(site: Bench, folder: Path, say: Say) -> None:
    """How the site was configured and what its services said; what cannot be had is said, and no more."""
    try:
        site.reset()
        record.write_json(folder / "deployment.json", record_deployment(site.site, site.reach))
        collect_logs(site.site, site.reach, folder)
    except LoadstoneError as error:
        say(f"not all of the configuration and the logs could be kept: {error}")
