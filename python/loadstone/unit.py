"""What a load is counted in: users that stay, or sessions, or single requests, that arrive each second."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any


class Unit(StrEnum):
    """The name is the key of the scenario's `[load]`. A search is over whole steps of it."""

    USERS = "users"
    SESSIONS = "sessions_per_s"
    REQUESTS = "requests_per_s"

    @classmethod
    def of(cls, load: Mapping[str, Any]) -> Unit:
        """That of a scenario, a plan or a run with this `load`.

        >>> Unit.of({"users": None, "requests_per_s": 20.0}).words, Unit.of({"users": 3}).words
        ('requests/s', 'users')
        """
        return next((unit for unit in _RATES if load.get(unit) is not None), cls.USERS)

    @property
    def is_rate(self) -> bool:
        """Whether something arrives; else users stay."""
        return self is not Unit.USERS

    @property
    def step(self) -> float:
        """How finely it is searched."""
        return 0.01 if self.is_rate else 1

    @property
    def least(self) -> float:
        """No run of a search has less: a tenth of an arrival a second are thirty in five minutes."""
        return 0.1 if self.is_rate else 1

    @property
    def least_words(self) -> str:
        """The same for people."""
        return f"{self.least:g} {self.words}" if self.is_rate else "one user"

    @property
    def words(self) -> str:
        """Its name for people."""
        return f"{self.things}/s" if self.is_rate else self.things

    @property
    def things(self) -> str:
        """What is counted: users, or what arrives."""
        return self.removesuffix("_per_s")

    def steps(self, load: float) -> int:
        """The steps that are nearest to a load.

        >>> Unit.SESSIONS.steps(12.5), Unit.USERS.steps(12)
        (1250, 12)
        """
        return round(load / self.step)

    def load(self, steps: int) -> float:
        """The load that so many steps are; whole users, hundredths of an arrival.

        >>> Unit.SESSIONS.load(1257), Unit.USERS.load(12)
        (12.57, 12)
        """
        return round(steps * self.step, 2) if self.is_rate else steps

    def number(self, load: float) -> str:
        """A load without its unit, as far as it is searched.

        >>> Unit.SESSIONS.number(12.5), Unit.USERS.number(19027)
        ('12.5', '19,027')
        """
        return f"{load:,.2f}".rstrip("0").rstrip(".") if self.is_rate else f"{load:,.0f}"

    def amount(self, load: float) -> str:
        """A load with its unit.

        >>> Unit.USERS.amount(1), Unit.USERS.amount(20), Unit.SESSIONS.amount(12.5), Unit.REQUESTS.amount(1)
        ('1 user', '20 users', '12.5 sessions/s', '1 requests/s')
        """
        return f"{self.number(load)} {'user' if not self.is_rate and load == 1 else self.words}"


_RATES = (Unit.SESSIONS, Unit.REQUESTS)
