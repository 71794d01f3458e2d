"""A whole site behind a balancer: users at SLA-1 and SLA-2 by number of servers, and what limits them.

Olio on application servers of a fraction of a processor, one balancer before them, one database behind.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from loadstone.capacity import Limits, Options, find
from loadstone.deploy import at_once
from loadstone.errors import LoadstoneError
from loadstone.measure import Interrupt, Job, Silent
from loadstone.measure.service import Remote, Service, require
from loadstone.scenario import load_scenario
from loadstone.study.balancers import counters
from loadstone.study.balancers.description import SiteUsers
from loadstone.study.balancers.site import SITE, front_of
from loadstone.study.bench import Bench
from loadstone.study.offered import Json

_LOAD_S = 600.0
_WITH_DATABASE = 'read -r LOADSTONE_DATABASE; export LOADSTONE_DATABASE; exec "$@"'
"""The URL comes on its input: a command's words are seen by everybody on the host."""


def users(
    bench: Bench, servers: int, wanted: SiteUsers, seed: int, folder: Path, interrupt: Interrupt
) -> Json:
    """Searches the capacity with this number of servers; runs into `folder`.

    Errors as `loadstone.capacity.find`; `study-interrupted` when Ctrl-C ended the search.
    """
    hosts, balancer = bench.servers(SITE), front_of(bench.site, SITE)
    bench.set(balancer, **({"drain": list(hosts[servers:])} if hosts[servers:] else {}))
    target = bench.target(balancer)
    settings = bench.site.service(SITE).settings
    scenario = load_scenario(
        "olio",
        {
            "target.url": f"http://{target.address}:{target.port}",
            "data.accounts": str(settings.accounts),
            "data.media_scale": str(settings.media_scale),
            "load.ramp_up_s": str(wanted.ramp_up_s),
            "load.steady_s": str(wanted.window_s),
            "load.ramp_down_s": "1",
            "sla.window_s": str(wanted.window_s),
        },
    )
    sut = _Behind(bench, balancer, hosts[:servers], wanted.cpus)
    job = Job(scenario, sut, bench.fleets(1), ["loadstone", "study", "balancers"])
    # Several servers hold about in proportion to one: the search begins there.
    first = wanted.first * servers
    limits = Limits(first, wanted.most, tolerance=wanted.tolerance, repeats=2, runs=wanted.runs)
    found = find(job, folder, Options(limits, seed=seed), interrupt, lambda *_: Silent())
    if found.outcome == "interrupted":
        raise LoadstoneError("study-interrupted", "the search of the capacity was interrupted")
    held = found.named()
    return {
        "failed": {},
        "requests_per_s": held["SLA-1"].throughput_ops_per_s or 0.0,
        "cpus": wanted.cpus,
        "window_s": wanted.window_s,
        "capacity_outcome": found.outcome,
        # What was seen to hold and to break; `users` only counts where the search came to its end.
        **{sla: {"users": one.load, "low": one.low, "high": one.high} for sla, one in held.items()},
        "runs": [
            {"users": row.load, "verdict": row.verdict, **used}
            for row, used in zip(found.runs, sut.used, strict=False)
        ],
    }


@dataclass
class _Behind:
    """The site behind its balancer, with its data as new for every run; what each run used is noted."""

    bench: Bench
    balancer: str
    servers: Sequence[str]
    cpus: float
    """Of each server while it is measured; it starts with more."""
    used: list[Json] = field(default_factory=list)

    @contextlib.contextmanager
    def running(self) -> Iterator[Service]:
        """Fills the database anew and starts the servers again."""
        self._renew()
        target = self.bench.target(self.balancer)
        service = Remote(f"http://{target.address}:{target.port}", target.address, target.port)
        require(service)
        with self.bench.limited(tuple(self.servers), self.cpus):
            before, started = self._read(), time.monotonic()
            yield service
            elapsed_s = time.monotonic() - started
            after = self._read()
        spent = {name: counters.used(before[name], now) for name, now in after.items()}
        cores = {name: (one.user_us + one.sys_us) / 1e6 / elapsed_s for name, one in spent.items()}
        self.used.append(
            {
                "balancer_cores": cores["balancer"],
                "database_cores": cores["database"],
                "server_cores": [cores[host] for host in self.servers],
                "idle_share": spent["balancer"].idle_share,
            }
        )

    def _renew(self) -> None:
        """What earlier runs wrote must not meet this one: the same people would register twice."""
        site, first = self.bench.site.service(SITE), self.bench.servers(SITE)[0]
        place = self.bench.site.places(self.bench.ssh)[first]
        url = site.kind.secrets(site, place)["LOADSTONE_DATABASE"]
        for command in site.kind.unit(site, place).prepare:
            words = [*self.bench.ssh.as_root(first), "sh", "-c", _WITH_DATABASE, "sh", *command]
            answer = self.bench.ssh.run(first, words, send=f"{url}\n", timeout_s=_LOAD_S)
            if answer.code:
                raise LoadstoneError("reset-failed", f"the data of `{first}`: {answer.words}")
        at_once(lambda host: self.bench.restart(SITE, host), self.servers)

    def _read(self) -> dict[str, counters.Counters]:
        """Counters of the balancer, the database and each server."""
        bench, database = self.bench, self.bench.site.service(SITE).settings.database
        read = {
            "balancer": (self.balancer, bench.host(self.balancer)),
            "database": (database, bench.host(database)),
            **{host: (SITE, host) for host in self.servers},
        }
        return {
            name: counters.read(bench.ssh, host, bench.pids(service, host))
            for name, (service, host) in read.items()
        }
