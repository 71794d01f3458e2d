"""An event."""

from __future__ import annotations

import calendar
from collections.abc import Iterable
from datetime import date
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from olio.data import tags
from olio.dates import day_of, number_of
from olio.facts import facts
from olio.forms.fields import TELEPHONE, Area, Tags, Text, TimeZone, document, picture, telephone, thumbnail
from olio.forms.form import AddressForm
from olio.params import whole

RANGES = ((1, 9999), (1, 12), (1, 31), (0, 23), (0, 59))
"""Year, month, day, hour, minute."""


class Selects(forms.Widget):
    """Five selects, sent as `event_timestamp(1i)` to `(5i)`."""

    def value_from_datadict(self, data: Any, files: Any, name: str) -> list[int | None]:
        """The five numbers, as far as they are."""
        return [whole((data.get(f"event_timestamp({n}i)") or "").strip()) for n in range(1, 6)]


class When(forms.Field):
    """A minute, in minutes since 1970-01-01."""

    part = "event"
    widget = Selects

    def clean(self, value: list[int | None]) -> int:
        """The minute of five numbers."""
        try:
            year, month, day, hour, minute = value
            of_day = range(24)[hour] * 60 + range(60)[minute]
            return number_of(date(year, month, day)) * 1440 + of_day
        except (ValueError, TypeError, IndexError, OverflowError):
            raise ValidationError("There is no such day and time.") from None

    def prepare_value(self, value: int | list[int | None]) -> list[int]:
        """The five numbers of a minute, or of a form that was wrong, each within its range."""
        if isinstance(value, list):
            pairs = zip(value, RANGES, strict=True)
            return [min(max(low if n is None else n, low), high) for n, (low, high) in pairs]
        day, of_day = day_of(value // 1440), value % 1440
        return [day.year, day.month, day.day, *divmod(of_day, 60)]


class EventForm(AddressForm):
    """An event with its tags and files."""

    title = Text("event", "Title", 100)
    summary = Text("event", "In one sentence", 100, required=False)
    description = Area("event", "Description", 500)
    telephone = Text("event", "Telephone", 20, telephone, attrs=TELEPHONE)
    tag_list = Tags("Tags, separated by blanks", 700, tags.MOST)
    event_timestamp = When()
    timezone = TimeZone("event", "Time zone", 100, required=False, empty_value="UTC")
    event_image = picture("event_thumbnail")
    event_thumbnail = thumbnail()
    event_document = document()

    def clean(self) -> dict[str, Any]:
        """Adds whether there are files."""
        cleaned = super().clean()
        for name in ("image", "document"):
            cleaned[f"has_{name}"] = cleaned.get(f"event_{name}") is not None
        return cleaned

    def selects(self) -> list[dict[str, Any]]:
        """The five selects, to be shown."""
        year, month, day, hour, minute = self["event_timestamp"].value()
        first = day_of(facts().today).year
        # A year from elsewhere stands alone, so that the list stays short.
        years = sorted({year, *range(first, first + 4)})
        two = "{:02}".format
        return [
            _select("Year", years, year, str),
            _select("Month", range(1, 13), month, lambda n: calendar.month_name[n]),
            _select("Day", range(1, 32), day, str),
            _select("Hour", range(24), hour, two),
            _select("Minute", range(60), minute, two),
        ]


def _select(label: str, values: Iterable[int], chosen: int, show: Any) -> dict[str, Any]:
    options = [{"value": n, "text": show(n), "chosen": n == chosen} for n in values]
    return {"label": label, "options": options}
