"""The study's file: the paper's tables and figures, and how its words are read. Every key stands here."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from loadstone.nodes.fields import Length, Rate
from loadstone.nodes.quantities import parse_duration
from loadstone.scenario.fields import Count, Positive, Share, Table
from loadstone.study.file import FOLDER, load_study_file
from loadstone.study.nodes.asked import Measured, NodeName
from loadstone.study.nodes.records import wrong

FILE = FOLDER / "nodes.toml"
NODES = ("native", "ilr", "tx")


Printed = Annotated[int, Field(ge=0)] | Literal["x"]
"""A number of nodes as the paper prints it; `x`: no number is enough."""


class Application(Table):
    """Throughput of one node, in thousand requests a second."""

    name: str
    native: Positive
    ilr: Positive
    tx: Positive


class PrintedColumn(Table):
    """A column of a table of the paper."""

    label: str
    crash: Annotated[
        list[Rate], Field(min_length=1, description="readings of the heading, the fitting first")
    ]
    failover: Length | None = None
    repair: Length | None = None
    paper: dict[NodeName, Printed] | None = None
    note: str = ""


class PrintedTable(Table):
    """A table of the paper: extra nodes by node type."""

    place: str
    title: str
    deployment: Literal["ARA cloud", "ARA on-prem", "PF on-prem"]
    column: Annotated[list[PrintedColumn], Field(min_length=1)]


class Availability(Table):
    """A point of figures 5 and 6: a cluster without extra nodes. `paper` is what its text says of it."""

    place: str
    nodes: Count
    crash: Rate
    failover: Length | None = None
    paper: str = ""
    at_least: Share | None = None
    at_most: Share | None = None
    about: Share | None = None
    within: Share | None = None
    note: str = ""


class Corrupt(Table):
    """A point of figure 7: percent of a month spent corrupt."""

    end: Annotated[str, Field(description="where on the figure")]
    node: NodeName
    faults: Rate
    paper: Positive | None = None
    within: Positive | None = None
    corrupts: Annotated[Share | None, Field(description="instead of Table I's share")] = None
    retry: Length = "2.5us"
    checker: Annotated[Positive | None, Field(description="what a model checker printed for it")] = None
    note: str = ""


class Description(Table):
    """The file."""

    format: Literal[1]
    name: Literal["nodes"]
    summary: str
    year: Length
    usual_year: Length
    month: Length
    target: Annotated[str, Field(description="share of the year with enough nodes up")]
    load: Count
    application: Annotated[list[Application], Field(min_length=1)]
    table: Annotated[list[PrintedTable], Field(min_length=1)]
    availability: list[Availability]
    corrupt: list[Corrupt]
    measured: Measured | None = None

    @property
    def year_s(self) -> Fraction:
        """The period judged, seconds."""
        return parse_duration(self.year)


def load_description(path: Path = FILE) -> Description:
    """Reads and checks the file, with the records that it names. Errors as `load_study_file`."""
    return load_study_file(path, Description, lambda file: wrong(file.measured, path.parent))
