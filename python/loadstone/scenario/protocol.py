"""`http = "2"`: what a scenario may not say about HTTP/2, or without it."""

from __future__ import annotations

from collections.abc import Iterator

from loadstone.scenario.findings import Finding
from loadstone.scenario.model import ScenarioFile

_OF_HTTP_1 = {
    "connection",
    "keep-alive",
    "proxy-connection",
    "te",
    "transfer-encoding",
    "upgrade",
    "http2-settings",
}
"""Fields that speak of a connection of HTTP/1.1 (RFC 9113 §8.2.2)."""


def errors(file: ScenarioFile) -> Iterator[Finding]:
    """What contradicts the protocol of the target."""
    if file.target.http != "2":
        if file.load.streams is not None:
            message = "`streams` needs HTTP/2: over HTTP/1.1 a connection carries one request at a time"
            yield Finding("http", message, ("load", "streams"), 'set http = "2" in [target], or remove it')
        return
    for number, operation in enumerate(file.operation):
        for index, step in enumerate(operation.step):
            if step.socket is not None:
                message = f"`{step.socket}`: WebSockets are for HTTP/1.1"
                at = ("operation", number, "step", index, step.socket)
                yield Finding("http", message, at, 'set http = "1.1" in [target]')
            for name in step.headers:
                if name.lower() in _OF_HTTP_1:
                    message = f"`{name}` is a field of HTTP/1.1, which HTTP/2 forbids"
                    path = ("operation", number, "step", index, "headers", name)
                    yield Finding("http", message, path, 'remove it, or set http = "1.1" in [target]')
