"""Answers of the server."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""What a page may load: its own files and nothing else. Plotly puts style sheets into it."""

REPORT_POLICY = "sandbox allow-scripts allow-popups allow-downloads; frame-ancestors 'none'"
"""A report has figures and texts of other people's services: it may draw, and not ask this server for
anything. The rest of its policy stands in the report itself."""


@dataclass(frozen=True)
class Reply:
    """One answer; with `stream` it has no end until that has."""

    status: HTTPStatus
    kind: str
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    stream: Generator[bytes] | None = None

    @classmethod
    def text(cls, status: HTTPStatus, words: str) -> Reply:
        """A sentence."""
        return cls(status, "text/plain; charset=utf-8", words.encode())

    @classmethod
    def json(cls, content: Any, status: HTTPStatus = HTTPStatus.OK) -> Reply:
        """An object or a list."""
        return cls(status, "application/json", json.dumps(content, allow_nan=False).encode())

    @classmethod
    def report(cls, page: str) -> Reply:
        """A page that stands by itself."""
        policy = {"Content-Security-Policy": REPORT_POLICY}
        return cls(HTTPStatus.OK, "text/html; charset=utf-8", page.encode(), policy)

    @classmethod
    def events(cls, stream: Generator[bytes]) -> Reply:
        """Server-sent events."""
        return cls(HTTPStatus.OK, "text/event-stream", stream=stream)


def event(kind: str, content: Any) -> bytes:
    """One server-sent event."""
    return f"event: {kind}\ndata: {json.dumps(content, allow_nan=False)}\n\n".encode()
