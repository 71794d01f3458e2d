"""Static files, pictures and documents: everything that is sent as it is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response

from olio import database, uploads
from olio.facts import facts
from olio.routing import WrongMethod

LOADED_S = 1_224_633_600
"""2008-10-22: when everything was made that was not uploaded."""

TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".pdf": "application/pdf",
}

_MEDIA = re.compile(r"([ep])([1-9][0-9]{0,19})(t?\.jpg|l\.pdf)")


@dataclass(frozen=True)
class File:
    """A file that can be sent."""

    data: bytes
    content_type: str
    etag: str
    modified_s: int | None


def loaded(path: Path) -> File:
    """A file of the folder `OLIO_FILES`, in memory."""
    data = path.read_bytes()
    return File(data, TYPES[path.suffix], f'"{blake2b(data, digest_size=8).hexdigest()}"', LOADED_S)


class Static:
    """Style sheets, scripts and icons: they change with the program only."""

    fields: Mapping[str, str] = {"Cache-Control": "public, max-age=3600"}

    def __init__(self, folder: Path) -> None:
        """Reads them."""
        self._files = {path.name: loaded(path) for path in folder.iterdir()}

    def find(self, name: str) -> File | None:
        """The file of that name."""
        return self._files.get(name)


class Media:
    """Pictures and documents of people and events: uploads, else the master of their class."""

    fields: Mapping[str, str] = {
        # Who has just replaced a picture wants to see the new one.
        "Cache-Control": "public, no-cache",
        # They come from people: opened as a page, they may do nothing.
        "Content-Security-Policy": "default-src 'none'; sandbox",
    }

    def __init__(self, folder: Path) -> None:
        """Reads the masters."""
        self._masters = {path.name: loaded(path) for path in folder.iterdir()}

    def find(self, name: str) -> File | None:
        """The file of a name such as `e12t.jpg`; a picture that came without a thumbnail is its own."""
        parsed = _MEDIA.fullmatch(name)
        if not parsed or parsed[1] + parsed[3] == "pl.pdf" or int(parsed[2]) >= 2**64:
            return None
        whose, number, kind = parsed[1], int(parsed[2]), parsed[3]
        is_thumbnail = kind == "t.jpg"
        is_loaded = number <= (facts().events if whose == "e" else facts().accounts)
        names = [name, f"{whose}{number}.jpg"] if is_thumbnail else [name]
        if upload := database.run(lambda: uploads.find(names, is_loaded), database.Access.LOOK):
            return File(upload.data, uploads.sniff(upload.data) or "", f'"u{upload.stamp:x}"', None)
        # Lists show a thumbnail of everything, also of what came without a picture.
        return self._masters[whose + kind] if is_thumbnail or is_loaded else None


def answer(request: HttpRequest, folder: Static | Media, name: str) -> HttpResponse:
    """Sends a file, unless the sender has it already."""
    if request.method not in ("GET", "HEAD"):
        raise WrongMethod("GET, HEAD")
    file = folder.find(name)
    if file is None:
        raise Http404(name)
    response = HttpResponse(file.data, content_type=file.content_type)
    response = get_conditional_response(request, file.etag, file.modified_s, response)
    response.headers["ETag"] = file.etag
    if file.modified_s is not None:
        response.headers["Last-Modified"] = "Wed, 22 Oct 2008 00:00:00 GMT"
    for field, value in folder.fields.items():
        response.headers[field] = value
    if file.content_type == "application/pdf":
        # Viewers inside browsers do not work under that rule.
        response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
