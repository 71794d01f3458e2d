"""The chaos file: clusters, how long they live, who asks. Every key stands here."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files as package_files
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from loadstone.availability.cluster import Cluster
from loadstone.nodes.fields import Length, Rate
from loadstone.nodes.quantities import parse_duration, parse_rate
from loadstone.scenario import Fault
from loadstone.scenario.fields import Count, NonNegative, Ordinal, Table
from loadstone.scenario.findings import Finding
from loadstone.scenario.table_file import read_table_file

FILE = Path(str(package_files("loadstone"))) / "data" / "chaos" / "chaos.toml"


class PlayedCluster(Table):
    """A cluster that is played."""

    name: Annotated[str, Field(min_length=1, max_length=40)]
    needed: Count
    active: Count
    pool: Ordinal | Literal["endless"]
    crash: Rate
    failover: Length
    repair: Length | None = None


class Short(Table):
    """Another length."""

    life: Length
    lives: Count


class Description(Table):
    """The file."""

    format: int
    name: str
    topology: Annotated[str, Field(description="beside this file")]
    nodes: Annotated[str, Field(description="service that crashes")]
    balancer: Annotated[str, Field(description="service in front of it")]
    life: Length
    lives: Annotated[Count, Field(ge=2, description="of each cluster: an interval needs two")]
    users: Count
    pause_ms: NonNegative
    path: Annotated[str, Field(pattern=r"^/\S*$", description="what users ask for")] = "/"
    contains: Annotated[str, Field(min_length=1, description="what a right answer holds")] = "</html>"
    cluster: Annotated[list[PlayedCluster], Field(min_length=1)]
    fault: Annotated[
        list[Fault], Field(default_factory=list, description="of each life, as those of a scenario")
    ]
    quick: Short


@dataclass(frozen=True)
class Played:
    """A checked cluster."""

    name: str
    cluster: Cluster


@dataclass(frozen=True)
class Order:
    """A checked file, in the length asked for."""

    path: Path
    topology: Path
    nodes: str
    balancer: str
    life_s: float
    lives: int
    users: int
    pause_s: float
    page: str
    marker: str
    clusters: tuple[Played, ...]
    faults: tuple[Fault, ...] = ()
    """In the order of their times; those of a life."""


def read_order(path: Path, quick: bool) -> Order:
    """Reads and checks a chaos file. LoadstoneError `chaos-missing`; else as `read_table_file`."""
    file, source = read_table_file(path, Description, "chaos-missing")
    findings: list[Finding] = []
    played = []
    for number, one in enumerate(file.cluster):
        try:
            played.append(Played(one.name, _cluster(one)))
        except ValueError as error:
            findings.append(Finding("chaos-input", str(error), ("cluster", number)))
    life_s = float(parse_duration(file.life))
    for number, fault in enumerate(file.fault):
        if fault.at_s >= life_s:
            message = f"a life has ended after {life_s:g} s, before `at_s = {fault.at_s:g}`"
            hint = "faults are timed from the beginning of each life"
            findings.append(Finding("fault", message, ("fault", number, "at_s"), hint))
    if findings:
        raise source.errors(findings)
    length = file.quick if quick else file
    return Order(
        path, path.parent / file.topology, file.nodes, file.balancer, float(parse_duration(length.life)),
        length.lives, file.users, file.pause_ms / 1000, file.path, file.contains, tuple(played),
        tuple(sorted(file.fault, key=lambda fault: fault.at_s)),
    )  # fmt: skip


def _cluster(one: PlayedCluster) -> Cluster:
    return Cluster(
        needed=one.needed,
        active=one.active,
        pool=None if one.pool == "endless" else one.pool,
        crash=float(parse_rate(one.crash)),
        failover=1 / float(parse_duration(one.failover)),
        repair=1 / float(parse_duration(one.repair)) if one.repair else None,
    )
