"""Friends: lists, requests and answers."""

from __future__ import annotations

from django.core.exceptions import BadRequest, PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse

from olio import reply
from olio.data import friends, people
from olio.routing import member
from olio.views.people import check_own

ENDS = {
    "remove": (friends.remove, "friend-removed"),
    "reject": (friends.reject, "friend-rejected"),
    "revoke": (friends.revoke, "friend-revoked"),
}
"""What `friend_action` says, what it does, and the message when that was possible."""


def listing(request: HttpRequest, person: int) -> HttpResponse:
    """All friends of a person."""
    found = _person(person)
    shown = friends.listing(person, request.params.page)
    frame = {"title": "Friends", "kind": "friends", "key": f"friends:{person};page={shown.page}"}
    path = f"/users/{person}/friends"
    return reply.page(request, "friends.html", person=found, people=shown, path=path, **frame)


@member
def requests(request: HttpRequest, person: int) -> HttpResponse:
    """The viewer's requests, both ways."""
    check_own(request, person)
    waiting = [
        {"heading": "Waiting for your answer", "relation": "asked-by", "people": friends.incoming(person)},
        {"heading": "Waiting for theirs", "relation": "asked", "people": friends.outgoing(person)},
    ]
    frame = {"title": "Friendship requests", "kind": "requests", "key": f"requests:{person}"}
    return reply.page(request, "requests.html", lists=waiting, **frame)


@member
def ask(request: HttpRequest, person: int) -> HttpResponse:
    """The viewer asks a person."""
    _person(person)
    viewer = request.visit.viewer_id
    if viewer == person:
        raise PermissionDenied
    relation = friends.request(viewer, person)
    is_friend = relation is friends.Relation.FRIENDS
    return _friendship(request, person, "friend-approved" if is_friend else "friend-requested")


@member
def approve(request: HttpRequest, person: int, friend: int) -> HttpResponse:
    """The viewer says yes."""
    check_own(request, person)
    done = friends.approve(person, friend)
    return _friendship(request, friend, "friend-approved" if done else "friend-unchanged")


@member
def end(request: HttpRequest, person: int, friend: int) -> HttpResponse:
    """The viewer ends a friendship or a request, as `friend_action` says."""
    check_own(request, person)
    wanted = request.params.get("friend_action")
    if wanted not in ENDS:
        raise BadRequest("no such friend_action")
    change, message = ENDS[wanted]
    return _friendship(request, friend, message if change(person, friend) else "friend-unchanged")


def _person(person: int) -> dict[str, object]:
    found = people.find_link(person)
    if found is None:
        raise Http404("no such person")
    return found


def _friendship(request: HttpRequest, other: int, message: str) -> HttpResponse:
    if not request.visit.wants_fragment:
        _person(other)
        return reply.redirect(f"/users/{other}", message)
    viewer = request.visit.viewer_id
    relation = "" if viewer == other else friends.relation(viewer, other)
    return reply.fragment(request, "parts/friendship.html", other=other, relation=relation)
