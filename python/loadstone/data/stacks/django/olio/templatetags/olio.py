"""How the templates show days, times, ratings, addresses and places; Django's tag `cache` beside them."""

from __future__ import annotations

from datetime import date
from typing import Any

from django import template
from django.templatetags.cache import do_cache

from olio import dates

register = template.Library()
register.tag("cache", do_cache)


@register.filter
def moment(minutes: int) -> str:
    """`03:15 PM - Friday 11/07/2008`, of minutes since 1970-01-01."""
    return dates.show_moment(minutes)


@register.filter
def day(minutes: int) -> str:
    """`11/07/2008`, of minutes since 1970-01-01."""
    return dates.show_day(dates.day_of(minutes // 1440))


@register.filter
def rfc822(minutes: int) -> str:
    """The day of a time as RSS wants it."""
    return dates.show_rfc822(dates.day_of(minutes // 1440))


@register.filter
def iso(when: date) -> str:
    """`2008-11-07`."""
    return when.isoformat()


@register.filter
def is_day(when: date, number: int) -> bool:
    """Whether a date is the day of that number."""
    return dates.number_of(when) == number


@register.filter
def stars(rating: int) -> str:
    """`★★★☆☆`."""
    return "★" * rating + "☆" * (5 - rating)


@register.filter
def one_line(address: dict[str, Any]) -> str:
    """An address in one line."""
    street = ", ".join(address[part] for part in ("street1", "street2", "city") if address[part])
    state = f"{address['state']} " if address["state"] else ""
    return f"{street}, {state}{address['zip']}, {address['country']}"


@register.filter
def east(longitude: str) -> int:
    """Where a longitude falls on the map's plate, from 0 to 360."""
    return min(max(180 + _degrees(longitude), 0), 360)


@register.filter
def south(latitude: str) -> int:
    """Where a latitude falls on the map's plate, from 0 to 180."""
    return min(max(90 - _degrees(latitude), 0), 180)


def _degrees(decimal: str) -> int:
    digits = decimal.lstrip("-").partition(".")[0]
    degrees = int(digits) if digits.isascii() and digits.isdigit() else 0
    return -degrees if decimal.startswith("-") else degrees
