"""The study of stacks, Cloudstone's question on today's software: which carries how many users at what cost.

Source: Sobel et al., "Cloudstone: Multi-Platform, Multi-Language Benchmark and Measurement Tools for
Web 2.0" (2008).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loadstone.study.entry import Entry, Page

if TYPE_CHECKING:
    from loadstone.study.stacks.study import Stacks


def _study() -> type[Stacks]:
    from loadstone.study.stacks.study import Stacks

    return Stacks


def _page() -> Page:
    from loadstone.study.stacks.page import article

    return article


ENTRY = Entry(
    name="stacks",
    about="""
    Find how many users PHP, Rails, Django, Java and Rust carry at SLA-1 and SLA-2, and what a user costs.

    Each configuration is a part: a lab of its own, with a quota of the processor for every host, and the
    search of a capacity on it. Ctrl-C ends the run under way; `--resume` goes on with the same search.

    Example: loadstone study stacks --only php-fpm,olio --out out/stacks
    """,
    study=_study,
    page=_page,
    parts="php-fpm, rails, olio, …",
    quick="Search in windows of seconds, to see that everything works.",
)
