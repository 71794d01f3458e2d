"""What the data set says about itself, read once, before the first request."""

from __future__ import annotations

import functools
import secrets
from dataclasses import dataclass

from django.db import IntegrityError, transaction

from olio.models import Meta

FORMAT = "1"
"""Version of the data set that this program reads."""


class NoDataSet(Exception):
    """The database holds nothing that this program can serve, in a sentence."""


@dataclass(frozen=True)
class Facts:
    """The data set."""

    today: int
    """The day that the site calls today, in days since 1970-01-01."""
    accounts: int
    """Loaded accounts; their ids, and those of the loaded addresses, are 1 to this."""
    events: int
    """Loaded events."""
    key: bytes
    """Key of the tokens: the first server drew it."""

    @property
    def now(self) -> int:
        """Noon of today, when everything new is made; in minutes."""
        return self.today * 1440 + 720


@functools.cache
def facts() -> Facts:
    """The facts; raises `NoDataSet`, or what the database raises."""
    said = dict(Meta.objects.values_list("name", "value"))
    if said.get("format") != FORMAT:
        raise NoDataSet(f"the database has format {said.get('format', 'none')}, this program reads {FORMAT}")
    if said["profile"] == "loadstone-2026":
        raise NoDataSet("the profile loadstone-2026 has a picture for each row; load another")
    return Facts(
        today=int(said["base_day"]),
        accounts=int(said["accounts"]),
        events=int(said["events"]),
        key=(said.get("secret") or _draw_key()).encode(),
    )


def _draw_key() -> str:
    try:
        with transaction.atomic():
            return Meta.objects.create(name="secret", value=secrets.token_hex()).value
    except IntegrityError:
        # Another server was faster.
        return Meta.objects.get(name="secret").value
