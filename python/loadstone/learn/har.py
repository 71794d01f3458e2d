"""Recordings of browsers (HAR 1.2): requests with what was answered, whatever else is in the file."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import SplitResult, urlsplit

from loadstone.errors import LoadstoneError
from loadstone.learn.paths import is_file

MOST = 20_000
"""Requests of a recording."""
_MOST_BODY = 1 << 20
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH"})
_FILE_TYPES = ("image/", "font/", "text/css", "text/javascript", "application/javascript", "audio/", "video/")
_FILE_KINDS = frozenset({"image", "stylesheet", "script", "font", "media", "manifest", "texttrack"})


@dataclass(frozen=True)
class Entry:
    """A request of a recording and its answer. Names of headers are in lower case."""

    start_s: float
    end_s: float
    method: str
    url: SplitResult
    headers: Mapping[str, str]
    body_type: str
    body: str
    fields: list[tuple[str, str, str | None]] = field(default_factory=list)
    """Of a form: name, value, and the name of a file."""
    status: int = 0
    answer_headers: Mapping[str, str] = field(default_factory=dict)
    answer_type: str = ""
    answer: str = ""
    kind: str = ""
    """As Chrome tells it: `document`, `xhr`, `websocket`."""

    @property
    def is_page(self) -> bool:
        """A page that the browser went to."""
        if self.kind:
            return self.kind == "document"
        return "html" in self.answer_type and "x-requested-with" not in self.headers

    @property
    def is_file(self) -> bool:
        """A file of a page."""
        if self.method != "GET" or self.is_page:
            return False
        return self.kind in _FILE_KINDS or self.answer_type.startswith(_FILE_TYPES) or is_file(self.url.path)


@dataclass
class Recording:
    """The requests in the order of time, and what could not be read or said."""

    entries: list[Entry]
    notes: list[str]


def recording(content: Mapping[str, Any], place: str) -> Recording:
    """The requests of a HAR. LoadstoneError `import-file` where there are none."""
    log = content.get("log")
    listed = log.get("entries") if isinstance(log, dict) else None
    if not isinstance(listed, list) or not listed:
        raise LoadstoneError("import-file", "the recording has no requests (`log.entries`)", place=place)
    if len(listed) > MOST:
        raise LoadstoneError("import-file", f"the recording has more than {MOST:,} requests", place=place)
    found: list[Entry] = []
    unread = 0
    other: dict[str, int] = {}
    for one in listed:
        try:
            entry = _entry(one)
        except (TypeError, ValueError, AttributeError, LookupError, OverflowError):
            unread += 1
            continue
        if entry.kind == "websocket" or entry.url.scheme in ("ws", "wss") or entry.status == 101:
            other["WebSocket connections"] = other.get("WebSocket connections", 0) + 1
        elif "event-stream" in entry.answer_type:
            other["event streams"] = other.get("event streams", 0) + 1
        elif entry.method in _METHODS and entry.url.scheme in ("http", "https") and entry.url.hostname:
            found.append(entry)
        elif entry.method != "OPTIONS":
            other["requests of other kinds"] = other.get("requests of other kinds", 0) + 1
    if not found:
        raise LoadstoneError("import-file", "no request of the recording can be read", place=place)
    notes = [f"left out: {count} {what}, which a scenario cannot express" for what, count in other.items()]
    notes += [f"left out: {unread} requests that could not be read"] if unread else []
    return Recording(sorted(found, key=lambda entry: entry.start_s), notes)


def _entry(content: Mapping[str, Any]) -> Entry:
    request, response = content["request"], content.get("response") or {}
    start = datetime.fromisoformat(_text(content["startedDateTime"]))
    start_s = (start if start.tzinfo else start.replace(tzinfo=UTC)).timestamp()
    took = content.get("time")
    took_s = float(took) / 1000 if isinstance(took, int | float) and 0 <= took < 1e8 else 0.0
    url = urlsplit(_text(request["url"]))
    url.port  # noqa: B018 - a ValueError where it is none
    post = request.get("postData") or {}
    answer = response.get("content") or {}
    status = response.get("status")
    return Entry(
        start_s=start_s,
        end_s=start_s + took_s,
        method=_text(request["method"]).upper(),
        url=url,
        headers=dict(_pairs(request.get("headers"))),
        body_type=_text(post.get("mimeType") or ""),
        body=_text(post.get("text") or ""),
        fields=[_field(one) for one in post.get("params") or []],
        status=status if isinstance(status, int) and 100 <= status <= 599 else 0,
        answer_headers=dict(_pairs(response.get("headers"))),
        answer_type=_text(answer.get("mimeType") or "").lower(),
        answer=_body(answer),
        kind=_text(content.get("_resourceType") or "").lower(),
    )  # fmt: skip


def _field(content: Mapping[str, Any]) -> tuple[str, str, str | None]:
    file = _text(content["fileName"]) if "fileName" in content else None
    return _text(content["name"]), _text(content.get("value") or ""), file


def _pairs(listed: Any) -> Iterator[tuple[str, str]]:
    for one in listed or []:
        yield _text(one["name"]).lower(), _text(one["value"])


def _body(content: Mapping[str, Any]) -> str:
    text = _text(content.get("text") or "")
    if content.get("encoding") == "base64":
        try:
            text = base64.b64decode(text[: 2 * _MOST_BODY], validate=False).decode("utf-8", "replace")
        except (binascii.Error, ValueError):
            return ""
    return text[:_MOST_BODY]


def _text(value: Any) -> str:
    """A text that UTF-8 can hold. TypeError for anything else."""
    if not isinstance(value, str):
        raise TypeError("no text")
    return value.encode("utf-8", "replace").decode()
