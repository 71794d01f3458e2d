"""People: reading, looking for, registering, changing, deleting."""

from __future__ import annotations

import re
from typing import Any

from django.db.models import Q

from olio.data import addresses, events, sessions
from olio.data.listing import PEOPLE, Listing, listing
from olio.facts import facts
from olio.models import Event, User

LINK = ("id", "username")
TEXTS = ("username", "firstname", "lastname", "email", "telephone", "timezone", "summary")


def find(person: int) -> dict[str, Any] | None:
    """Reads a person with their address."""
    found = User.objects.filter(id=person)
    return found.values("id", *TEXTS, "has_image", **addresses.COLUMNS).first()


def find_link(person: int) -> dict[str, Any] | None:
    """Id and name of a person."""
    return User.objects.filter(id=person).values(*LINK).first()


def credentials(username: str) -> tuple[int, str] | None:
    """Id and password hash of a user name."""
    return User.objects.filter(username=username).values_list("id", "password").first()


def is_name_free(username: str) -> bool:
    """Whether nobody has this user name."""
    return not User.objects.filter(username=username).exists()


def search(query: str, page: int) -> Listing:
    """People whose user name, first name or last name begins with `query`; by id."""
    found = User.objects.order_by("id").values(*LINK)
    if query:
        start = _beginning(query)
        found = found.filter(Q(username__regex=start) | Q(firstname__regex=start) | Q(lastname__regex=start))
    return listing(found, page, PEOPLE)


def add(form: dict[str, Any], password: str) -> int:
    """Registers a person; `IntegrityError` when the user name has just been taken. Their id."""
    now = facts().now
    columns = {name: form[name] for name in TEXTS}
    address = addresses.add(form["address"])
    person = User.objects.create(
        **columns,
        password=password,
        address_id=address,
        has_image=int(form["has_image"]),
        created_at=now,
        updated_at=now,
    )
    return person.id


def update(person: int, form: dict[str, Any], password: str, session: str) -> None:
    """Changes a person who is there. A new password ends every session of theirs but `session`."""
    old = User.objects.values_list("address_id", flat=True).get(id=person)
    columns = {name: form[name] for name in TEXTS} | {"updated_at": facts().now}
    if password:
        sessions.end_others(person, session)
        columns["password"] = password
    if form["has_image"]:
        columns["has_image"] = 1
    columns["address_id"] = addresses.change(old, form["address"])
    User.objects.filter(id=person).update(**columns)


def events_of(person: int) -> list[int]:
    """The ids of a person's events."""
    return list(Event.objects.filter(user=person).values_list("id", flat=True))


def delete(person: int) -> None:
    """Deletes a person with all that is theirs."""
    # One by one, so that the tags of their events are counted down.
    for event in events_of(person):
        events.delete(event)
    found = User.objects.filter(id=person)
    address = found.values_list("address_id", flat=True).first()
    # Sessions, attendance, comments and friendships go with the person.
    found.delete()
    if address is not None:
        addresses.delete(address)


def _beginning(query: str) -> str:
    """A pattern for texts that begin with `query`, whatever the case of its ASCII letters.

    The three databases do not agree on the case of any other letter.
    """
    letters = (f"[{c.lower()}{c.upper()}]" if c.isascii() and c.isalpha() else re.escape(c) for c in query)
    return "^" + "".join(letters)
