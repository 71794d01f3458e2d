"""One transaction for each request: run again after a conflict, and after a connection that had been lost."""

from __future__ import annotations

import contextlib
import enum
import random
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

from django.db import DatabaseError, IntegrityError, InterfaceError, OperationalError, connection, transaction

T = TypeVar("T")

ATTEMPTS = 20
"""How often a change is tried before its sender is told that too many people are writing."""
PAUSE_S = 0.1
"""The longest pause before another try, in seconds."""

# Serialization failure, deadlock; deadlock, record has changed.
CONFLICTS = {"40001", "40P01", 1213, 1020}
# Disk full; no space on the device, table full.
FULL = {"53100", 1021, 1114}
UNIQUE = {"23505", 1062}
FOREIGN_KEY = {"23503", 1216, 1217, 1451, 1452}


class Access(enum.Enum):
    """What a piece of work wants of the database."""

    LOOK = "single statements, each for itself"
    SNAPSHOT = "all that it reads as of one moment"
    CHANGE = "as if nobody else were there"


class Trouble(Exception):
    """The database cannot do it now; `status` is what the sender of the request gets."""

    def __init__(self, status: int, error: Exception) -> None:
        """Keeps what the database said."""
        super().__init__(str(error))
        self.status = status


def run(work: Callable[[], T], access: Access) -> T:
    """Runs `work`, perhaps several times; raises `Trouble` when the database is gone or too busy."""
    was_lost = False
    for attempt in range(1, ATTEMPTS + 1):
        is_done = False
        try:
            with _transaction(access):
                result = work()
                is_done = True
            return result
        except (OperationalError, InterfaceError, IntegrityError) as error:
            if isinstance(error, IntegrityError) and not is_unique(error):
                raise
            if _is(error, FULL, "is full"):
                raise Trouble(507, error) from error
            # A key that is taken was made by another change meanwhile; where people choose keys, views ask.
            if is_unique(error) or _is(error, CONFLICTS, "locked"):
                if attempt == ATTEMPTS:
                    raise Trouble(503, error) from error
                time.sleep(random.uniform(0, PAUSE_S))
                continue
            connection.close()
            # A change that had begun to commit may have happened, so it is not repeated.
            if was_lost or (is_done and access is Access.CHANGE):
                raise Trouble(503, error) from error
            was_lost = True
    raise AssertionError("the last attempt returns or raises")


@contextlib.contextmanager
def _transaction(access: Access) -> Iterator[None]:
    if access is Access.LOOK:
        yield
        return
    with transaction.atomic():
        # SQLite knows no other level.
        if access is Access.CHANGE and connection.vendor != "sqlite":
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE")
        yield


def is_unique(error: DatabaseError) -> bool:
    """Whether a row with this key is there already."""
    return _is(error, UNIQUE, "UNIQUE")


def is_foreign_key(error: DatabaseError) -> bool:
    """Whether what a new row refers to has vanished."""
    return _is(error, FOREIGN_KEY, "FOREIGN KEY")


def _is(error: DatabaseError, codes: set[str | int], sqlite_says: str) -> bool:
    code = getattr(error.__cause__, "sqlstate", None) or (error.args[0] if error.args else None)
    if connection.vendor == "sqlite":
        return sqlite_says in str(error)
    return code in codes
