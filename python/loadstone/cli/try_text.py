"""A walk of one user as text: a line for each request, what was taken from its answer, what went wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loadstone.measure import Exchange

_MOST_SHOWN = 100
"""Characters of a value that are shown."""
_WORTH_S = 0.001
"""An answer that took so much longer than its first byte is told with both."""
_FIRST_LINES = 40
"""Lines of an answer that failed."""
_MESSAGES = ("SEND", "RECEIVE", "CLOSE", "CALL")
"""What a line about a message of a WebSocket, or about the call of a function, begins with."""
_TEXTS = ("text/", "json", "xml", "javascript", "x-www-form-urlencoded")


class Walk:
    """Turns exchanges into lines as they come, and remembers what failed."""

    def __init__(self, *, whole: bool) -> None:
        """`whole`: shows every request and answer, not only those that failed."""
        self.failed: list[Exchange] = []
        self.operations = 0
        self._whole = whole
        self._scenario: str | None = None
        self._place = (0, 0)
        """Which session, and which operation of it."""
        self._files: list[Exchange] = []
        self._values: dict[str, str] = {}
        self._lists: dict[str, list[str]] = {}
        self._flags: frozenset[str] = frozenset()

    def told(self, exchange: Exchange) -> Iterator[str]:
        """The lines about one exchange. Files of a page are told together, after the last of them."""
        if exchange.outcome == "failed":
            self.failed.append(exchange)
        if exchange.file and exchange.outcome != "failed" and not self._whole:
            self._files.append(exchange)
            return
        yield from self.rest()
        yield from self._heading(exchange)
        yield _asked(exchange)
        if exchange.outcome == "failed" or self._whole:
            yield from _whole(exchange, None if self._whole else _FIRST_LINES)
        yield from (f"      {line}" for line in self._learned(exchange))
        if exchange.outcome == "failed":
            yield f"      FAILED ({exchange.cause}): {exchange.said}"

    def rest(self) -> Iterator[str]:
        """The line about files that is still to come."""
        if self._files:
            count, size = len(self._files), sum(one.body_bytes for one in self._files)
            took = 1000 * sum(one.took_s for one in self._files)
            unchanged = sum(one.status == 304 for one in self._files)
            cached = f" ({unchanged} not modified)" if unchanged else ""
            files = f"{count} file{'s' if count > 1 else ''} of the page{cached}"
            yield f"      + {files}, {_bytes(size)}, {took:.1f} ms"
            self._files = []

    def summed_up(self) -> str:
        """The last line."""
        walked = f"{self.operations} operation{'' if self.operations == 1 else 's'}"
        if not self.failed:
            return f"{walked}, all as expected"
        causes = dict.fromkeys(f"{one.operation} ({one.said or one.cause})" for one in self.failed)
        return f"{walked}, {len(self.failed)} failed: {'; '.join(causes)}"

    def _heading(self, exchange: Exchange) -> Iterator[str]:
        if exchange.scenario != self._scenario:
            self._scenario, self._place = exchange.scenario, (0, 0)
            yield f"Scenario {exchange.scenario}"
        session, _ = self._place
        if self._place == (exchange.session, exchange.number):
            return
        self._place = (exchange.session, exchange.number)
        self.operations += 1
        if exchange.session != session:
            self._values, self._lists, self._flags = {}, {}, frozenset()
            yield f"Session {exchange.session}"
        yield f"  {exchange.number}. {exchange.operation}"

    def _learned(self, exchange: Exchange) -> Iterator[str]:
        for name, value in exchange.values.items():
            if self._values.get(name) != value:
                yield f"{name} = {_short(value)}"
        for name, items in exchange.lists.items():
            if self._lists.get(name) != items:
                count = f"{len(items)} item{'' if len(items) == 1 else 's'}"
                yield f"{name} = {count}: {_short(', '.join(items))}"
        flags = frozenset(exchange.flags)
        yield from (f"{name}: set" for name in sorted(flags - self._flags))
        yield from (f"{name}: no longer set" for name in sorted(self._flags - flags))
        yield from (f"{name}: nothing found in this answer" for name in exchange.not_found)
        self._values, self._lists, self._flags = exchange.values, exchange.lists, flags


def _asked(exchange: Exchange) -> str:
    """`GET /events/7   200   7.2 KB   3.1 ms`."""
    line, _, _ = exchange.request.partition("\r\n")
    if line.split(" ")[0] in _MESSAGES:
        return _talked(exchange, line)
    method, _, path = line.removesuffix(" HTTP/1.1").partition(" ")
    # A proxy is asked for whole addresses anyway.
    origin = exchange.origin if path.startswith("/") else ""
    what = f"{method} {origin}{path}" if line else f"{exchange.origin} (nothing was sent)".lstrip()
    if exchange.status is None:
        whole = "no answer" if exchange.first_byte_s is None else "no whole answer"
        return f"    {what}  {whole} after {_took(exchange)}"
    where = ""
    if exchange.outcome == "redirect":
        fields = (field.partition(":") for field in exchange.head.split("\r\n"))
        where = "".join(f" → {value.strip()}" for name, _, value in fields if name.lower() == "location")
    again = {"wait": ", asked to wait", "renew": ", to be renewed"}.get(exchange.outcome, "")
    size = _bytes(exchange.body_bytes)
    return f"    {what}  {exchange.status}{where}{again}  {size}  {_took(exchange)}"


def _took(exchange: Exchange) -> str:
    """`80.2 ms, first byte after 12.3 ms`."""
    took, first = exchange.took_s, exchange.first_byte_s
    if first is None or took - first < _WORTH_S:
        return f"{1000 * took:.1f} ms"
    return f"{1000 * took:.1f} ms, first byte after {1000 * first:.1f} ms"


def _talked(exchange: Exchange, line: str) -> str:
    """`SEND hello ← you said hello   3.1 ms`: a message of a WebSocket, and the one that was awaited.

    `CALL sign.py:payment amount=7   0.1 ms`: a function, and what it was given.
    """
    _, _, sent = exchange.request.partition("\r\n\r\n")
    what = f"{line} {_short(sent)}".rstrip()
    heard = f" ← {_short(exchange.body)}" if exchange.body else ""
    return f"    {what}{heard}  {1000 * exchange.took_s:.1f} ms"


def _whole(exchange: Exchange, lines: int | None) -> Iterator[str]:
    head, _, body = exchange.request.partition("\r\n\r\n")
    for line in [*head.split("\r\n"), *(["", *body.splitlines()] if body else [])]:
        yield f"      > {line}"
    if exchange.status is None:
        return
    yield f"      < {exchange.status}"
    yield from (f"      < {line}" for line in exchange.head.split("\r\n") if line)
    if not exchange.body:
        return
    if not _is_text(exchange.head):
        yield f"      < [{_bytes(exchange.body_bytes)} that are no text]"
        return
    shown = exchange.body.splitlines()
    yield "      <"
    yield from (f"      < {line}" for line in shown[:lines])
    if lines is not None and len(shown) > lines:
        yield f"      < … {len(shown) - lines} more lines; --whole shows them"


def _is_text(head: str) -> bool:
    for field in head.split("\r\n"):
        name, _, value = field.partition(":")
        if name.lower() == "content-type":
            return any(kind in value.lower() for kind in _TEXTS)
    return True


def _short(text: str) -> str:
    return text if len(text) <= _MOST_SHOWN else f"{text[: _MOST_SHOWN - 1]}…"


def _bytes(count: int) -> str:
    if count < 1000:
        return f"{count} B"
    return f"{count / 1000:.1f} kB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"
