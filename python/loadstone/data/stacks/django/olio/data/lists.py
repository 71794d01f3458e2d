"""Lists of events."""

from __future__ import annotations

from django.db.models import F, Q, QuerySet

from olio.data.listing import Listing, Row, listing
from olio.dates import LAST
from olio.facts import facts
from olio.models import Event

SIZE = 10
"""Events on a page of a list."""
FEED = 15
"""Events in the feed."""
RECENT = 10
"""Events on a person's page."""

NEAREST = ("event_date", "id")
NEWEST = ("-created_at", "id")


def home(day: int | None, by_created: bool, zip_code: str, page: int) -> Listing:
    """The events from today on or of one day, the nearest or the newest first, perhaps of one zip code."""
    first, last = (facts().today, LAST) if day is None else (day, day)
    wanted = Q(event_date__range=(first, last))
    if zip_code:
        wanted &= Q(address__zip=zip_code)
    return listing(_items(wanted).order_by(*(NEWEST if by_created else NEAREST)), page, SIZE)


def tagged(tag: str, page: int) -> Listing:
    """The events with a tag."""
    return listing(_items(Q(eventtag__tag__name=tag)).order_by(*NEAREST), page, SIZE)


def posted(person: int, page: int) -> Listing:
    """The events that a person announced, the newest first."""
    return listing(_items(Q(user=person)).order_by(*NEWEST), page, SIZE)


def upcoming(person: int, page: int) -> Listing:
    """The events from today on that a person attends, the nearest first."""
    wanted = Q(attendance__user=person, event_date__gte=facts().today)
    return listing(_items(wanted).order_by(*NEAREST), page, SIZE)


def newest() -> list[Row]:
    """The newest events, the last one added first."""
    return list(_items(Q()).order_by("-created_at", "-id")[:FEED])


def recently_posted(person: int) -> list[Row]:
    """The last events that a person announced, as links."""
    events = Event.objects.filter(user=person, disabled=0).order_by(*NEWEST)
    return list(events.values("id", "title", "event_timestamp")[:RECENT])


def _items(wanted: Q) -> QuerySet[Event, Row]:
    columns = ("id", "title", "summary", "event_timestamp", "created_at", "user_id")
    joined = {"city": F("address__city"), "creator": F("user__username")}
    return Event.objects.filter(wanted, disabled=0).values(*columns, **joined)
