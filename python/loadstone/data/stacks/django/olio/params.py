"""What a request carries: query, form fields and files under one roof.

Names are short: `event[title]` and `title` are the same field. The first value of a name counts, and the
form's goes before the address's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import parse_qsl

from django.conf import settings
from django.core.exceptions import BadRequest
from django.http import HttpRequest
from django.http.multipartparser import MultiPartParserError

FIELD_BYTES = 16 * 1024
"""Most bytes of a field: 2,500 of the widest characters take 10,000."""
PAGES = 100_000
"""Lists have no page beyond this one."""

# Neither HTML nor XML can show them: control characters but tab and newline, and two that are none.
_UNSHOWN = re.compile("[\x01-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]")


class Short(dict[str, Any]):
    """Values by short names; may be asked by the long ones too, as forms do."""

    def get(self, name: str, default: Any = None) -> Any:
        """The value of a name in either spelling."""
        return super().get(short(name), default)


class Params:
    """The parameters of a request; raises `BadRequest` when they cannot be read."""

    def __init__(self, request: HttpRequest) -> None:
        """Reads all of them."""
        self.fields = Short()
        self.files = Short()
        self._count = 0
        if request.body_length:
            if request.content_type == "multipart/form-data":
                self._read_multipart(request)
            else:
                self._add(_pairs(request.body))
        self._add(_pairs(request.META.get("QUERY_STRING", "").encode("latin-1")))

    def _read_multipart(self, request: HttpRequest) -> None:
        try:
            fields, files = request.parse_file_upload(request.META, request)
        except MultiPartParserError as error:
            raise BadRequest(str(error)) from error
        self._add((name, value) for name, values in fields.lists() for value in values)
        for name, file in files.items():
            if file.size:
                self.files.setdefault(short(name), file)

    def _add(self, pairs: Iterable[tuple[str, str]]) -> None:
        for name, value in pairs:
            self._count += 1
            too_long = max(len(name.encode()), len(value.encode())) > FIELD_BYTES
            if too_long or self._count > settings.FORM_FIELDS or "\0" in name or "\0" in value:
                raise BadRequest("too much in a form, or a NUL")
            self.fields.setdefault(short(name), _UNSHOWN.sub("", value))

    def raw(self, name: str) -> str:
        """A field as entered, for passwords; empty when there is none."""
        return self.fields.get(name, "")

    def get(self, name: str) -> str:
        """A field without white space around it; empty when there is none."""
        return self.raw(name).strip()

    def whole(self, name: str) -> int | None:
        """A whole number in plain digits; `None` for anything else."""
        return whole(self.get(name))

    @property
    def page(self) -> int:
        """The page of a list, from 1."""
        return min(max(self.whole("page") or 1, 1), PAGES)

    def method(self, sent: str) -> str:
        """The method that is meant: a form says PUT and DELETE by POST and a field `_method`."""
        meant = self.get("_method").upper()
        if sent == "POST" and meant in ("PUT", "DELETE"):
            return meant
        return "GET" if sent == "HEAD" else sent


def short(name: str) -> str:
    """`event[title]` is `title`; what has no name in brackets stays."""
    _, bracket, rest = name.partition("[")
    return rest[:-1] if bracket and rest.endswith("]") else name


def whole(text: str) -> int | None:
    """A number that can be read in one way only, and fits the database."""
    plain = text.isascii() and text.isdigit() and len(text) < 30
    return int(text) if plain and int(text) < 2**63 else None


def _pairs(encoded: bytes) -> list[tuple[str, str]]:
    return parse_qsl(encoded.decode(errors="replace"), keep_blank_values=True, errors="replace")
