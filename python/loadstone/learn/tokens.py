"""Values that a page gave and the browser sent back, and values that must never be written."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from loadstone.intake import json_of
from loadstone.learn.har import Entry

PLACEHOLDER = "REPLACE-ME"
_SECRET = re.compile(
    r"pass(?:wor[dt]|phrase|wd)?$|passw|pwd|secret|token|csrf|xsrf|nonce|otp|cvv|cvc|card.?number|api.?key|auth"
    r"|session|sid$|signature|credential|pin$|ssn|iban",
    re.IGNORECASE,
)
_LOOKS_SECRET = re.compile(r"eyJ[\w-]{10,}\.|(?=[^\s]*[0-9])(?=[^\s]*[A-Za-z])[\w+/=.~-]{24,}")
_TAG = re.compile(r"<(?:input|meta)\b([^<>]{0,4000})>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"([\w:-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))")
_KEY = re.compile(r"[\w.-]{1,60}")
_SHORTEST = 6
"""Characters of a value that is taken for one sent back: shorter ones are equal by chance."""
_SHORTEST_SECRET = 4
_MOST_LEAVES = 20_000


def is_secret(name: str, value: str) -> bool:
    """Whether a field must not be written, by its name or by its looks.

    >>> is_secret("user[password]", "x"), is_secret("q", "jazz"), is_secret("h", "9f86d081884c7d659a2feaa0")
    (True, False, True)
    """
    return bool(_SECRET.search(name.rstrip("]"))) or bool(_LOOKS_SECRET.fullmatch(value))


@dataclass
class Source:
    """Where a value stood: the answer of a step, and what extracts it."""

    step: int
    extract: Mapping[str, Any]
    hint: str
    """A name for it."""


@dataclass
class Seen:
    """All values that answers gave, the latest first to count, and the secrets of the recording."""

    sources: dict[str, Source] = field(default_factory=dict)
    secrets: set[str] = field(default_factory=set)

    def answer(self, step: int, entry: Entry) -> None:
        """Remembers what an answer gave."""
        for name, value in _hidden(entry.answer):
            self.sources[value] = Source(step, {"hidden": name}, name)
        if "json" in entry.answer_type:
            for name, value in _leaves(entry.answer):
                pattern = f'"{name}"\\s*:\\s*"?([^",}}\\s\\]]+)'
                found = re.search(pattern, entry.answer)
                if found and found[1] == value:
                    self.sources[value] = Source(step, {"regex": pattern}, name)
        for name, value in entry.answer_headers.items():
            if (
                _KEY.fullmatch(name)
                and len(value) >= _SHORTEST
                and is_secret(name, "")
                and "cookie" not in name
            ):
                self.sources[value] = Source(step, {"header": name}, name)

    def given(self, value: str, name: str) -> Source | None:
        """Where a value that is sent was given before."""
        source = self.sources.get(value)
        if source is None or (len(value) < _SHORTEST and source.hint != name):
            return None
        return source

    def hide(self, entry: Entry) -> None:
        """Remembers the secrets of a request: nothing that holds one is written."""
        for name, value in entry.headers.items():
            if name == "cookie":
                self.secrets.update(part.partition("=")[2].strip() for part in value.split(";"))
            elif "auth" in name or is_secret(name, ""):
                self.secrets.update((value, value.rpartition(" ")[2]))
        for name, value, _ in entry.fields:
            if is_secret(name, value):
                self.secrets.add(value)
        for name, value in _leaves(entry.body):
            if is_secret(name, value):
                self.secrets.add(value)
        if (cookie := entry.answer_headers.get("set-cookie")) is not None:
            for line in cookie.split("\n"):
                self.secrets.add(line.partition("=")[2].partition(";")[0].strip())
        self.secrets -= {value for value in self.secrets if len(value) < _SHORTEST_SECRET}

    def holds_secret(self, text: str) -> bool:
        """Whether the text has a secret in it."""
        return any(secret in text for secret in self.secrets)


def _hidden(text: str) -> Iterator[tuple[str, str]]:
    for tag in _TAG.finditer(text):
        values = {name.lower(): html.unescape(a or b or c) for name, a, b, c in _ATTRIBUTE.findall(tag[1])}
        value = values.get("value") if values.get("type", "").lower() == "hidden" else values.get("content")
        if value and (name := values.get("name")):
            yield name, value


def _leaves(text: str) -> Iterator[tuple[str, str]]:
    """Names and values of a JSON text, of those with a name."""
    if text[:1] not in ("{", "["):
        return
    try:
        left = [("", json_of(text))]
    except ValueError:
        return
    for _ in range(_MOST_LEAVES):
        if not left:
            return
        name, value = left.pop()
        if isinstance(value, dict):
            left += value.items()
        elif isinstance(value, list):
            left += [(name, one) for one in value[:100]]
        elif isinstance(value, str | int) and not isinstance(value, bool) and _KEY.fullmatch(name):
            yield name, value if isinstance(value, str) else json.dumps(value)
