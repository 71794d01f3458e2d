"""Comments: adding, and changing or deleting one's own."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse

from olio import cached, reply
from olio.data import comments, events
from olio.forms import CommentForm
from olio.routing import member


@member
def create(request: HttpRequest, event: int) -> HttpResponse:
    """Adds a comment."""
    if not events.exists(event):
        raise Http404("no such event")
    form = CommentForm(request.params.fields)
    if not form.is_valid():
        return _again(request, event, None, form)
    entered = form.cleaned_data
    comments.add(event, request.visit.viewer_id, entered["comment"], entered["rating"])
    return _comments(request, event, "comment-added")


@member
def edit(request: HttpRequest, event: int, comment: int) -> HttpResponse:
    """The form for an own comment."""
    form = CommentForm(initial=_own(request, event, comment))
    return _form(request, event, comment, form, title="Edit comment")


@member
def update(request: HttpRequest, event: int, comment: int) -> HttpResponse:
    """Changes an own comment."""
    _own(request, event, comment)
    form = CommentForm(request.params.fields)
    if not form.is_valid():
        return _again(request, event, comment, form)
    comments.update(comment, form.cleaned_data["comment"], form.cleaned_data["rating"])
    return _comments(request, event, "comment-updated")


@member
def delete(request: HttpRequest, event: int, comment: int) -> HttpResponse:
    """Deletes an own comment."""
    _own(request, event, comment)
    comments.delete(comment)
    return _comments(request, event, "comment-deleted")


def _own(request: HttpRequest, event: int, comment: int) -> dict[str, Any]:
    found = comments.find(event, comment)
    if found is None:
        raise Http404("no such comment")
    if found["user_id"] != request.visit.viewer_id:
        raise PermissionDenied
    return found


def _comments(request: HttpRequest, event: int, message: str) -> HttpResponse:
    cached.forget_content(event)
    if not request.visit.wants_fragment:
        return reply.redirect(f"/events/{event}", message)
    shown = {"event": {"id": event}, "comments": comments.of_event(event), "comment_form": CommentForm()}
    return reply.fragment(request, "parts/comments.html", **shown)


def _again(request: HttpRequest, event: int, comment: int | None, form: CommentForm) -> HttpResponse:
    return _form(request, event, comment, form, title="Your comment", status=422, message="form-wrong")


def _form(
    request: HttpRequest, event: int, comment: int | None, form: CommentForm, **options: Any
) -> HttpResponse:
    shown = {"kind": "comment-edit", "key": "comment-edit", "event_id": event, "comment_id": comment}
    return reply.page(request, "comment_form.html", comment_form=form, **shown, **options)
