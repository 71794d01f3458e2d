"""Registering, and editing a profile."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError

from olio.forms.fields import TELEPHONE, Area, Password, Text, TimeZone, picture, telephone, thumbnail
from olio.forms.form import AddressForm

NAME = 25
"""Most characters of a user name, and of a first and last name."""


def is_username(name: str) -> bool:
    """Whether a name can be a user name: it stands in links and in lists, so it has no blanks and marks."""
    return 1 <= len(name) <= NAME and all(c.isalnum() or c in "-._" for c in name)


def username(name: str) -> None:
    """Complains about what is no user name."""
    if not is_username(name):
        raise ValidationError("Letters, digits, '-', '.' and '_' only, please.")


def email(text: str) -> None:
    """Complains about what is no address: only sending a mail could tell more."""
    name, _, host = text.partition("@")
    left, _, right = host.partition(".")
    has_blank = any(c.isspace() for c in text)
    if not (name and left and right) or "@" in host or has_blank:
        raise ValidationError("This does not look like an email address.")


class Repeated(Password):
    """A password again: it has to be the first one, and nothing else is asked of it."""

    def clean(self, value: str | None) -> str:
        """What was entered."""
        return value or ""


class PersonForm(AddressForm):
    """An account. The password is required while `registering` only."""

    username = Text(
        "user", "User name", NAME, username, attrs={"autocomplete": "username", "data-check-name": True}
    )
    password = Password("Password", 25, error_messages={"required": "Please choose a password."})
    password_confirmation = Repeated("Password again", 25)
    firstname = Text("user", "First name", NAME, attrs={"autocomplete": "given-name"})
    lastname = Text("user", "Last name", NAME, attrs={"autocomplete": "family-name"})
    email = Text("user", "Email", 90, email, attrs={"type": "email", "autocomplete": "email"})
    telephone = Text(
        "user", "Telephone", 20, telephone, required=False, attrs=TELEPHONE | {"autocomplete": "tel"}
    )
    timezone = TimeZone("user", "Time zone", 100)
    user_image = picture("user_thumbnail")
    user_thumbnail = thumbnail()
    summary = Area("user", "Something about yourself", 2500, required=False)

    def __init__(self, *values: Any, registering: bool, **options: Any) -> None:
        """A form for a new account, or for one that is there."""
        super().__init__(*values, **options)
        for name in ("password", "password_confirmation"):
            self.fields[name].required = registering
        if not registering:
            self.fields["password"].label = "New password"

    def clean(self) -> dict[str, Any]:
        """Adds whether there is a picture; the two passwords have to be the same."""
        cleaned = super().clean()
        if cleaned["password_confirmation"] != (self["password"].data or ""):
            self.add_error("password_confirmation", "The two passwords are not the same.")
        cleaned["has_image"] = cleaned.get("user_image") is not None
        return cleaned
