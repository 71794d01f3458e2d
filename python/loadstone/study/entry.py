"""A study as the command line and the reports know it, before anything of it is imported."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from loadstone.report.sections import Article
    from loadstone.study.order import Order
    from loadstone.study.study import Study

Page = Callable[[dict[str, Any], Path], "Article"]
"""Lays out the content of a `study.json`; the folder is where it lies."""


@dataclass(frozen=True)
class Entry:
    """A line of the registry."""

    name: str
    about: str
    """The command's help: what is measured, what it needs, an example."""
    study: Callable[[], Callable[[Order], Study]]
    """Imports what measures: the study's class."""
    page: Callable[[], Page]
    """Imports what draws."""
    parts: str
    """A few names of parts, for the help."""
    quick: str | None = None
    """What `--quick` makes of it; None where there is nothing to shorten."""
    variant: str | None = None
    """What one variant is called where an order may name some: `server` for an option `--servers`."""
    variants: str = ""
    """A few names of variants, for the help."""
    topology: bool = False
    """Whether it runs on the hosts of a topology."""
