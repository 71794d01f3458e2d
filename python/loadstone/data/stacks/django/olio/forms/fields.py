"""Fields: what they take, what they say when they do not, and which template shows them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.core.validators import MaxLengthValidator, RegexValidator

from olio import uploads

FILL_IN = "Please fill this in."

telephone = RegexValidator(r"\A[0-9-]{7,}\Z", "7 to 20 digits and dashes, please.")

TELEPHONE = {"type": "tel", "pattern": r"[0-9\-]{7,20}", "title": "7 to 20 digits and dashes"}


class Text(forms.CharField):
    """A text of at most `most` characters, sent as `part[name]`; the first complaint says enough."""

    template_name = "fields/line.html"

    def __init__(
        self, part: str, label: str, most: int, *checks: Callable[[str], None], **options: Any
    ) -> None:
        """`checks` raise `ValidationError`; `attrs` go to the input."""
        attrs = options.pop("attrs", {})
        options.setdefault("error_messages", {"required": FILL_IN})
        # The templates write the input; a widget of Django's would keep `type` apart.
        widget = forms.Widget(attrs)
        super().__init__(label=label, widget=widget, template_name=self.template_name, **options)
        self.part, self.most = part, most
        self.validators = [MaxLengthValidator(most, f"At most {most} characters, please."), *checks]

    def bound_data(self, data: str | None, initial: Any) -> str:
        """What was entered comes back without the white space around it."""
        return (data or "").strip()


class Area(Text):
    """Several lines of text."""

    template_name = "fields/area.html"


class TimeZone(Text):
    """The name of a time zone."""

    def prepare_value(self, value: Any) -> str:
        """UTC, unless something else was said."""
        return value or "UTC"


class Password(Text):
    """A password, as entered; no page ever shows one."""

    def __init__(self, label: str, most: int, **options: Any) -> None:
        """A password of at most `most` characters."""
        attrs = {"type": "password", "autocomplete": "new-password"}
        super().__init__("user", label, most, attrs=attrs, strip=False, **options)

    def prepare_value(self, value: Any) -> str:
        """Nothing."""
        return ""


class Tags(Text):
    """Tags between blanks or commas: distinct, in byte order."""

    def __init__(self, label: str, most: int, most_tags: int) -> None:
        """The field shows at most `most` characters, and takes `most_tags` tags."""
        super().__init__("", label, most, required=False)
        self.validators = []
        self.most_tags = most_tags

    def clean(self, value: str | None) -> list[str]:
        """The tags of a list."""
        tags = tags_of(value or "", self.most_tags)
        if tags is None:
            message = f"At most {self.most_tags} tags of 1 to 30 letters, digits, '-' or '_'."
            raise ValidationError(message)
        return tags


class File(forms.Field):
    """A file of one of the `kinds`; what it is, its first bytes tell."""

    template_name = "fields/file.html"
    widget = forms.FileInput

    def __init__(self, most_kib: int, kinds: tuple[str, ...], wrong: str, **options: Any) -> None:
        """`wrong` is what the field says of another kind, `hint` stands below it."""
        self.hint = options.pop("hint", "")
        self.part, self.most = "", 0
        self.most_kib, self.kinds, self.wrong = most_kib, kinds, wrong
        super().__init__(required=False, template_name=self.template_name, **options)

    def clean(self, value: UploadedFile | None) -> bytes | None:
        """The bytes; `None` when no file was chosen."""
        if value is None:
            return None
        if value.size > self.most_kib * 1024:
            raise ValidationError(f"This file is larger than {self.most_kib} KiB.")
        # A change that met another one runs again, and reads its files again.
        value.seek(0)
        data = value.read()
        if uploads.sniff(data) not in self.kinds:
            raise ValidationError(self.wrong)
        return data


PICTURES = ("image/jpeg", "image/png", "image/gif")
NO_PICTURE = "This is no JPEG, PNG or GIF picture."


def picture(thumbnail: str) -> File:
    """A picture, from which a script makes the thumbnail in the field of that name."""
    return File(
        4096,
        PICTURES,
        NO_PICTURE,
        label="Picture",
        hint="JPEG, PNG or GIF, at most 4 MiB.",
        widget=forms.FileInput({"accept": ",".join(PICTURES), "data-thumbnail": thumbnail}),
    )


def thumbnail() -> File:
    """A small picture."""
    return File(128, PICTURES, NO_PICTURE)


def document() -> File:
    """A document."""
    return File(
        4096,
        ("application/pdf",),
        "This is no PDF document.",
        label="Document",
        hint="PDF, at most 4 MiB.",
        widget=forms.FileInput({"accept": "application/pdf"}),
    )


def tags_of(text: str, most: int) -> list[str] | None:
    """The tags of a list between blanks or commas; `None` when one is none, or there are too many."""
    names = set(text.replace(",", " ").split())
    if len(names) > most:
        return None
    good = all(len(name) <= 30 and all(c.isalnum() or c in "-_" for c in name) for name in names)
    return sorted(names) if good else None
