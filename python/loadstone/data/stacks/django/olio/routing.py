"""From a path and a method to a view, with what holds for all views: methods, tokens, transactions."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse

from olio import cached, copies, database
from olio.database import Access
from olio.visit import Visit

View = Callable[..., HttpResponse]


class LoginNeeded(Exception):
    """Nobody is logged in."""


class WrongMethod(Exception):
    """The path has other methods: `allowed`."""

    def __init__(self, allowed: str) -> None:
        """Keeps them as the field `Allow` lists them."""
        super().__init__(allowed)
        self.allowed = allowed


class Id:
    """A path's id, from 1 in plain decimal: `007` would be a second name for the same page."""

    regex = "[1-9][0-9]{0,18}"

    def to_python(self, value: str) -> int:
        """The id; `ValueError`, and with it no such path, beyond 64 bits."""
        if (number := int(value)) >= 2**63:
            raise ValueError(value)
        return number

    def to_url(self, value: int) -> str:
        """The id in a path."""
        return str(value)


def on(**views: View) -> View:
    """A path's views by method, `get=…`, `post=…`. All but `get` need the token, and change something."""
    by_method = {method.upper(): view for method, view in views.items()}
    allowed = ", ".join("GET, HEAD" if method == "GET" else method for method in by_method)

    def dispatch(request: HttpRequest, **ids: int) -> HttpResponse:
        method = request.params.method(request.method)
        view = by_method.get(method)
        if view is None:
            raise WrongMethod(allowed)
        changes = method != "GET" and not getattr(view, "changes_nothing", False)
        if changes and not request.visit.has_token(request):
            raise PermissionDenied

        def work() -> HttpResponse:
            # Afresh at each try: who is logged in was read from the same snapshot.
            request.visit = Visit(request)
            return view(request, **ids)

        if changes or getattr(view, "ends_session", False):
            return copies.remember(database.run(work, Access.CHANGE if changes else Access.SNAPSHOT))
        if copies.has_written(request):
            # What is kept may have been made from a copy that did not have the change.
            with cached.nothing():
                return database.run(work, Access.SNAPSHOT)
        found = copies.read(work) if method == "GET" and not getattr(view, "is_for_all", False) else None
        return database.run(work, Access.SNAPSHOT) if found is None else found

    return dispatch


def changes_nothing(view: View) -> View:
    """Marks a view that is asked by POST and needs no token."""
    view.changes_nothing = True  # type: ignore[attr-defined]
    return view


def ends_session(view: View) -> View:
    """Marks a view that is asked by GET and changes something nevertheless."""
    view.ends_session = True  # type: ignore[attr-defined]
    return view


def is_for_all(view: View) -> View:
    """Marks a view that does not depend on who asks: it never comes from a copy."""
    view.is_for_all = True  # type: ignore[attr-defined]
    return view


def member(view: View) -> View:
    """A view for people who are logged in."""

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.visit.viewer is None:
            raise LoginNeeded
        return view(request, *args, **kwargs)

    return checked
