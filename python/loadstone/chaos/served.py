"""Whether users are served: a life begins with what its model begins with, every node up and in use."""

from __future__ import annotations

import http.client
import time

from loadstone.errors import LoadstoneError

_PATIENCE_S = 60.0
_LOOK_S = 0.1
_ANSWER_S = 5.0


def wait_until_served(address: tuple[str, int], page: str, marker: str, service: str) -> None:
    """Returns once the balancer answers `page` with `marker` in it, through a node that it takes for up.

    A balancer takes back a started node only after some health checks. LoadstoneError `service-unreachable`
    when that has not come after a minute, with what it said last.
    """
    deadline = time.monotonic() + _PATIENCE_S
    while (said := _said(address, page, marker)) is not None:
        if time.monotonic() > deadline:
            raise LoadstoneError(
                "service-unreachable",
                f"`{service}` does not serve {page} {_PATIENCE_S:.0f} s after its nodes were started: {said}",
                hint="`path` and `contains` of the chaos file must fit what the nodes answer",
            )
        time.sleep(_LOOK_S)


def _said(address: tuple[str, int], page: str, marker: str) -> str | None:
    """What is wrong with an answer; None: nothing."""
    client = http.client.HTTPConnection(*address, timeout=_ANSWER_S)
    try:
        client.request("GET", page)
        answer = client.getresponse()
        body = answer.read()
    except (OSError, http.client.HTTPException) as error:
        return str(error) or type(error).__name__
    finally:
        client.close()
    if answer.status != 200:
        return f"status {answer.status}"
    return None if marker.encode() in body else f"no `{marker}` in the answer"
