"""Whether an instance is well: it is asked for a page, as a client would ask."""

from __future__ import annotations

import contextlib
import http.client
import ssl
from dataclasses import dataclass
from functools import cache

_BAD = 500


@dataclass(frozen=True)
class Health:
    """What came of one question."""

    status: int | None
    """Of the answer; None without one."""
    why: str = ""
    """Why it is not well; empty when it is."""

    @property
    def answered(self) -> bool:
        """Whether it lives. One that answers 503 has too much to do, and a restart would give it more."""
        return self.status is not None


def health(host: str, port: int, path: str, timeout_s: float, with_tls: bool = False) -> Health:
    """Asks what serves at this port. Whose certificate it has is for its clients to judge."""
    connection = (
        http.client.HTTPSConnection(host, port, timeout=timeout_s, context=_any_certificate())
        if with_tls
        else http.client.HTTPConnection(host, port, timeout=timeout_s)
    )
    with contextlib.closing(connection):
        try:
            connection.request("HEAD", path, headers={"Connection": "close", "User-Agent": "loadstone"})
            status = connection.getresponse().status
        except (OSError, http.client.HTTPException) as error:
            return Health(None, f"no answer: {error or type(error).__name__}")
    return Health(status, f"{path} answers {status}" if status >= _BAD else "")


@cache
def _any_certificate() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context
