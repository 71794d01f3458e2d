"""Whether a site could listen somewhere, before minutes are spent on what it needs."""

from __future__ import annotations

import errno
import socket

from loadstone.errors import LoadstoneError


def not_taken(host: str, port: int) -> None:
    """Raises `sut-start` where a site could not listen. What answers there would be taken for the site."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        # As servers do, which start again while connections of the last one wait to be forgotten.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            message = f"cannot listen at {host}:{port}: {error.strerror or error}"
            hint = "--port 0 takes a free one" if error.errno == errno.EADDRINUSE else None
            raise LoadstoneError("sut-start", message, hint=hint) from error
