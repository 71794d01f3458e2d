"""Copies of the database that follow it: a page that only reads may come from one that is not far behind.

Who has changed something has a cookie for a while, and reads from the database itself.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, TypeVar

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, Error, connections, transaction
from django.http import HttpRequest, HttpResponse

from olio import reply

T = TypeVar("T")

WROTE = "wrote"
"""Name of the cookie of who has changed something."""
WROTE_S, WROTE_CACHED_S = 15, 45
"""How long it lives, and where lists are kept; a copy may need 4 s to notice that the database is gone."""
MOST_LAG_S = 5.0
"""A copy that is further behind is not read from."""
LOOK_S = 1.0
"""Between two looks at how far a copy is behind."""
REST_S = 5.0
"""A copy that is gone is left alone for so long."""

_LAG = {
    "mysql": "SHOW SLAVE STATUS",
    "postgresql": """
        SELECT CASE WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN 0
            ELSE coalesce(extract(epoch FROM now() - pg_last_xact_replay_timestamp()), 0)
        END AS "Seconds_Behind_Master" FROM pg_stat_wal_receiver""",
}

_reading: ContextVar[str] = ContextVar("reading", default=DEFAULT_DB_ALIAS)


class Router:
    """Models are read where the page comes from, and written at the database itself."""

    def db_for_read(self, model: Any, **hints: Any) -> str:
        """The alias of this page's database."""
        return _reading.get()

    def db_for_write(self, model: Any, **hints: Any) -> str:
        """The alias of the one that the others follow."""
        return DEFAULT_DB_ALIAS


class Copy:
    """One of them, as this process knows it."""

    def __init__(self, alias: str) -> None:
        """Nothing has been asked of it yet."""
        self.alias = alias
        self._is_current, self._until_s = False, float("-inf")
        self._lock = threading.Lock()

    def is_current(self) -> bool:
        """Whether it may be read from; not while another thread finds out."""
        if time.monotonic() < self._until_s:
            return self._is_current
        if not self._lock.acquire(blocking=False):
            return False
        try:
            asked_s = time.monotonic()
            self._is_current = self._follows_closely()
            self._until_s = asked_s + LOOK_S
        except Error:
            connections[self.alias].close()
            self._is_current, self._until_s = False, time.monotonic() + REST_S
        finally:
            self._lock.release()
        return self._is_current

    def doubt(self) -> None:
        """It could not answer: it is looked at before it is asked again."""
        self._until_s = float("-inf")
        connections[self.alias].close_if_unusable_or_obsolete()

    def _follows_closely(self) -> bool:
        connection = connections[self.alias]
        with connection.cursor() as cursor:
            cursor.execute(_LAG[connection.vendor])
            row = cursor.fetchone()
            found = dict(zip((column[0] for column in cursor.description), row, strict=True)) if row else {}
        lag = found.get("Seconds_Behind_Master")
        # Nothing is known of one that follows nobody at the moment.
        return lag is not None and lag <= MOST_LAG_S


COPIES = tuple(Copy(alias) for alias in settings.DATABASES if alias != DEFAULT_DB_ALIAS)


def read(work: Callable[[], T]) -> T | None:
    """What `work` finds in one snapshot of a copy; `None` when the database itself has to be asked."""
    if not COPIES or not (copy := random.choice(COPIES)).is_current():
        return None
    before = _reading.set(copy.alias)
    try:
        with transaction.atomic(using=copy.alias):
            return work()
    except Exception:
        # Whatever it was, also that there is no such thing: the database knows better.
        copy.doubt()
        return None
    finally:
        _reading.reset(before)


def has_written(request: HttpRequest) -> bool:
    """Whether its sender has changed something not long ago, which a copy may not have yet."""
    return bool(COPIES and request.COOKIES.get(WROTE))


def remember(response: HttpResponse) -> HttpResponse:
    """Gives the sender of a change the cookie."""
    if COPIES:
        reply.set_cookie(
            response, WROTE, "1", WROTE_S if settings.ENVIRONMENT.cache == "none" else WROTE_CACHED_S
        )
    return response
