"""Events: showing, adding, changing, deleting, attending, tagging."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string

from olio import cached, reply, uploads
from olio.data import attendance, comments, events, tags
from olio.dates import day_of
from olio.facts import facts
from olio.forms import CommentForm, EventForm
from olio.forms.fields import tags_of
from olio.routing import member
from olio.views.kept import keep

FILES = {"event_image": ".jpg", "event_thumbnail": "t.jpg", "event_document": "l.pdf"}
EVENING = 19 * 60
"""When a new event begins, unless something else is said: 7 pm."""


def show(request: HttpRequest, event: int) -> HttpResponse:
    """An event's page."""
    found = cached.rows(f"event:{event}", lambda: events.find(event)) or _not_found()
    visit = request.visit
    shown = {"event": found, "viewer": visit.viewer} | cached.parts() | reply.forms_of(visit.token)

    def render() -> tuple[list[int], str]:
        parts = {
            "attendees": attendance.of_event(event, visit.viewer_id),
            "tags": tags.of_event(event),
            "comments": comments.of_event(event),
            "comment_form": CommentForm(),
        }
        return [], render_to_string("parts/event.html", shown | parts)

    # To people who are logged in every event is another page: it has their token.
    content = render()[1] if visit.viewer else cached.content(f"event:{event}", 0, render)
    frame = {"title": found["title"], "kind": "event", "key": f"event:{event}"}
    return reply.page(request, "listed.html", content=content, **frame)


@member
def new(request: HttpRequest) -> HttpResponse:
    """The form for a new event."""
    form = EventForm(initial={"event_timestamp": facts().today * 1440 + EVENING})
    return _form(request, None, form, "event-new")


@member
def create(request: HttpRequest) -> HttpResponse:
    """Adds an event."""
    form = EventForm(request.params.fields, request.params.files)
    if not form.is_valid():
        return _again(request, None, form)
    viewer, entered = request.visit.viewer_id, form.cleaned_data
    event = events.add(entered, viewer)
    keep(f"e{event}", entered, FILES)
    cached.forget(event, viewer, [_entered_version(entered)])
    return reply.redirect(f"/events/{event}", "event-created")


@member
def edit(request: HttpRequest, event: int) -> HttpResponse:
    """The form for an own event."""
    own = _own(request, event)
    names = " ".join(tag["name"] for tag in tags.of_event(event))
    return _form(request, event, EventForm(initial=own | {"tag_list": names}), f"event:{event}")


@member
def update(request: HttpRequest, event: int) -> HttpResponse:
    """Changes an own event."""
    own = _own(request, event)
    form = EventForm(request.params.fields, request.params.files)
    if not form.is_valid():
        return _again(request, event, form)
    entered, before = form.cleaned_data, version(own)
    events.update(event, entered)
    keep(f"e{event}", entered, FILES)
    cached.forget(event, own["user_id"], [before, _entered_version(entered)])
    return reply.redirect(f"/events/{event}", "event-updated")


@member
def delete(request: HttpRequest, event: int) -> HttpResponse:
    """Deletes an own event."""
    own = _own(request, event)
    cached.forget(event, own["user_id"], [version(own)])
    events.delete(event)
    forget_files(event)
    return reply.redirect("/", "event-deleted")


@member
def attend(request: HttpRequest, event: int) -> HttpResponse:
    """Puts the viewer on the list."""
    _exists(event)
    attendance.attend(event, request.visit.viewer_id)
    return _attendees(request, event, "attending")


@member
def unattend(request: HttpRequest, event: int) -> HttpResponse:
    """Takes the viewer off the list."""
    _exists(event)
    attendance.unattend(event, request.visit.viewer_id)
    return _attendees(request, event, "not-attending")


@member
def add_tags(request: HttpRequest, event: int) -> HttpResponse:
    """Adds tags to anybody's event."""
    _exists(event)
    names = tags_of(request.params.get("tag_list"), tags.MOST)
    fits = bool(names) and tags.add_more(event, names)
    if fits:
        found = events.find(event) or _not_found()
        cached.forget(event, found["user_id"], [version(found)])
    if request.visit.wants_fragment:
        context = {"event": {"id": event}, "tags": tags.of_event(event)}
        return reply.fragment(request, "parts/tags.html", status=200 if fits else 422, **context)
    return reply.redirect(f"/events/{event}", "tags-added" if fits else "tags-wrong")


def version(event: dict[str, Any]) -> dict[str, Any]:
    """What decides on which lists an event is: its zip code, day and tags."""
    names = [tag["name"] for tag in tags.of_event(event["id"])]
    return _version(event["event_timestamp"], event["zip"], names)


def forget_files(event: int) -> None:
    """Takes away what was uploaded for an event that is gone."""
    uploads.remove([f"e{event}{ending}" for ending in FILES.values()])


def _entered_version(entered: dict[str, Any]) -> dict[str, Any]:
    return _version(entered["event_timestamp"], entered["address"]["zip"], entered["tag_list"])


def _version(minutes: int, zip_code: str, names: list[str]) -> dict[str, Any]:
    return {"zip": zip_code, "day": day_of(minutes // 1440).isoformat(), "tags": names}


def _attendees(request: HttpRequest, event: int, message: str) -> HttpResponse:
    cached.forget_content(event)
    if not request.visit.wants_fragment:
        return reply.redirect(f"/events/{event}", message)
    found = attendance.of_event(event, request.visit.viewer_id)
    return reply.fragment(request, "parts/attendees.html", event={"id": event}, attendees=found)


def _own(request: HttpRequest, event: int) -> dict[str, Any]:
    found = events.find(event) or _not_found()
    if found["user_id"] != request.visit.viewer_id:
        raise PermissionDenied
    return found


def _exists(event: int) -> None:
    if not events.exists(event):
        _not_found()


def _not_found() -> dict[str, Any]:
    raise Http404("no such event")


def _again(request: HttpRequest, event: int | None, form: EventForm) -> HttpResponse:
    kind = "event-edit" if event else "event-new"
    return _form(request, event, form, kind, status=422, message="form-wrong")


def _form(request: HttpRequest, event: int | None, form: EventForm, key: str, **options: Any) -> HttpResponse:
    title, kind = ("Edit the event", "event-edit") if event else ("Add an event", "event-new")
    shown = {"title": title, "kind": kind, "key": key, "form": form, "event_id": event}
    return reply.page(request, "event_form.html", **shown, **options)
