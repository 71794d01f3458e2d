"""The study's file: what is measured, how often, and what the paper says. Every key stands here."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from loadstone.scenario.fields import Count, NonNegative, Ordinal, Positive, Share, Table
from loadstone.scenario.findings import Finding
from loadstone.scenario.positions import Path as Keys
from loadstone.study.file import FOLDER, load_study_file

Kind = Literal["server-killed", "server-cut", "lossy-link", "drained", "balancer-killed"]
FILE = FOLDER / "balancers.toml"


class Throughput(Table):
    """A fixed number of requests as fast as they go."""

    generators: Count
    concurrency: Annotated[list[Count], Field(min_length=1, description="of all generators together")]
    requests: Annotated[Count, Field(description="of all generators together")]
    repetitions: Count


class Peer(Table):
    """`ab` beside the agents."""

    concurrency: Annotated[list[Count], Field(min_length=1)]
    requests: Count
    repetitions: Count


class Segments(Table):
    """Packets at every interface."""

    users: Count
    pause_ms: Annotated[NonNegative, Field(description="from an answer to the user's next request")]
    steady_s: Positive
    repetitions: Count


class Fixed(Table):
    """A fixed number of requests by a number of users."""

    concurrency: Count
    requests: Count
    repetitions: Count


class Small(Fixed):
    """With servers of a fraction of a processor."""

    cpus: Annotated[Positive, Field(ge=0.01)]


class Uneven(Small):
    """One of the servers is small."""

    weight: Annotated[Count, Field(description="of each other server, where weights are used")]


class Faults(Table):
    """Something breaks under load, and is mended."""

    users: Count
    pause_ms: NonNegative
    timeout_s: Positive
    kinds: Annotated[list[Kind], Field(min_length=1, description="what breaks")]
    before_s: Positive
    during_s: Positive
    after_s: Positive
    loss: Annotated[Share, Field(gt=0, description="of packets, in each direction")]
    repetitions: Count


class SiteUsers(Table):
    """A whole site: the most users at the SLAs by number of application servers."""

    cpus: Annotated[Positive, Field(ge=0.01, description="of each application server")]
    first: Annotated[Count, Field(description="users of the first run of a search")]
    most: Count
    tolerance: Positive
    runs: Annotated[Count, Field(description="of one search, at most")]
    ramp_up_s: Positive
    window_s: Positive
    repetitions: Count


class Size(Table):
    """How much is measured."""

    closer: Annotated[
        Count | None, Field(description="balancers that the parts after `segments` look at; all when absent")
    ] = None
    throughput: Annotated[list[Throughput], Field(min_length=1)]
    peer: Peer
    segments: Segments
    spread: Fixed
    uneven: Uneven
    reuse: Fixed
    growth: Small
    faults: Faults
    site: Annotated[SiteUsers | None, Field(description="left out when absent")] = None


class Paper(Table):
    """A figure of the paper."""

    place: str
    system: str
    what: str
    figure: Literal["requests_per_s", "response_ms", "network_share"]
    generators: Count
    concurrency: Count | None = None
    value: Positive
    low: Positive | None = None
    high: Positive | None = None
    note: str = ""


class Description(Table):
    """The file."""

    format: Literal[1]
    name: Literal["balancers"]
    summary: str
    topology: Annotated[str, Field(description="beside this file")]
    seed: Ordinal
    page_bytes: Count
    full: Size
    quick: Size
    paper: list[Paper]


_PARTS: dict[str, type[Table]] = {
    "throughput": Throughput,
    "peer": Peer,
    "segments": Segments,
    "spread": Fixed,
    "uneven": Uneven,
    "reuse": Fixed,
    "growth": Small,
    "faults": Faults,
    "site": SiteUsers,
}


def load_description(path: Path = FILE) -> Description:
    """Reads and checks the file. Errors as `load_study_file`."""
    return load_study_file(path, Description, _contradictions)


def _contradictions(file: Description) -> list[Finding]:
    found = []
    sizes: dict[str, Any] = {"full": file.full, "quick": file.quick}
    for name, size in sizes.items():
        for number, load in enumerate(size.throughput):
            at: Keys = (name, "throughput", number)
            if min(load.concurrency) < load.generators:
                message = f"a concurrency of {min(load.concurrency)} leaves a generator without users"
                found.append(Finding("out-of-range", message, (*at, "concurrency")))
            if load.requests < max(load.concurrency):
                message = (
                    f"{load.requests} requests are too few: there are up to {max(load.concurrency)} users"
                )
                found.append(Finding("out-of-range", message, (*at, "requests")))
    return found
