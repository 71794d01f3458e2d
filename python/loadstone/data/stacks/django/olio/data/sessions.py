"""Log-in sessions. A row holds the viewer's next events, so that a page need not search for them."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Coalesce

from olio.data import friends
from olio.facts import facts
from olio.models import Attendance, Event, Friendship, Session

LIFE_S = 24 * 3600
"""How long a session lives after log-in: a day."""
STALE = "?"
"""`next_events` of a session whose events have changed: they are searched for until they are next stored."""
NEXT = 3
"""Events in the side column."""


@dataclass(frozen=True)
class Viewer:
    """Who looks at a page."""

    id: int
    username: str
    upcoming: list[dict[str, Any]]
    """The next events that they attend."""
    requests: int
    """Friendship requests that wait for their answer."""


def viewer(session: str) -> Viewer | None:
    """Who a living session belongs to; `None` when there is no such session."""
    waiting = (
        friends.waiting_for(OuterRef("user")).order_by().values("friend").annotate(n=Count("*")).values("n")
    )
    living = Session.objects.filter(id=session, expires_s__gt=int(time.time()))
    found = living.values_list(
        "user_id", "user__username", "next_events", Coalesce(Subquery(waiting), 0)
    ).first()
    if found is None:
        return None
    person, username, following, requests = found
    if following == STALE:
        following = _next_events(person)
    return Viewer(person, username, _links(following), requests)


def replace(old: str | None, session: str, user: int) -> None:
    """Begins a session in place of `old`, a living one if any.

    One log-in in a hundred also clears away those that have ended by themselves: at each, log-ins of the same
    moment would undo each other.
    """
    now = int(time.time())
    if old:
        end(old)
    if random.random() < 0.01:
        Session.objects.filter(expires_s__lte=now).delete()
    Session.objects.create(
        id=session,
        user_id=user,
        requests=Friendship.objects.filter(friend=user, accepted=0).count(),
        next_events=_next_events(user),
        created_s=now,
        expires_s=now + LIFE_S,
    )


def end(session: str) -> None:
    """Ends a session."""
    Session.objects.filter(id=session).delete()


def end_others(user: int, session: str) -> None:
    """Ends every session of a person but one."""
    Session.objects.filter(user=user).exclude(id=session).delete()


def renew_next_events(user: int) -> None:
    """Searches for a person's next events again, for all their sessions."""
    Session.objects.filter(user=user).update(next_events=_next_events(user))


def forget_next_events(event: int) -> None:
    """Makes the sessions of everybody who attends an event search for their next ones."""
    attending = Attendance.objects.filter(event=event).values("user_id")
    Session.objects.filter(user__in=attending).update(next_events=STALE)


def _next_events(user: int) -> str:
    coming = Event.objects.filter(attendance__user=user, event_date__gte=facts().today, disabled=0)
    return ",".join(
        str(event) for event in coming.order_by("event_date", "id").values_list("id", flat=True)[:NEXT]
    )


def _links(following: str) -> list[dict[str, Any]]:
    if not following:
        return []
    events = Event.objects.filter(id__in=following.split(",")).order_by("event_date", "id")
    return list(events.values("id", "title", "event_timestamp"))
