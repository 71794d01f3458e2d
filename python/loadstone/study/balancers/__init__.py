"""The study of load balancers: the paper's measurements made again, and what it could only infer.

Source: Caldwell, "Evaluating Load Balancers and Network Performance in the Cloud".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loadstone.study.entry import Entry, Page

if TYPE_CHECKING:
    from loadstone.study.balancers.study import Balancers


def _study() -> type[Balancers]:
    from loadstone.study.balancers.study import Balancers

    return Balancers


def _page() -> Page:
    from loadstone.study.balancers.page import article

    return article


ENTRY = Entry(
    name="balancers",
    about="""
    Measure load balancers beside each other: throughput, cost, where time goes, what happens in trouble.

    Brings up a lab of its own, and takes it down whatever happens. Ctrl-C ends it after the measurement
    under way and keeps what was measured.

    Example: loadstone study balancers --quick --out out/balancers
    """,
    study=_study,
    page=_page,
    parts="throughput, peer, segments, …",
    quick="Take a few minutes only, to see that everything works.",
    topology=True,
)
