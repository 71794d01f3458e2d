"""Which `--set` options change a file of several scenarios itself, and which of them one of its scenarios."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from loadstone.errors import LoadstoneError
from loadstone.scenario.composed import OWN, SCENARIO
from loadstone.scenario.overrides import apply, index_of
from loadstone.scenario.positions import Path


@dataclass
class Changes:
    """Those of one scenario."""

    name: str
    target: dict[str, str] = field(default_factory=dict)
    """Of the target of all: they say `target....`."""
    own: dict[str, str] = field(default_factory=dict)
    """Of this one: they say `scenario.NAME....`, which is left out here."""

    def applied(self, raw: Mapping[str, Any]) -> tuple[dict[str, Any], dict[Path, str]]:
        """The changed copy, and by changed path the option that did it."""
        changed, options = apply(raw, self.target)
        changed, more = apply(changed, self.own, below=f"{SCENARIO}.{self.name}.")
        return changed, options | more


def split(raw: Mapping[str, Any], overrides: Mapping[str, str]) -> tuple[dict[str, str], dict[int, Changes]]:
    """What changes the file itself, and by its number what changes one of its scenarios.

    LoadstoneError `override-path` for a scenario that there is not, and for a load of its own.
    """
    parts = raw.get(SCENARIO)
    if not isinstance(parts, list):
        return dict(overrides), {}
    found = {
        number: Changes(str(part.get("name", number + 1)) if isinstance(part, Mapping) else "")
        for number, part in enumerate(parts)
    }
    own: dict[str, str] = {}
    for dotted, text in overrides.items():
        table, *rest = dotted.split(".")
        if table == SCENARIO and len(rest) > 1 and rest[1] not in OWN:
            option = f"--set {dotted}={text}"
            if rest[1] == "load":
                hint = "--set load.users=N changes it"
                raise LoadstoneError("override-path", "all scenarios have one load", place=option, hint=hint)
            found[index_of(parts, rest[0], option)].own[".".join(rest[1:])] = text
        elif table == "target" and "target" not in raw:
            for changes in found.values():
                changes.target[dotted] = text
        else:
            own[dotted] = text
    return own, found
