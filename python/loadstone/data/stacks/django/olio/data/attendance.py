"""Who attends what."""

from __future__ import annotations

from typing import Any

from django.db.models import Case, Count, F, Max, When

from olio.data import sessions
from olio.models import Attendance

SHOWN = 20
"""Names on an event's page."""


def of_event(event: int, viewer: int) -> dict[str, Any]:
    """Who attends an event, seen by a viewer (0: by nobody).

    `count` of all, whether the viewer `attends`, the `others` by id, at most as many as are shown, and how
    many are not, `unshown`.
    """
    all_of_it = Attendance.objects.filter(event=event)
    found = all_of_it.aggregate(count=Count("*"), attends=Max(Case(When(user=viewer, then=1), default=0)))
    attends = bool(found["attends"])
    others = (
        all_of_it.exclude(user=viewer)
        .order_by("user_id")
        .values(id=F("user_id"), username=F("user__username"))
    )
    shown = list(others[: SHOWN - attends])
    unshown = found["count"] - attends - len(shown)
    return {"count": found["count"], "attends": attends, "others": shown, "unshown": unshown}


def add(event: int, person: int) -> None:
    """Adds someone to the list; nothing happens when they are on it."""
    Attendance.objects.get_or_create(event_id=event, user_id=person)


def attend(event: int, viewer: int) -> None:
    """Adds the viewer to the list, and the event to their next ones."""
    add(event, viewer)
    sessions.renew_next_events(viewer)


def unattend(event: int, viewer: int) -> None:
    """Takes the viewer off the list."""
    Attendance.objects.filter(event=event, user=viewer).delete()
    sessions.renew_next_events(viewer)
