"""The study of nodes: PCRAFT's tables and figures computed again, the paper's value beside ours.

Source: PCRAFT, sections IV and V.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loadstone.study.entry import Entry, Page

if TYPE_CHECKING:
    from loadstone.study.nodes.study import Nodes


def _study() -> type[Nodes]:
    from loadstone.study.nodes.study import Nodes

    return Nodes


def _page() -> Page:
    from loadstone.study.nodes.page import article

    return article


ENTRY = Entry(
    name="nodes",
    about="""
    Compute how many nodes keep a service up and answer right, and compare with the paper.

    Covers tables II and III and figures 5 to 7 of PCRAFT, with each count proved by bounds, and sets our
    own measurements of hardened programs beside its table I and figures 3, 4 and 7. Takes seconds;
    measures nothing itself.

    Example: loadstone study nodes --out out/nodes
    """,
    study=_study,
    page=_page,
    parts="tables, points, curves, measured",
)
