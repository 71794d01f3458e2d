"""The server: one thread a connection, on this machine only unless told. All is checked at the door."""

from __future__ import annotations

import socket
import threading
import time
import traceback
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit

from loadstone.errors import LoadstoneError
from loadstone.intake import json_of
from loadstone.ui.desk import Desk
from loadstone.ui.door import Door
from loadstone.ui.reply import PAGE_POLICY, Reply

_LONGEST_BODY = 64 << 10
_MOST_CONNECTIONS = 64
_PATIENCE_S = 30.0

_HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""Of every answer: the address has the token; nobody else may learn it, or hold the page in a frame."""


class Server(ThreadingHTTPServer):
    """Listens from its making on."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, host: str, port: int, door: Door, desk: Desk) -> None:
        """OSError when the address cannot be had."""
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.door, self.desk = door, desk
        self.room = threading.BoundedSemaphore(_MOST_CONNECTIONS)
        self._asked = time.monotonic()
        super().__init__((host, port), _Handler)

    @property
    def address(self) -> str:
        """Where a browser of this machine finds the page."""
        host, port = self.server_address[:2]
        name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(str(host), str(host))
        return f"http://{f'[{name}]' if ':' in name and name[0] != '[' else name}:{port}/{self.door.token}/"

    @property
    def asked_s(self) -> float:
        """Seconds since a page has asked for anything: one that is open asks for the list again and again."""
        return time.monotonic() - self._asked

    def let_in(self) -> None:
        """A request came that knows the token."""
        self._asked = time.monotonic()

    def process_request(self, request: Any, client_address: Any) -> None:
        """Takes a connection, if there is room for it."""
        if not self.room.acquire(blocking=False):
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """The whole life of a connection."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.room.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away in the middle is nothing to tell."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout: ClassVar[float] = _PATIENCE_S
    server_version = "Loadstone"
    sys_version = ""
    server: Server

    def do_GET(self) -> None:
        self._answer(lambda path, query: self.server.desk.get(path, query))

    def do_POST(self) -> None:
        self._answer(self._posted)

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing: the address has the token."""

    def _answer(self, route: Any) -> None:
        refusal, path = self._refusal()
        if refusal or path is None:
            self.close_connection = True
            self._send(refusal or Reply.text(HTTPStatus.FORBIDDEN, ""))
            return
        self.server.let_in()
        query = {name: values[-1] for name, values in parse_qs(urlsplit(self.path).query).items()}
        try:
            reply = route(path, query)
        except LoadstoneError as error:
            reply = self._refused(error)
        except Exception as error:
            traceback.print_exc()
            self.close_connection = True
            words = {"error": f"error[internal]: {error}", "slug": "internal"}
            reply = Reply.json(words, HTTPStatus.INTERNAL_SERVER_ERROR)
        self._send(reply)

    def _refused(self, error: LoadstoneError) -> Reply:
        """For the page's own code, or in words where a browser is to show it."""
        if "text/html" in self.headers.get("Accept", ""):
            return Reply.text(HTTPStatus.UNPROCESSABLE_ENTITY, f"{error}\n")
        content = {"error": str(error), "slug": error.slug}
        return Reply.json(content, HTTPStatus.UNPROCESSABLE_ENTITY)

    def _refusal(self) -> tuple[Reply | None, str | None]:
        """Why the request is not let in, or what it asks for."""
        door, host = self.server.door, self.headers.get("Host")
        if not door.knows(host):
            words = "this server is not asked for by that name; give it with --name if it is yours\n"
            return Reply.text(HTTPStatus.FORBIDDEN, words), None
        path = door.path(self.path)
        if path is None:
            words = "open the address that `loadstone ui` has printed: it ends with a token\n"
            return Reply.text(HTTPStatus.FORBIDDEN, words), None
        if self.command == "POST" and not door.same_origin(self.headers.get("Origin"), host):
            return Reply.text(HTTPStatus.FORBIDDEN, "another page has asked for this\n"), None
        return None, path

    def _posted(self, path: str, _query: dict[str, str]) -> Reply:
        try:
            length = int(self.headers.get("Content-Length", ""))
        except ValueError:
            length = -1
        if not 0 <= length <= _LONGEST_BODY:
            self.close_connection = True
            return Reply.text(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "a form is shorter, and says how long\n")
        try:
            content = json_of(self.rfile.read(length))
        except ValueError:
            return Reply.text(HTTPStatus.BAD_REQUEST, "this is no JSON\n")
        return self.server.desk.post(path, content)

    def _send(self, reply: Reply) -> None:
        self.send_response(reply.status)
        for name, value in {**_HEADERS, "Content-Security-Policy": PAGE_POLICY, **reply.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Type", reply.kind)
        if reply.stream is None:
            self.send_header("Content-Length", str(len(reply.body)))
            if self.close_connection:
                self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(reply.body)
            return
        self.close_connection = True
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            for piece in reply.stream:
                self.wfile.write(piece)
        finally:
            reply.stream.close()
