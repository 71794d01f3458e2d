"""A comment."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from olio.forms.fields import Area
from olio.forms.form import Form
from olio.params import whole


class Stars(forms.Field):
    """1 to 5 stars."""

    part = ""

    def clean(self, value: str | None) -> int:
        """The number of stars."""
        stars = whole((value or "").strip()) or 0
        if not 1 <= stars <= 5:
            raise ValidationError("Please give 1 to 5 stars.")
        return stars

    def prepare_value(self, value: Any) -> int:
        """The number of stars, also of a form that was wrong; 0 for none."""
        return (whole(value.strip()) or 0) if isinstance(value, str) else value or 0


class CommentForm(Form):
    """Text and stars."""

    comment = Area("", "Your comment", 2500)
    rating = Stars()
