"""What the load of a search is counted in: users that stay, or sessions that arrive each second."""

from __future__ import annotations

from enum import StrEnum


class Unit(StrEnum):
    """The name is the key of the scenario's `[load]`. A search is over whole steps of it."""

    USERS = "users"
    SESSIONS = "sessions_per_s"

    @classmethod
    def of(cls, sessions_per_s: float | None) -> Unit:
        """That of a scenario, or of a run, with this rate of sessions."""
        return cls.USERS if sessions_per_s is None else cls.SESSIONS

    @property
    def step(self) -> float:
        """How finely it is searched."""
        return 1 if self is Unit.USERS else 0.01

    @property
    def least(self) -> float:
        """No run of a search has less: a tenth of a session a second are thirty in five minutes."""
        return 1 if self is Unit.USERS else 0.1

    @property
    def least_words(self) -> str:
        """The same for people."""
        return "one user" if self is Unit.USERS else f"{self.least:g} sessions/s"

    @property
    def words(self) -> str:
        """Its name for people."""
        return "users" if self is Unit.USERS else "sessions/s"

    def steps(self, load: float) -> int:
        """The steps that are nearest to a load.

        >>> Unit.SESSIONS.steps(12.5), Unit.USERS.steps(12)
        (1250, 12)
        """
        return round(load / self.step)

    def load(self, steps: int) -> float:
        """The load that so many steps are; whole users, hundredths of a session.

        >>> Unit.SESSIONS.load(1257), Unit.USERS.load(12)
        (12.57, 12)
        """
        return steps if self is Unit.USERS else round(steps * self.step, 2)

    def number(self, load: float) -> str:
        """A load without its unit, as far as it is searched.

        >>> Unit.SESSIONS.number(12.5), Unit.USERS.number(19027)
        ('12.5', '19,027')
        """
        return f"{load:,.0f}" if self is Unit.USERS else f"{load:,.2f}".rstrip("0").rstrip(".")

    def amount(self, load: float) -> str:
        """A load with its unit.

        >>> Unit.USERS.amount(1), Unit.USERS.amount(20), Unit.SESSIONS.amount(12.5), Unit.SESSIONS.amount(1)
        ('1 user', '20 users', '12.5 sessions/s', '1 sessions/s')
        """
        return f"{self.number(load)} {'user' if self is Unit.USERS and load == 1 else self.words}"
