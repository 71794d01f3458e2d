"""Logging in and out."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse

from olio import passwords, reply
from olio.data import people, sessions
from olio.routing import ends_session
from olio.visit import SESSION, fresh_session


def form(request: HttpRequest) -> HttpResponse:
    """The log-in page."""
    return _form(request, "")


def login(request: HttpRequest) -> HttpResponse:
    """Checks name and password and begins a session, under an id that nobody could have known before."""
    username = request.params.get("username")
    found = people.credentials(username)
    if found is None or not passwords.matches(found[1], request.params.raw("password")):
        return _form(request, username, status=422, message="login-wrong")
    session = fresh_session()
    old = request.visit.session if request.visit.viewer else None
    sessions.replace(old, session, found[0])
    response = reply.redirect("/", "logged-in", status=302)
    reply.set_cookie(response, SESSION, session)
    return response


@ends_session
def logout(request: HttpRequest) -> HttpResponse:
    """Ends the session. A GET, as in Olio: being logged out by another site is a nuisance, not a harm."""
    if request.visit.viewer:
        sessions.end(request.visit.session)
    response = reply.redirect("/", "logged-out", status=302)
    reply.set_cookie(response, SESSION, "", max_age=0)
    return response


def _form(request: HttpRequest, username: str, **options: Any) -> HttpResponse:
    frame = {"title": "Login", "kind": "login", "key": "login"}
    return reply.page(request, "login.html", username=username, **frame, **options)
