"""A site that tests script, with one thread a connection."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
LAST = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok"

SCENARIO = """
format = 1
name = "sessions"
[target]
url = "http://127.0.0.1:{port}"
[load]
sessions_per_s = 60
ramp_up_s = 0
steady_s = 1
ramp_down_s = 60
timeout_s = {timeout_s}
[session]
on_failure = "end"
[pacing]
think = 0.05
[sla]
window_s = 1
[[operation]]
name = "First"
limit_s = 1
step = [{{ get = "/{{user}}/first" }}]
[[operation]]
name = "Second"
limit_s = 1
step = [{{ get = "/{{user}}/second" }}]
[mix]
First = {{ Second = 1 }}
Second = {{ end = 1 }}
"""
"""Sessions of two pages, 60 in one second; paths are /SESSION/PAGE."""


@dataclass(frozen=True)
class Slow:
    """An answer whose rest comes so much later."""

    begin: bytes
    pause_s: float
    rest: bytes


Script = Callable[[str, int], bytes | Slow | None]
"""From the path and the request's number on its connection to the answer; None: none, for ever.

An answer that says `Connection: close` is the last of its connection.
"""


@contextmanager
def site(script: Script) -> Iterator[int]:
    """Serves until the end of the block; the port."""
    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0), backlog=200) as listener:
        threading.Thread(target=_accept, args=(listener, script, over), daemon=True).start()
        try:
            yield listener.getsockname()[1]
        finally:
            over.set()
            listener.shutdown(socket.SHUT_RDWR)


def _accept(listener: socket.socket, script: Script, over: threading.Event) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        threading.Thread(target=_serve, args=(connection, script, over), daemon=True).start()


def _serve(connection: socket.socket, script: Script, over: threading.Event) -> None:
    # A client that ends its session closes, which may show as an error here.
    with connection, connection.makefile("rb") as lines:
        number = 0
        try:
            while request := lines.readline():
                while lines.readline().strip():
                    pass
                answer = script(request.split()[1].decode(), number)
                number += 1
                if answer is None:
                    over.wait()
                    return
                if isinstance(answer, Slow):
                    connection.sendall(answer.begin)
                    time.sleep(answer.pause_s)
                    answer = answer.rest
                connection.sendall(answer)
                if b"Connection: close" in answer:
                    return
        except OSError:
            return
