"""Answers: pages, fragments, redirects and errors, with the fields that each of them needs."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.html import format_html

from olio.data.sessions import Viewer
from olio.dates import Month
from olio.facts import facts
from olio.messages import MESSAGES
from olio.visit import NOTICE, SESSION, Visit

POLICY = (
    "default-src 'none'; style-src 'self'; style-src-attr 'unsafe-inline'; script-src 'self'; "
    "img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Only what this site serves itself, no scripts in the markup; style attributes carry the tags' sizes."""

NOTICE_S = 60
"""A message that no page has shown by then is forgotten."""

ERRORS = {
    400: ("Bad request", "The server did not understand this request."),
    403: (
        "Not allowed",
        "This is not yours to do, or the form was too old. Go back, reload the page and try again.",
    ),
    404: ("Not found", "There is nothing here. It may have been deleted."),
    405: ("Method not allowed", "This address does not do that."),
    422: ("Not possible", "Something in this form cannot be right."),
    503: ("Busy", "Too many people are writing at once. Please try again."),
    507: ("Full", "There is no room left to keep this. Everything else goes on."),
}
BROKEN = ("Something broke", "The fault is ours. Please try again.")


def page(request: HttpRequest, template: str, *, status: int = 200, **context: Any) -> HttpResponse:
    """A page. `context` has its `title`, `kind` and `key`; perhaps a `message` and the calendar's `month`."""
    return whole(request, render(request, template, **context), status)


def render(request: HttpRequest, template: str, *, token: str = "", **context: Any) -> str:
    """The text of a page, with the visitor's token or another."""
    visit = request.visit
    message = MESSAGES.get(context.pop("message", "")) or context.pop("notice", visit.notice)
    month = context.pop("month", None) or Month.of(facts().today)
    frame = {"viewer": visit.viewer, "message": message, "calendar": month, "today": facts().today}
    return render_to_string(template, frame | forms_of(token or visit.token) | context)


def forms_of(token: str) -> dict[str, str]:
    """What forms need: the hidden field that proves that a form came from a page of this site."""
    field = format_html('<input type="hidden" name="authenticity_token" value="{}">\n', token)
    return {"token_field": field}


def whole(request: HttpRequest, text: str, status: int = 200) -> HttpResponse:
    """A page's answer: nobody keeps it, it shows nothing foreign, and its message is spent."""
    response = HttpResponse(text, status=status)
    response.headers["Cache-Control"] = "no-store"
    response.headers["Content-Security-Policy"] = POLICY
    visit = request.visit
    if visit.is_fresh:
        set_cookie(response, SESSION, visit.session)
    if visit.notice_code:
        set_cookie(response, NOTICE, "", max_age=0)
    return response


def fragment(request: HttpRequest, template: str, *, status: int = 200, **context: Any) -> HttpResponse:
    """A part of a page, for a script."""
    frame = {"viewer": request.visit.viewer, "today": facts().today} | forms_of(request.visit.token)
    response = HttpResponse(render_to_string(template, frame | context), status=status)
    response.headers["Cache-Control"] = "no-store"
    return response


def redirect(location: str, message: str, status: int = 303) -> HttpResponse:
    """Sends the browser on, with a message for the page that it comes to."""
    response = HttpResponse(status=status, headers={"Location": location, "Cache-Control": "no-store"})
    del response.headers["Content-Type"]
    set_cookie(response, NOTICE, message, max_age=NOTICE_S)
    return response


def error(request: HttpRequest, status: int) -> HttpResponse:
    """The page about what did not work."""
    request.visit = visit = Visit(request)
    # It greets its viewer, but must not fail in turn.
    visit.viewer = None if status >= 500 else _viewer_if_possible(visit)
    title, sentence = ERRORS.get(status, BROKEN)
    context = {
        "title": title,
        "kind": "error",
        "key": f"error:{status}",
        "sentence": sentence,
        "notice": None,
    }
    return page(request, "error.html", status=status, **context)


def _viewer_if_possible(visit: Visit) -> Viewer | None:
    try:
        return visit.viewer
    except DatabaseError:
        return None


def set_cookie(response: HttpResponse, name: str, value: str, max_age: int | None = None) -> None:
    """A cookie of the whole site that scripts do not see."""
    is_secure = settings.ENVIRONMENT.public_url.startswith("https:")
    response.set_cookie(name, value, max_age=max_age, httponly=True, samesite="Lax", secure=is_secure)
