"""The study's file: configurations, searches, prices, what the paper says. Every key stands here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from loadstone.cost.book import PriceBook, shipped
from loadstone.errors import LoadstoneError
from loadstone.nodes.fields import Length, Rate, Target
from loadstone.scenario.fields import Count, NonNegative, Positive, Share, Table
from loadstone.scenario.findings import Finding
from loadstone.study.file import FOLDER, load_study_file

Json = dict[str, Any]

FILE = FOLDER / "stacks.toml"
PER_USER = 10
"""Accounts of a user: at any time about a tenth of the accounts are logged in (section 4.1)."""
WHEN = ("now", "then")
"""The two price books: today's, and the paper's."""

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,20}$")]
MachineName = Literal["compute", "memory"]


class Machine(Table):
    """What a host stands for."""

    cpus: Annotated[Positive, Field(ge=0.01, description="its quota of this machine's processors")]
    now: str
    then: str


class Prices(Table):
    """Two price books: today's and the paper's."""

    now: str
    then: str
    hours_per_month: Positive


class Nodes(Table):
    """A service that stays up, of whole machines: what it carries and how its nodes fail."""

    users: Count
    target: Target
    crash: Rate
    app_failover: Length
    database_failover: Length


class Size(Table):
    """How a capacity is searched."""

    ramp_up_s: Positive
    window_s: Positive
    ramp_down_s: NonNegative
    probe_s: Positive
    tolerance: Share
    repeats: Count
    runs: Count
    only: Annotated[list[Literal["SLA-1", "SLA-2"]], Field(default_factory=list, description="both without")]
    configurations: Annotated[list[Name] | None, Field(description="all without")] = None


class Paper(Table):
    """A line of the paper's Table 2, with what its text says of it."""

    number: Count
    application: str
    machine: str
    comments: str = ""
    sla_1: Annotated[Count | None, Field(description="users")] = None
    sla_2: Count | None = None
    usd_1: Annotated[Positive | None, Field(description="dollars a user and month")] = None
    usd_2: Positive | None = None
    said: str = ""


class Configuration(Table):
    """A stack on a database, on hosts of a kind."""

    name: Name
    label: str
    role: Literal[
        "olio", "olio-php", "olio-php-fpm", "olio-rails", "olio-rails-thin", "olio-django", "olio-java"
    ]
    database: Literal["mariadb", "postgresql"]
    cache: Literal["none", "query", "fragment", "action", "page"] = "none"
    store: Annotated[
        Literal["files", "memcached"] | None,
        Field(description="of what is cached: the memory of each process without"),
    ] = None
    warm_up_s: Annotated[
        int, Field(ge=0, le=100, description="of Java: it asks itself for pages before it takes requests")
    ] = 0
    machine: MachineName = "compute"
    quota_factor: Annotated[
        Positive,
        Field(description="quota of its hosts, as a multiple of what their machine has"),
    ] = 1
    servers: Count = 1
    balancer: Annotated[
        Literal["apache", "haproxy", "nginx"] | None, Field(description="on the first server without `front`")
    ] = None
    front: Annotated[MachineName | None, Field(description="a host of its own for the balancer")] = None
    link_mbit: Annotated[
        Positive | None, Field(description="rate of the link of each application server; no limit without")
    ] = None
    accounts: Annotated[Count, Field(ge=1000, description="U = log10(accounts) is at least 3")]
    first: Annotated[Count, Field(description="users of the first short run")]
    paper: Annotated[Count | None, Field(description="the configuration of Table 2 that it translates")] = (
        None
    )
    trial: Annotated[bool, Field(description="searched in short windows, not by the rules")] = False

    @property
    def most(self) -> int:
        """Users that there are accounts for."""
        return self.accounts // PER_USER


class Description(Table):
    """The file."""

    format: Literal[1]
    name: Literal["stacks"]
    summary: str
    seed: Count
    workers: Count
    media_scale: Positive
    machine: dict[MachineName, Machine]
    prices: Prices
    nodes: Nodes
    full: Size
    trial: Size
    quick: Size
    paper: list[Paper]
    configuration: Annotated[list[Configuration], Field(min_length=1)]

    def of(self, name: str) -> Configuration:
        """The configuration of that name."""
        return next(one for one in self.configuration if one.name == name)

    def with_those_of(self, content: Json) -> Description:
        """With the configurations that the file of a record has in place of today's of the same names."""
        then = {one["name"]: Configuration.model_validate(one) for one in content["configuration"]}
        today = {one.name: one for one in self.configuration}
        return self.model_copy(update={"configuration": list((today | then).values())})

    def size(self, one: Configuration, ordered: str) -> Size:
        """How a configuration is searched where a `full` or `quick` study is ordered."""
        wanted: Size = getattr(self, ordered)
        return self.trial if one.trial and wanted is self.full else wanted

    def cpus(self, one: Configuration, machine: MachineName) -> float:
        """Quota of a host of a configuration, without the tail that products of floats have."""
        return round(self.machine[machine].cpus * one.quota_factor, 6)

    def book(self, when: str) -> PriceBook:
        """Today's prices, or the paper's."""
        return shipped().named(getattr(self.prices, when))


def load_description(path: Path = FILE) -> Description:
    """Reads and checks the file. Errors as `load_study_file`."""
    return load_study_file(path, Description, lambda file: list(_contradictions(file)))


def _contradictions(file: Description) -> Iterator[Finding]:
    names = [one.name for one in file.configuration]
    numbers = {one.number for one in file.paper}
    for at, one in enumerate(file.configuration):
        where = ("configuration", at)
        if one.name in names[:at]:
            yield Finding("study-file", f"two configurations are named `{one.name}`", (*where, "name"))
        if one.first > one.most:
            message = f"{one.first} users have fewer than {PER_USER} accounts each: there are {one.accounts}"
            yield Finding("study-file", message, (*where, "first"), f"accounts = {PER_USER * one.first}")
        if one.servers > 1 and not one.balancer:
            message, hint = f"{one.servers} servers have no balancer", 'balancer = "nginx"'
            yield Finding("study-file", message, (*where, "servers"), hint)
        if one.front and not one.balancer:
            message, hint = "a host for a balancer, where there is none", 'balancer = "nginx"'
            yield Finding("study-file", message, (*where, "front"), hint)
        if one.store and one.cache == "none":
            message = "a store of what is cached, where nothing is"
            yield Finding("study-file", message, (*where, "store"), 'cache = "page", for example')
        if one.role == "olio" and one.store:
            message = "the built-in site caches in its own memory only"
            yield Finding("study-file", message, (*where, "store"), "leave out `store`")
        if one.role == "olio" and one.cache == "action":
            hint = "query, fragment or page"
            yield Finding("study-file", "the built-in site has no cache `action`", (*where, "cache"), hint)
        if one.warm_up_s and one.role != "olio-java":
            hint = "leave out `warm_up_s`"
            yield Finding("study-file", f"`{one.role}` compiles nothing", (*where, "warm_up_s"), hint)
        for key, machine in ("machine", one.machine), ("front", one.front):
            if machine and machine not in file.machine:
                hint = f"add [machine.{machine}]"
                yield Finding("study-file", f"there is no machine `{machine}`", (*where, key), hint)
        if one.paper and one.paper not in numbers:
            hint = "add it as [[paper]]"
            message = f"the file has no configuration {one.paper} of the paper"
            yield Finding("study-file", message, (*where, "paper"), hint)
    for at, name in enumerate(file.quick.configurations or ()):
        if name not in names:
            place = ("quick", "configurations", at)
            yield Finding("study-file", f"there is no configuration `{name}`", place, ", ".join(names))
    yield from _prices(file)


def _prices(file: Description) -> Iterator[Finding]:
    for when in WHEN:
        try:
            book = file.book(when)
        except LoadstoneError as error:
            yield Finding(error.slug, error.message, ("prices", when), error.hint or "")
            continue
        for name, machine in file.machine.items():
            try:
                row = book.machine(getattr(machine, when))
            except LoadstoneError as error:
                yield Finding(error.slug, error.message, ("machine", name, when), error.hint or "")
                continue
            if row.vcpu is None:
                message = f"the price book does not say how many processors `{row.sku}` has"
                yield Finding("study-file", message, ("machine", name, when))
