"""A life begins once users are served."""

from __future__ import annotations

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from loadstone.chaos import served
from loadstone.errors import LoadstoneError

Answers = list[tuple[int, bytes]]


@pytest.fixture
def balancer() -> Iterator[tuple[tuple[str, int], Answers]]:
    """A server that gives the listed answers in turn, and the last one for ever."""
    answers: Answers = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = answers.pop(0) if len(answers) > 1 else answers[0]
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield ("127.0.0.1", server.server_address[1]), answers
        server.shutdown()


def test_a_life_waits_for_the_balancer(balancer: tuple[tuple[str, int], Answers]) -> None:
    address, answers = balancer
    answers += [(503, b""), (200, b"another page"), (200, b"a page</html>")]
    served.wait_until_served(address, "/", "</html>", "front")
    assert answers == [(200, b"a page</html>")], "each answer was looked at, and the right one ends it"


def test_what_never_comes_is_told(
    balancer: tuple[tuple[str, int], Answers], monkeypatch: pytest.MonkeyPatch
) -> None:
    address, answers = balancer
    answers.append((503, b""))
    monkeypatch.setattr(served, "_PATIENCE_S", 0.3)
    with pytest.raises(LoadstoneError) as raised:
        served.wait_until_served(address, "/page", "</html>", "front")
    assert raised.value.slug == "service-unreachable" and "status 503" in str(raised.value)
