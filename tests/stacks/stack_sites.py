"""Stacks as running sites on a data set."""

from __future__ import annotations

import contextlib
import socket
import subprocess
from collections.abc import Iterator

import pytest
from served_page import until

from loadstone.site.stack import STACKS, Stack
from loadstone.site.stack.running import Running, Wanted, database_of, prepared, running

DATA = {"profile": "cloudstone-2008", "media_scale": 0.01}
"""As `shared_sites.load` makes it."""

EVENT = {
    **{"title": "At once", "description": "Several of us add it.", "telephone": "001-555-123-4567"},
    **{f"event_timestamp({part}i)": value for part, value in enumerate(("2008", "11", "7", "19", "30"), 1)},
    **{"street1": "1 Main St", "city": "Berkeley", "zip": "94704", "country": "USA"},
}
"""Fields of a form that every stack takes."""

every_stack = pytest.mark.parametrize("stack", STACKS, ids=lambda stack: stack.folder)


@contextlib.contextmanager
def served(stack: Stack, place: str, **options: object) -> Iterator[Running]:
    """A stack on a data set; `options` are fields of `StackOptions`."""
    with prepared(DATA) as (files, state):
        wanted = Wanted(stack.folder, database_of(place), files, state, options=options)
        with running(wanted) as one:
            yield one


@contextlib.contextmanager
def memcached(port: int) -> Iterator[None]:
    """A memcached that takes connections, killed at the end."""
    command = ["memcached", "-l", "127.0.0.1", "-p", str(port), "-U", "0", "-u", "nobody"]
    with subprocess.Popen(command) as process:

        def listens() -> bool:
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", port)) == 0

        try:
            until(listens)
            yield
        finally:
            process.kill()
