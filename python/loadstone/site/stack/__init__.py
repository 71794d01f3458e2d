"""Olio on other platforms: each stack is a site that has Olio's data and a program of its own.

What a stack is stands in `stacks/README.md`.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from loadstone.site.olio import OLIO, OlioData
from loadstone.site.value import Data, Fields, Loading, Site

FOLDER = Path(__file__).resolve().parents[2] / "data" / "stacks"
"""A folder for each stack."""


class StackOptions(Fields):
    """How a stack works."""

    cache: Annotated[
        Literal["none", "query", "fragment", "action", "page"], Field(description="What the site caches.")
    ] = "none"
    cache_store: Annotated[
        str,
        Field(
            pattern=r"^(memory|files|memcached://[^/\s]+:\d+)$",
            description="Where: memory (of each process), files, or memcached://host:port.",
        ),
    ] = "memory"
    workers: Annotated[int, Field(ge=1, le=1024, description="Requests worked on at a time.")] = 8


class JavaOptions(StackOptions):
    """How the stack in Java works."""

    warm_up_s: Annotated[
        int,
        Field(
            ge=0,
            le=100,
            description="Seconds for which it asks itself for pages before it takes requests: the JVM"
            " compiles what runs often.",
        ),
    ] = 0


@dataclass(frozen=True, eq=False)
class Stack(Site):
    """Olio as another platform writes it."""

    folder: str = ""
    """Below `FOLDER`."""

    @property
    def data_name(self) -> str:
        """Olio's: there is one loader."""
        return OLIO.name

    @property
    def in_container(self) -> bool:
        """Whether it runs in our own web container."""
        return False

    def load(
        self, place: str, data: Data, loading: Loading | None = None, *, replace: bool = False
    ) -> dict[str, int]:
        """As Olio's."""
        return OLIO.load(place, data, loading, replace=replace)

    def served(self, data: Data, options: Any) -> dict[str, Any]:
        """As of every site, and which masters its pictures have: they are files of their own here."""
        return {**super().served(data, options), "data": data.model_dump(mode="json")}

    def process(self, place: str, options: str) -> list[str]:
        """The stack's own `start`, told everything by its environment."""
        return [sys.executable, "-m", "loadstone.site.stack", self.folder, place, options]


def _stack(folder: str, platform: str) -> Stack:
    return Stack(
        name=f"olio-{folder}",
        title=f"Olio in {platform}",
        data=OlioData,
        options=JavaOptions if folder == "java" else StackOptions,
        tells_counters=False,
        reads_replicas=True,
        folder=folder,
    )


_PLATFORMS = {
    "django": "Python, by Django and gunicorn",
    "java": "Java, by servlets on Tomcat",
    "php": "PHP, by Apache with mod_php",
    "php-fpm": "PHP, by php-fpm behind nginx",
    "rails": "Ruby on Rails, by puma behind nginx",
    "rails-thin": "Ruby on Rails, by thin behind nginx",
}

STACKS: tuple[Stack, ...] = tuple(
    _stack(folder, platform)
    for folder, platform in _PLATFORMS.items()
    if (FOLDER / folder / "start").is_file()
)
"""Every stack whose folder is there."""
