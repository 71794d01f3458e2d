"""Friendship. A row says that `user` has asked `friend`; accepted, they are friends both ways."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from olio.data.listing import PEOPLE, Listing, paged
from olio.models import Friendship


class Relation(StrEnum):
    """How the viewer and another person stand to each other."""

    NONE = "none"
    FRIENDS = "friends"
    ASKED = "asked"
    ASKED_BY = "asked-by"


def first(person: int, count: int) -> list[dict[str, Any]]:
    """The friends of lowest id, at most `count`."""
    return _some(person, 0, count)


def listing(person: int, page: int) -> Listing:
    """A page of all friends."""
    start = (page - 1) * PEOPLE
    return paged(_some(person, start, start + PEOPLE + 1), page, PEOPLE)


def relation(viewer: int, other: int) -> Relation:
    """How the viewer and a person stand to each other."""
    rows = dict(Friendship.objects.filter(_between(viewer, other)).values_list("user_id", "accepted"))
    if 1 in rows.values():
        return Relation.FRIENDS
    if other in rows:
        return Relation.ASKED_BY
    return Relation.ASKED if rows else Relation.NONE


def incoming(viewer: int) -> list[dict[str, Any]]:
    """People who have asked the viewer and wait, by id."""
    return list(_linked(waiting_for(viewer), "user"))


def waiting_for(viewer: int | OuterRef) -> QuerySet[Friendship]:
    """Requests that wait for the viewer's answer; not those of friends."""
    answered = Friendship.objects.filter(user=OuterRef("friend"), friend=OuterRef("user"), accepted=1)
    return Friendship.objects.filter(~Exists(answered), friend=viewer, accepted=0)


def outgoing(viewer: int) -> list[dict[str, Any]]:
    """People whom the viewer has asked and who have not answered, by id; nobody who has asked as well."""
    asked_as_well = Friendship.objects.filter(user=OuterRef("friend"), friend=OuterRef("user"))
    mine = Friendship.objects.filter(~Exists(asked_as_well), user=viewer, accepted=0)
    return list(_linked(mine, "friend"))


def request(viewer: int, other: int) -> Relation:
    """The viewer asks a person; when that person has asked before, they become friends. What they are now."""
    before = relation(viewer, other)
    if before is Relation.ASKED_BY:
        approve(viewer, other)
        return Relation.FRIENDS
    if before is Relation.NONE:
        Friendship.objects.create(user_id=viewer, friend_id=other, accepted=0)
        return Relation.ASKED
    return before


def approve(viewer: int, other: int) -> bool:
    """The viewer accepts a person's request; false when there is none, as in all that follow."""
    return Friendship.objects.filter(user=other, friend=viewer).update(accepted=1) > 0


def reject(viewer: int, other: int) -> bool:
    """The viewer refuses a person's request."""
    return Friendship.objects.filter(user=other, friend=viewer, accepted=0).delete()[0] > 0


def revoke(viewer: int, other: int) -> bool:
    """The viewer takes an own request back."""
    return reject(other, viewer)


def remove(viewer: int, other: int) -> bool:
    """Ends a friendship, whoever began it, with what was asked before it."""
    return Friendship.objects.filter(_between(viewer, other)).delete()[0] > 0


def _between(one: int, other: int) -> Q:
    return Q(user=one, friend=other) | Q(user=other, friend=one)


def _some(person: int, start: int, end: int) -> list[dict[str, Any]]:
    accepted = Friendship.objects.filter(accepted=1)
    asked = accepted.filter(user=person).values_list("friend_id", "friend__username")
    asked_by = accepted.filter(friend=person).values_list("user_id", "user__username")
    found = asked.union(asked_by).order_by("friend_id")[start:end]
    return [{"id": friend, "username": username} for friend, username in found]


def _linked(rows: QuerySet[Friendship], side: str) -> QuerySet[Friendship, dict[str, Any]]:
    return rows.order_by(f"{side}_id").values(id=F(f"{side}_id"), username=F(f"{side}__username"))
