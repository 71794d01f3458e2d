"""The whole of `loadstone ui`: the server, from its first to its last request."""

from __future__ import annotations

import contextlib
import html
import os
import sys
import threading
import time
import webbrowser
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from loadstone.errors import LoadstoneError
from loadstone.scratch import scratch
from loadstone.ui.desk import Desk
from loadstone.ui.door import OWN_NAMES, Door
from loadstone.ui.form import Terms
from loadstone.ui.launch import Launcher
from loadstone.ui.server import Server

_LOOK_S = 1.0
_GRACE_S = 10.0
"""A page that is loaded anew looks at no run for a moment."""


@dataclass(frozen=True)
class Settings:
    """How the page is served."""

    place: Path
    """The folder whose folders are runs."""
    host: str = "127.0.0.1"
    port: int = 0
    names: Sequence[str] = ()
    """By which it may be asked for, besides addresses and `localhost`."""
    show: str | None = None
    """A run to show at once."""
    beside: int | None = None
    """End when this process has ended and no page is open any more."""
    opens: bool = False
    """Have the browser open the page."""


def serve(settings: Settings, terms: Terms, named: Callable[[str], Path]) -> None:
    """Serves until Ctrl-C. Prints the address. Error `bad-address` when it cannot be had."""
    with scratch("ui") as own:
        desk = Desk(settings.place, terms, Launcher(own, named), settings.show)
        door = Door(names=(*OWN_NAMES, *settings.names))
        try:
            server = Server(settings.host, settings.port, door, desk)
        except OSError as error:
            host = f"[{settings.host}]" if ":" in settings.host else settings.host
            where = f"{host}:{settings.port}"
            message = f"cannot listen on {where}: {error.strerror or error}"
            hint = "choose another --port, or none for any that is free"
            raise LoadstoneError("bad-address", message, hint=hint) from error
        address = server.address + (f"#run={settings.show}" if settings.show else "")
        print(address, flush=True)
        if settings.opens:
            _open(own, address)
        with server, contextlib.ExitStack() as stack:
            if settings.beside is not None:
                closing = threading.Thread(target=_when_closed, args=(server, settings.beside), daemon=True)
                closing.start()
            stack.callback(desk.watching.close)
            stack.callback(server.shutdown)
            thread = threading.Thread(target=server.serve_forever, daemon=True)
            thread.start()
            thread.join()


def _when_closed(server: Server, beside: int) -> None:
    """Ends the server once the other process has ended and no page is open."""
    since = time.monotonic()
    while time.monotonic() - since < _GRACE_S:
        time.sleep(_LOOK_S)
        if psutil.pid_exists(beside) or server.asked_s < _GRACE_S:
            since = time.monotonic()
    server.shutdown()


def _open(own: Path, address: str) -> None:
    """Has a browser open the address by way of a file: a command line can be read by every user here."""
    file = own / "open.html"
    target = html.escape(address, quote=True)
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as page:
        page.write(
            f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={target}">'
            f'<title>Loadstone</title><a href="{target}">Loadstone</a>\n'
        )
    if not webbrowser.open(file.as_uri()):
        print("no browser opened: open the address by hand", file=sys.stderr)
