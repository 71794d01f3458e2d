"""One event: reading, adding, changing, deleting."""

from __future__ import annotations

from typing import Any

from django.db.models import F

from olio.data import addresses, attendance, sessions, tags
from olio.facts import facts
from olio.models import Event

TEXTS = ("title", "summary", "description", "telephone", "timezone")


def find(event: int) -> dict[str, Any] | None:
    """Reads an event with its creator and address."""
    columns = ("id", *TEXTS, "event_timestamp", "user_id", "has_image", "has_document")
    found = Event.objects.filter(id=event, disabled=0)
    return found.values(*columns, creator=F("user__username"), **addresses.COLUMNS).first()


def exists(event: int) -> bool:
    """Whether there is such an event."""
    return Event.objects.filter(id=event, disabled=0).exists()


def add(form: dict[str, Any], creator: int) -> int:
    """Adds an event as its form gives it, with address and tags; its creator attends. Its id."""
    event = Event.objects.create(
        **_columns(form),
        has_image=int(form["has_image"]),
        has_document=int(form["has_document"]),
        user_id=creator,
        address_id=addresses.add(form["address"]),
        created_at=facts().now,
    )
    tags.add(event.id, form["tag_list"])
    attendance.attend(event.id, creator)
    return event.id


def update(event: int, form: dict[str, Any]) -> None:
    """Changes an event that is there; its tags become exactly the given ones. What it has of files stays."""
    old = Event.objects.values_list("address_id", flat=True).get(id=event)
    files = {name: 1 for name in ("has_image", "has_document") if form[name]}
    address = addresses.change(old, form["address"])
    Event.objects.filter(id=event).update(**_columns(form), **files, address_id=address)
    tags.remove_all(event)
    tags.add(event, form["tag_list"])
    sessions.forget_next_events(event)


def delete(event: int) -> None:
    """Deletes an event; the database deletes its comments and attendance with it."""
    sessions.forget_next_events(event)
    tags.remove_all(event)
    Event.objects.filter(id=event).delete()


def _columns(form: dict[str, Any]) -> dict[str, Any]:
    when = form["event_timestamp"]
    return {name: form[name] for name in TEXTS} | {"event_timestamp": when, "event_date": when // 1440}
