"""The study of connectors: threaded, event-driven and hybrid servers under more sessions than they can carry.

(Carrera et al., "A Hybrid Web Server Architecture for e-Commerce Applications", 2005).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loadstone.study.entry import Entry, Page

if TYPE_CHECKING:
    from loadstone.study.connectors.study import Connectors


def _study() -> type[Connectors]:
    from loadstone.study.connectors.study import Connectors

    return Connectors


def _page() -> Page:
    from loadstone.study.connectors.page import article

    return article


ENTRY = Entry(
    name="connectors",
    about="""
    Measure how many user sessions threaded, event-driven and hybrid servers complete under overload.

    Apache, Tomcat and nginx are in the same plots. All run on this machine, and one is measured at a time.
    Ctrl-C ends it after the current measurement and keeps what was measured.

    Example: loadstone study connectors --quick --out out/connectors
    """,
    study=_study,
    page=_page,
    parts="dynamic, static, …",
    quick="Measure three servers once, to see that everything works.",
    variant="server",
    variants="hybrid-session, threaded, …",
)
