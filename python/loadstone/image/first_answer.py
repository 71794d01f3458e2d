"""When a machine that boots answers for the first time, and not with an error."""

from __future__ import annotations

import contextlib
import re
import selectors
import socket
import time
from collections import deque
from collections.abc import Callable

ASKED_EVERY_S = 0.005
"""Each question costs the guest and QEMU time: asked every 2 ms, slow moments became twice as slow."""
_SHARE = 0.01
"""Of the time that went by already: how exact the answer's time is."""
_AT_ONCE = 64
_HEAD_BYTES = 10
_GOOD = re.compile(rb"HTTP/1\.[01] [23]")
"""Up to the first digit of a status. A server that is out of memory answers as well: with 503."""


def first_answer(port: int, request: bytes, deadline: float, ended: Callable[[], bool]) -> float | None:
    """When the first answer that is no error (status 2xx or 3xx) began to come from 127.0.0.1, by
    `time.monotonic`; None at the deadline or when `ended` says that there is nobody left to answer.

    QEMU takes connections before there is a guest and repeats what the guest did not hear only after a
    second. So a fresh connection asks every few milliseconds, and the first that is answered counts.
    """
    begun, due = time.monotonic(), 0.0
    asked: deque[socket.socket] = deque()
    with selectors.DefaultSelector() as selector, contextlib.ExitStack() as kept:
        while (now := time.monotonic()) < deadline and not ended():
            if now >= due:
                due = now + max(ASKED_EVERY_S, (now - begun) * _SHARE)
                asked.append(kept.enter_context(_asking(port, selector)))
                if len(asked) > _AT_ONCE:
                    _leave(asked.popleft(), selector)
            for key, events in selector.select(due - now):
                connection = key.fileobj
                assert isinstance(connection, socket.socket)
                heard = _served(connection, events, request, selector)
                if heard:
                    return time.monotonic()
                if heard is None:
                    asked.remove(connection)
                    _leave(connection, selector)
    return None


def _asking(port: int, selector: selectors.BaseSelector) -> socket.socket:
    connection = socket.socket()
    connection.setblocking(False)
    connection.connect_ex(("127.0.0.1", port))
    selector.register(connection, selectors.EVENT_WRITE)
    return connection


def _served(
    connection: socket.socket, events: int, request: bytes, selector: selectors.BaseSelector
) -> bool | None:
    """True when a good answer has begun, None when the connection is over or has another answer."""
    try:
        if events & selectors.EVENT_WRITE:
            connection.sendall(request)
            selector.modify(connection, selectors.EVENT_READ)
            return False
        head = connection.recv(_HEAD_BYTES, socket.MSG_PEEK)
        if len(head) == _HEAD_BYTES:
            return True if _GOOD.match(head) else None
        # Not enough of it to tell, and more may come.
        return False if head else None
    except OSError:
        return None


def _leave(connection: socket.socket, selector: selectors.BaseSelector) -> None:
    selector.unregister(connection)
    connection.close()
