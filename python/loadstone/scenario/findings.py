"""What is wrong with a scenario, as findings; and findings as errors with file and line."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from loadstone.errors import BAD_INPUT, LoadstoneError
from loadstone.scenario.positions import Path, Positions

MOST = 10  # errors shown of one file; the rest are counted


@dataclass(frozen=True)
class Finding:
    """One thing wrong (or, as a warning, doubtful) at one place of the file."""

    slug: str
    message: str
    path: Path = ()
    hint: str = ""


class ScenarioError(LoadstoneError):
    """Everything found wrong in one scenario file; `slugs` in the order of the text."""

    def __init__(self, errors: Sequence[LoadstoneError]) -> None:
        """At least one error; the first `MOST` are shown."""
        texts = [str(error) for error in errors[:MOST]]
        if len(errors) > MOST:
            texts.append(f"... and {len(errors) - MOST} more")
        Exception.__init__(self, "\n".join(texts))
        self.slug = errors[0].slug
        self._mistakes = tuple(errors)
        self.slugs = [error.slug for error in errors]
        self.errors = list(errors)
        self.message, self.place, self.hint = errors[0].message, errors[0].place, errors[0].hint
        self.exit_code = BAD_INPUT

    @property
    def mistakes(self) -> Sequence[LoadstoneError]:
        """All of them, in the order of the text."""
        return self._mistakes


@dataclass(frozen=True)
class Source:
    """Where a scenario was read: its file, the lines of its keys, what was set on the command line."""

    file: str
    positions: Positions
    raw: Mapping[str, Any]
    overrides: Mapping[Path, str]
    within: Path = ()
    """Where the scenario is in its file, of which `positions` and `raw` are."""
    elsewhere: Mapping[Path, tuple[Source, Path]] = field(default_factory=dict)
    """Parts that another file gave, with their paths there."""

    def place(self, path: Path) -> str:
        """`file:line, [table.key]`; the option for what `--set` gave."""
        for length in range(len(path), 0, -1):
            if path[:length] in self.overrides:
                return self.overrides[path[:length]]
            if path[:length] in self.elsewhere:
                source, there = self.elsewhere[path[:length]]
                return source.place((*there, *path[length:]))
        path = (*self.within, *path)
        where = self.positions.where(path, self.file)
        return f"{where}, [{dotted(path, self.raw)}]" if path else where

    def error(self, finding: Finding) -> LoadstoneError:
        """The finding as the user sees it."""
        return LoadstoneError(
            finding.slug, finding.message, place=self.place(finding.path), hint=finding.hint or None
        )

    def errors(self, findings: Iterable[Finding]) -> ScenarioError:
        """All findings as one error, in the order of the text."""
        ordered = sorted(findings, key=lambda finding: self.positions.line((*self.within, *finding.path)))
        return ScenarioError([self.error(finding) for finding in ordered])


def dotted(path: Path, raw: Mapping[str, Any]) -> str:
    """A path as `--set` takes it: items of a list by their name, else by number from 1.

    >>> dotted(("operation", 0, "step", 1), {"operation": [{"name": "Home", "step": [{}, {}]}]})
    'operation.Home.step.2'
    """
    parts = []
    node: Any = raw
    for key in path:
        node = child(node, key)
        named = isinstance(key, int) and isinstance(node, dict) and isinstance(node.get("name"), str)
        parts.append(node["name"] if named else str(key + 1) if isinstance(key, int) else key)
    return ".".join(parts)


def child(node: Any, key: str | int) -> Any:
    """The item `key` of a table or list; None when there is none."""
    if isinstance(node, dict):
        return node.get(key)
    if isinstance(node, list) and isinstance(key, int) and 0 <= key < len(node):
        return node[key]
    return None


def suggest(wrong: str, known: Iterable[str], otherwise: str = "") -> str:
    """A did-you-mean, or `otherwise`."""
    close = difflib.get_close_matches(wrong, list(known), n=1, cutoff=0.6)
    return f"did you mean `{close[0]}`?" if close else otherwise


def listed(names: Iterable[str]) -> str:
    """Names for a hint."""
    return ", ".join(f"`{name}`" for name in names)
