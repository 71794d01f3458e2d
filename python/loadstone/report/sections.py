"""What a page is made of: articles of sections, and what leads them."""

from __future__ import annotations

from dataclasses import dataclass, field

from loadstone.report.badge import Badge
from loadstone.report.figures.figure import Figure
from loadstone.report.table import Table


@dataclass(frozen=True)
class Tile:
    """One key figure."""

    label: str
    value: str
    unit: str = ""
    note: str = ""


@dataclass(frozen=True)
class Section:
    """One section: charts in full width, small charts side by side, tables. `slug` is its anchor."""

    slug: str
    title: str
    intro: str = ""
    wide: dict[str, Figure] = field(default_factory=dict)
    small: dict[str, Figure] = field(default_factory=dict)
    small_title: str = ""
    tables: list[Table] = field(default_factory=list)
    facts: list[tuple[str, str]] = field(default_factory=list)
    folded: list[Table] = field(default_factory=list)
    """Long tables, folded away."""
    texts: list[tuple[str, str]] = field(default_factory=list)
    """Titles and long texts, folded away."""


@dataclass(frozen=True)
class Article:
    """What the page tells of one folder, a plan, a study: an `<article>`."""

    key: str
    name: str
    sentence: str
    badges: list[Badge]
    """One of them leads (`lead`); the page folds the others away."""
    tiles: list[Tile]
    sections: list[Section]
    absent: list[tuple[str, str]]
    """What is not in the folder, and the command that adds it."""
    rest: str = ""
    """What follows the sentence, in smaller print."""

    @property
    def figures(self) -> dict[str, Figure]:
        """All charts by element id."""
        return {key: one for section in self.sections for key, one in (section.wide | section.small).items()}

    @property
    def lead(self) -> Badge | None:
        """The badge that matters most: the first bad one, or else the first."""
        return next((one for one in self.badges if one.kind == "bad"), next(iter(self.badges), None))

    @property
    def remarks(self) -> list[Badge]:
        """The other badges."""
        return [one for one in self.badges if one is not self.lead]


def anchored(section: Section, key: str) -> Section:
    """The section with ids no other article has."""

    def named(figures: dict[str, Figure]) -> dict[str, Figure]:
        return {f"{key}-{section.slug}-{index}": one for index, one in figures.items()}

    changes = {"slug": f"{key}-{section.slug}", "wide": named(section.wide), "small": named(section.small)}
    return Section(**{**vars(section), **changes})


def numbered(kind: str, figures: list[Figure]) -> dict[str, Figure]:
    """The figures by names of that kind, in their order."""
    return {f"{kind}{index}": figure for index, figure in enumerate(figures)}
