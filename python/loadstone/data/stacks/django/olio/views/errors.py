"""What Django calls when there is no view, or a view did not end well."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

from olio import reply


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The request cannot be read."""
    return reply.error(request, 400)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Somebody else's, or a form without its token."""
    return reply.error(request, 403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Nothing here."""
    return reply.error(request, 404)


def broken(request: HttpRequest) -> HttpResponse:
    """A fault of the site."""
    return reply.error(request, 500)
