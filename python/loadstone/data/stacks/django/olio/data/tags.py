"""Tags and how often they are used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import F

from olio.models import EventTag, Tag

CLOUD = 50
"""Tags in the cloud."""
MOST = 20
"""Most tags of an event."""


def cloud() -> list[dict[str, Any]]:
    """The most used tags, by name, with their sizes."""
    found = Tag.objects.filter(refcount__gt=0).order_by("-refcount", "name").values("name", "refcount")
    return sized(sorted(found[:CLOUD], key=lambda tag: tag["name"]))


def of_event(event: int) -> list[dict[str, Any]]:
    """The tags of an event, by name, with their sizes."""
    found = Tag.objects.filter(eventtag__event=event).order_by("name")
    return sized(list(found.values("name", "refcount")))


def sized(tags: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Adds the `percent` of each tag: 100 to 250, rounded up, the larger the more events carry it."""
    counts = [tag["refcount"] for tag in tags]
    least, span = min(counts, default=0), max(counts, default=0) - min(counts, default=0)
    for tag in tags:
        tag["percent"] = 100 - (-150 * (tag["refcount"] - least)) // span if span else 100
    return tags


def add(event: int, names: Sequence[str]) -> None:
    """Adds tags to an event; those that it has stay. Names in byte order, so that changes lock alike."""
    for name in names:
        tag, _ = Tag.objects.get_or_create(name=name, defaults={"refcount": 0})
        _, is_new = EventTag.objects.get_or_create(event_id=event, tag_id=tag.id)
        if is_new:
            Tag.objects.filter(id=tag.id).update(refcount=F("refcount") + 1)


def add_more(event: int, names: Sequence[str]) -> bool:
    """Adds tags to an event; none, and false, when it would have too many."""
    present = {tag["name"] for tag in of_event(event)}
    fresh = set(names) - present
    if fresh and len(present) + len(fresh) > MOST:
        return False
    add(event, names)
    return True


def remove_all(event: int) -> None:
    """Takes all tags from an event."""
    Tag.objects.filter(id__in=EventTag.objects.filter(event=event).values("tag_id")).update(
        refcount=F("refcount") - 1
    )
    EventTag.objects.filter(event=event).delete()
