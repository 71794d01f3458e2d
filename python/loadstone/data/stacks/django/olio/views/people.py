"""People: showing, looking for, registering, changing, deleting."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction
from django.http import Http404, HttpRequest, HttpResponse

from olio import cached, database, passwords, reply, uploads
from olio.data import events, friends, lists, people
from olio.data.listing import Listing
from olio.forms import PersonForm
from olio.forms.person import NAME, is_username
from olio.routing import changes_nothing, member
from olio.views.events import forget_files, version
from olio.views.kept import keep
from olio.visit import SESSION

FRIENDS = 6
"""Friends on a person's page."""
FILES = {"user_image": ".jpg", "user_thumbnail": "t.jpg"}


def show(request: HttpRequest, person: int) -> HttpResponse:
    """A person's page."""
    found, viewer = people.find(person) or _not_found(), request.visit.viewer
    shown: dict[str, Any] = {
        "person": found,
        "posted": lists.recently_posted(person),
        "friends": friends.first(person, FRIENDS + 1),
        "friends_shown": FRIENDS,
        "itself": viewer is not None and viewer.id == person,
    }
    if shown["itself"]:
        shown["asked"] = len(friends.outgoing(person))
    elif viewer:
        shown["relation"] = friends.relation(viewer.id, person)
    frame = {"title": found["username"], "kind": "person", "key": f"person:{person}"}
    return reply.page(request, "person.html", **frame, **shown)


def search(request: HttpRequest) -> HttpResponse:
    """People by the beginning of their names."""
    query, page = request.params.get("query"), request.params.page
    found = people.search(query, page) if len(query) <= NAME else Listing([], page, False)
    frame = {"title": "People", "kind": "people", "key": f"people:query={query};page={page}"}
    return reply.page(request, "people.html", query=query, people=found, path="/users/search", **frame)


def posted(request: HttpRequest, person: int) -> HttpResponse:
    """The events that a person announced."""
    found = people.find_link(person) or _not_found()
    events = lists.posted(person, request.params.page)
    return _event_list(request, found, events, "Events posted by", "posted")


def upcoming(request: HttpRequest, person: int) -> HttpResponse:
    """The events that a person attends."""
    found = people.find_link(person) or _not_found()
    events = lists.upcoming(person, request.params.page)
    return _event_list(request, found, events, "Events attended by", "upcoming")


def new(request: HttpRequest) -> HttpResponse:
    """The form to register."""
    return _form(request, None, PersonForm(registering=True), "register")


@changes_nothing
def check_name(request: HttpRequest) -> HttpResponse:
    """Whether a user name is free."""
    name = request.params.get("name")
    state = "wrong" if not is_username(name) else "free" if people.is_name_free(name) else "taken"
    return reply.fragment(request, "parts/name_check.html", name=name, state=state)


def create(request: HttpRequest) -> HttpResponse:
    """Registers a person; they still have to log in."""
    form = PersonForm(request.params.fields, request.params.files, registering=True)
    if not form.is_valid():
        return _again(request, None, form)
    entered = form.cleaned_data
    try:
        with transaction.atomic():
            person = people.add(entered, passwords.hashed(entered["password"]))
    except IntegrityError as error:
        return _taken(request, None, form, error)
    keep(f"p{person}", entered, FILES)
    return reply.redirect(f"/users/{person}", "user-created")


@member
def edit(request: HttpRequest, person: int) -> HttpResponse:
    """The form for the own profile."""
    check_own(request, person)
    form = PersonForm(initial=people.find(person) or _not_found(), registering=False)
    return _form(request, person, form, f"profile:{person}")


@member
def update(request: HttpRequest, person: int) -> HttpResponse:
    """Changes the own profile; an empty password keeps the old one."""
    check_own(request, person)
    form = PersonForm(request.params.fields, request.params.files, registering=False)
    if not form.is_valid():
        return _again(request, person, form)
    entered = form.cleaned_data
    password = passwords.hashed(entered["password"]) if entered["password"] else ""
    try:
        with transaction.atomic():
            people.update(person, entered, password, request.visit.session)
    except IntegrityError as error:
        return _taken(request, person, form, error)
    keep(f"p{person}", entered, FILES)
    return reply.redirect(f"/users/{person}", "user-updated")


@member
def delete(request: HttpRequest, person: int) -> HttpResponse:
    """Deletes the own account."""
    check_own(request, person)
    for event in people.events_of(person):
        cached.forget(event, person, [version(events.find(event) or _not_found())])
        forget_files(event)
    people.delete(person)
    uploads.remove([f"p{person}{ending}" for ending in FILES.values()])
    response = reply.redirect("/", "user-deleted")
    reply.set_cookie(response, SESSION, "", max_age=0)
    return response


def check_own(request: HttpRequest, person: int) -> None:
    """Refuses what is somebody else's."""
    if request.visit.viewer_id != person:
        raise PermissionDenied


def _not_found() -> dict[str, Any]:
    raise Http404("no such person")


def _event_list(
    request: HttpRequest, person: dict[str, Any], events: Listing, heading: str, kind: str
) -> HttpResponse:
    frame = {"title": heading, "kind": kind, "key": f"{kind}:{person['id']};page={events.page}"}
    path = f"/users/{person['id']}/{kind}_events"
    shown = {"person": person, "events": events, "path": path, "viewer_id": request.visit.viewer_id}
    return reply.page(request, "person_events.html", **frame, **shown)


def _taken(request: HttpRequest, person: int | None, form: PersonForm, error: IntegrityError) -> HttpResponse:
    if not database.is_unique(error):
        raise error
    form.add_error("username", "This user name is taken.")
    return _again(request, person, form)


def _again(request: HttpRequest, person: int | None, form: PersonForm) -> HttpResponse:
    kind = "profile" if person else "register"
    return _form(request, person, form, kind, status=422, message="form-wrong")


def _form(
    request: HttpRequest, person: int | None, form: PersonForm, key: str, **options: Any
) -> HttpResponse:
    title, kind = ("Edit profile", "profile") if person else ("Register", "register")
    shown = {"title": title, "kind": kind, "key": key, "form": form, "person_id": person}
    return reply.page(request, "person_form.html", **shown, **options)
