"""The form: what people fill in, the command line that it stands for, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from loadstone.unit import Unit

NAMES = ("scenario", "load", "window", "target", "sla", "seed", "goals")


@dataclass(frozen=True)
class Problem:
    """What is wrong, in the words of the command line, and at which field."""

    field: str
    message: str


@dataclass(frozen=True)
class Fields:
    """The form as it was filled in. Empty texts mean what the scenario says."""

    scenario: str = ""
    load: str = ""
    window: str = ""
    target: str = ""
    sla: str = ""
    seed: str = ""
    goals: Sequence[str] = field(default_factory=tuple)

    @classmethod
    def of(cls, content: Any) -> Fields:
        """From JSON. ValueError when it is not a form."""
        if not isinstance(content, Mapping) or not content.keys() <= set(NAMES):
            raise ValueError(f"a form has the fields {', '.join(NAMES)}")
        goals = content.get("goals", "")
        texts = {name: content.get(name, "") for name in NAMES if name != "goals"}
        if not all(isinstance(text, str) for text in (goals, *texts.values())):
            raise ValueError("every field is a text")
        each = [line.strip() for line in goals.splitlines()]
        return cls(**{name: text.strip() for name, text in texts.items()}, goals=[one for one in each if one])

    def arguments(self, unit: Unit) -> list[str]:
        """What follows `loadstone run`, for a scenario whose load is counted in `unit`.

        >>> Fields("page", load="20", target="http://127.0.0.1:80").arguments(Unit.USERS)
        ['--users=20', '--url=http://127.0.0.1:80', '--', 'page']
        >>> Fields("rate.toml", load="5", goals=["failed < 1 %"]).arguments(Unit.REQUESTS)
        ['--set=load.requests_per_s=5', '--goal=failed < 1 %', '--', 'rate.toml']
        """
        given = []
        if self.load:
            given.append(f"--set=load.{unit}={self.load}" if unit.is_rate else f"--users={self.load}")
        options = {"window": self.window, "url": self.target, "sla": self.sla, "seed": self.seed}
        given += [f"--{option}={text}" for option, text in options.items() if text]
        given += [f"--goal={goal}" for goal in self.goals]
        return [*given, "--", self.scenario]


@dataclass(frozen=True)
class Choice:
    """A scenario of the list, as the form shows it once it is chosen."""

    name: str
    unit: str
    """`users`, `sessions/s` or `requests/s`."""
    load: float | None
    window_s: float
    target: str
    """Its URL; empty where Loadstone starts the service."""
    length_s: float


class Terms(Protocol):
    """What the command line knows of forms."""

    def scenarios(self) -> list[str]:
        """Names and files that can be chosen."""

    def choice(self, name: str) -> Choice:
        """What a scenario says by itself. LoadstoneError when it cannot be used."""

    def checked(self, fields: Fields) -> tuple[list[str], list[Problem]]:
        """The arguments of `loadstone run`, and what it would refuse."""
