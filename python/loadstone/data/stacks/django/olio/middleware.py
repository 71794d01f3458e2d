"""What stands around every view."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import BadRequest, RequestDataTooBig
from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse

from olio import database, files, reply
from olio.params import Params
from olio.routing import LoginNeeded, WrongMethod
from olio.visit import Visit

Next = Callable[[HttpRequest], HttpResponse]


def finish(get_response: Next) -> Next:
    """Says how long each answer is, and leaves it out where only its head is wanted."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if response.status_code != 304:
            response.headers["Content-Length"] = str(len(response.content))
        if request.method == "HEAD":
            response.content = b""
        return response

    return middleware


class FileMiddleware:
    """Static files and media come first: they make up most requests, and need neither forms nor sessions."""

    def __init__(self, get_response: Next) -> None:
        """Reads the static files and masters."""
        self.get_response = get_response
        self.static = files.Static(settings.ENVIRONMENT.files / "static")
        self.media = files.Media(settings.ENVIRONMENT.files / "media")

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answers with a file, or passes the request on."""
        path = "/static/brand.png" if request.path == "/favicon.ico" else request.path
        for prefix, folder in (("/static/", self.static), ("/media/", self.media)):
            if path.startswith(prefix):
                try:
                    return files.answer(request, folder, path.removeprefix(prefix))
                except (WrongMethod, database.Trouble) as error:
                    return answer_to(request, error)
        return self.get_response(request)


class VisitMiddleware:
    """Reads the request for the views, and answers for them when they cannot."""

    def __init__(self, get_response: Next) -> None:
        """Keeps what comes next."""
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Gives the request its `visit` and its `params`."""
        request.visit = Visit(request)
        length = request.META.get("CONTENT_LENGTH") or "0"
        request.body_length = int(length) if length.isdigit() else 0
        if request.body_length > settings.FORM_BYTES:
            return reply.error(request, 413)
        try:
            request.params = Params(request)
        except RequestDataTooBig as error:
            raise BadRequest(str(error)) from error
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """The answer to what a view raised, as far as Django has none of its own."""
        return answer_to(request, error)


def answer_to(request: HttpRequest, error: Exception) -> HttpResponse | None:
    """The answer for an exception; none when it is a fault of the site."""
    if isinstance(error, LoginNeeded):
        if request.visit.wants_fragment:
            return reply.error(request, 403)
        return reply.redirect("/users/login", "login-needed")
    if isinstance(error, WrongMethod):
        response = reply.error(request, 405)
        response.headers["Allow"] = error.allowed
        return response
    if isinstance(error, database.Trouble):
        return reply.error(request, error.status)
    if isinstance(error, IntegrityError) and database.is_foreign_key(error):
        # What the change refers to has vanished since it was looked at.
        return reply.error(request, 404)
    return None
