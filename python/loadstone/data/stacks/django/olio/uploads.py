"""Uploads: rows of the table `upload`.

Their names and stamps are known here, so that asking for a picture that nobody uploaded costs no statement:
what has changed since is asked for together, by stamp.
"""

from __future__ import annotations

import functools
import mmap
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection, transaction
from django.db.models import Max

from olio.models import Upload

BELIEF_S = 0.2
"""For so long a process believes that no other server has got an upload in the place of what was loaded."""
KEPT = 16
"""Contents of uploads that a process keeps."""

SIGNATURES = (
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"%PDF-", "application/pdf"),
)


@dataclass(frozen=True)
class Stored:
    """An upload."""

    data: bytes
    stamp: int


class Index:
    """Names and stamps of all uploads, also of those that were taken away, as this process knows them."""

    def __init__(self) -> None:
        """Knows nothing yet."""
        self.stamps: dict[str, int] = {}
        self._last = 0
        self._asked_s = float("-inf")
        self._seen = b""
        self._lock = threading.Lock()

    def renew(self, at_once: bool) -> None:
        """Learns what has changed, unless it was asked for a moment ago.

        Whether a name has bytes shows when they are asked for: MariaDB would read all of them to say that
        there are some.
        """
        changed = _news[:]
        if not at_once and changed == self._seen and time.monotonic() < self._asked_s + BELIEF_S:
            return
        with self._lock:
            asked_s = time.monotonic()
            news = Upload.objects.filter(stamp__gt=self._last).order_by("stamp")
            for name, stamp in news.values_list("name", "stamp"):
                self._last = self.stamps[name] = stamp
            self._asked_s, self._seen = asked_s, changed


# The processes of one site share this count of changes, so that each sees at once what came to another.
_news = mmap.mmap(-1, 8)
_index = Index()


def prepare() -> None:
    """Makes the table where there is none: the loader makes it on servers only."""
    if Upload._meta.db_table not in connection.introspection.table_names():
        with connection.schema_editor() as editor:
            editor.create_model(Upload)


def find(names: Sequence[str], is_loaded: bool) -> Stored | None:
    """The upload of the first of the names that has one. What `is_loaded` seldom changes."""
    _index.renew(at_once=not is_loaded)
    for name in names:
        stamp = _index.stamps.get(name)
        if stamp is not None and (data := _content(name, stamp)) is not None:
            return Stored(data, stamp)
    return None


def put(name: str, data: bytes) -> None:
    """Stores an upload in the place of the one before. Within a transaction."""
    Upload.objects.update_or_create(name=name, defaults={"stamp": _next_stamp(), "bytes": data})
    transaction.on_commit(_tell)


def remove(names: Sequence[str]) -> None:
    """Takes uploads away; their names stay, with stamps that tell of it. Within a transaction."""
    for name in Upload.objects.filter(name__in=names, bytes__isnull=False).values_list("name", flat=True):
        Upload.objects.filter(name=name).update(stamp=_next_stamp(), bytes=None)
        transaction.on_commit(_tell)


def sniff(data: bytes) -> str | None:
    """The media type that the first bytes tell; names and declared types are not believed."""
    return next((kind for signature, kind in SIGNATURES if data.startswith(signature)), None)


@functools.lru_cache(maxsize=KEPT)
def _content(name: str, stamp: int) -> bytes | None:
    found = Upload.objects.filter(name=name, stamp=stamp).values_list("bytes", flat=True).first()
    return None if found is None else bytes(found)


def _next_stamp() -> int:
    # Two transactions that take the same one conflict, and one is run again: stamps are committed in order.
    return (Upload.objects.aggregate(last=Max("stamp"))["last"] or 0) + 1


def _tell() -> None:
    _news[:] = ((int.from_bytes(_news[:], "little") + 1) % 2**64).to_bytes(8, "little")
