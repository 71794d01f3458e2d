"""Whether an instance is well: it is asked for a page, as a client would ask."""

from __future__ import annotations

import contextlib
import http.client
from dataclasses import dataclass

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


def health(port: int, path: str, timeout_s: float) -> Health:
    """Asks what serves at this port of 127.0.0.1."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout_s)
    with contextlib.closing(connection):
        try:
            connection.request("HEAD", path, headers={"Connection": "close", "User-Agent": "loadstone"})
            status = connection.getresponse().status
        except (OSError, http.client.HTTPException) as error:
            return Health(None, f"no answer: {error or type(error).__name__}")
    return Health(status, f"{path} answers {status}" if status >= _BAD else "")
