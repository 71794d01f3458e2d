"""The home page, events of a tag, the calendar, the feed, and the geocoder."""

from __future__ import annotations

import re
from datetime import date
from functools import partial

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

from olio import cached, reply
from olio.data import addresses, lists, tags
from olio.dates import Month, number_of, parse
from olio.facts import facts
from olio.routing import is_for_all

ZIP_CHARS = 12
"""Most characters of a zip code."""
TAG_CHARS = 30
"""Most characters of a tag; what is longer has no events."""

_PLAIN_HOST = re.compile(r"([A-Za-z0-9_][A-Za-z0-9._-]{0,252}|\[[0-9A-Fa-f:.]+\])(:[1-9][0-9]{0,4})?")


def home(request: HttpRequest) -> HttpResponse:
    """The home page."""
    day = parse(request.params.get("day"))
    return _home(request, day, Month.of(number_of(day)) if day else None)


def calendar(request: HttpRequest) -> HttpResponse:
    """Another month of the calendar; for a browser without scripts the home page with that month."""
    params = request.params
    month = Month.new(params.whole("year"), params.whole("month")) or Month.of(facts().today)
    if request.visit.wants_fragment:
        return reply.fragment(request, "parts/calendar.html", calendar=month)
    return _home(request, None, month)


def _home(request: HttpRequest, day: date | None, month: Month | None) -> HttpResponse:
    params, visit = request.params, request.visit
    zip_code = params.get("zip") if len(params.get("zip")) <= ZIP_CHARS else ""
    iso = day.isoformat() if day else ""
    wanted = (params.page, params.get("order") == "created", zip_code, iso)
    key = cached.home_key(*wanted)

    def render(token: str) -> str:
        content = _home_content(visit.viewer_id, day, wanted)
        frame = {"title": "Events", "kind": "home", "key": key, "month": month}
        return reply.render(request, "listed.html", token=token, content=content, **frame)

    # Kept pages show the month of their day and no message, to nobody in particular.
    is_plain = month == (Month.of(number_of(day)) if day else None)
    if is_plain and visit.viewer is None and visit.notice is None:
        text = cached.page(cached.of_today(key), cached.HOME_S, visit.token, partial(render, cached.HOLE))
    else:
        text = render(visit.token)
    return reply.whole(request, text)


def _home_content(viewer: int, day: date | None, wanted: tuple[int, bool, str, str]) -> str:
    page, by_created, zip_code, iso = wanted
    key = cached.of_today(cached.home_key(*wanted))

    def render() -> tuple[list[int], str]:
        number = number_of(day) if day else None
        events = cached.rows(key, lambda: lists.home(number, by_created, zip_code, page))
        asked = {"by_created": by_created, "zip": zip_code, "day": iso, "path": "/"}
        cloud = partial(cached.rows, "cloud", tags.cloud)
        return _events("parts/home.html", key, viewer, events, asked | {"cloud": cloud})

    return cached.content(key, viewer, render)


def tagged(request: HttpRequest) -> HttpResponse:
    """Events with a tag. Pagers keep the path."""
    tag, page, viewer = request.params.get("tag"), request.params.page, request.visit.viewer_id
    tag = tag if len(tag) <= TAG_CHARS else ""
    key = cached.tag_key(tag, page)
    content_key = f"{request.path}:{key}"

    def render() -> tuple[list[int], str]:
        events = cached.rows(key, lambda: lists.tagged(tag, page))
        asked = {"tag": tag, "path": request.path}
        return _events("parts/tagged.html", content_key, viewer, events, asked)

    content = cached.content(content_key, viewer, render)
    return reply.page(request, "listed.html", title="Tagged events", kind="tag", key=key, content=content)


def _events(
    template: str, key: str, viewer: int, events: lists.Listing, asked: dict[str, object]
) -> tuple[list[int], str]:
    """The owners of some events, and the content of their page."""
    kept = cached.parts() | {"key": key, "class": cached.viewer_class(viewer, events.items)}
    text = render_to_string(template, {"events": events, "viewer_id": viewer, **kept, **asked})
    return [event["user_id"] for event in events.items], text


@is_for_all
def feed(request: HttpRequest) -> HttpResponse:
    """The newest events as RSS, whose links are whole addresses."""

    def render() -> str:
        events = cached.rows("feed", lists.newest)
        return render_to_string("feed.xml", {"events": events, "origin": cached.HOLE})

    text = cached.page("feed", cached.FEED_S, _origin(request), render)
    response = HttpResponse(text, content_type="application/rss+xml; charset=utf-8")
    response.headers["Cache-Control"] = "public, max-age=30"
    return response


def _origin(request: HttpRequest) -> str:
    """What links to this site begin with: nothing else that a sender writes gets into a page."""
    host = request.META.get("HTTP_HOST", "")
    plain = host if _PLAIN_HOST.fullmatch(host) else "localhost"
    return settings.ENVIRONMENT.public_url or f"http://{plain}"


@is_for_all
def geocode(request: HttpRequest) -> HttpResponse:
    """The geocoder's answer: one place for every address."""
    place = {"latitude": addresses.LATITUDE, "longitude": addresses.LONGITUDE}
    asked = {name: request.params.get(name) for name in ("street", "city", "state", "zip")}
    text = render_to_string("geocode.xml", place | asked)
    response = HttpResponse(text, content_type="application/xml; charset=utf-8")
    response.headers["Cache-Control"] = "no-store"
    return response
